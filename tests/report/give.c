/* give: gives hints of every fate, for report.py. `give none` gives none. */
#include "check.h"

static void set(MPI_Info info, const char *key, const char *value)
{
    CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm halo, left;
    int rank;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    if (argc == 1) {
        CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        set(info, "mpi_assert_no_any_source", " true");
        set(info, "mpi_assert_allow_overtaking", "true");
        set(info, "mpi_assert_exact_length", "maybe");
        set(info, "mpi_assert_memory_alloc_kinds", "cuda");
        set(info, "mpi_memory_alloc_kinds", "system");
        set(info, "somebody_elses_key", "1");
        set(info, "mpi_assert_strict_persistent_collective_ordering", rank ? "true" : "false");
        CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &halo), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_name(halo, "halo"), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&halo), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        set(info, "mpi_assert_no_any_tag", rank ? "false" : "true");
        CHECK_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &left), MPI_SUCCESS); /* never freed */
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
