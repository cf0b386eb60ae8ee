/* ranks: 1 2 */
/* R12: a key that the library does not know is not reported, so that what is reported is in use; the
 * info object itself keeps it. */
#include "hints.h"

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm a;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    info = info_with("somebody_elses_key", "true");
    CHECK_EQ(MPI_Info_set(info, NO_ANY_TAG, "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "inkling_ring_size", "64K"), MPI_SUCCESS); /* a setting, no hint */
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &a), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_info(a, info), MPI_SUCCESS);
    CHECK_HINT(a, NO_ANY_TAG, "true");
    CHECK_NO_HINT(a, "somebody_elses_key");
    CHECK_NO_HINT(a, "inkling_ring_size");
    CHECK_STR(value_of(info, "somebody_elses_key"), "true");
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&a), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
