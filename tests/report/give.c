/* give: gives hints of every fate, for report.py. `give none` gives none, `give kinds` one whose
 * value is a text, `give win` those of a window, `give left` those of one that is never freed, `give file` those
 * of a file, which is written and read in each way, `give promises` and `give across` those that have no effect on
 * some communicators. */
#include "check.h"

static void set(MPI_Info info, const char *key, const char *value)
{
    CHECK_EQ(MPI_Info_set(info, key, value), MPI_SUCCESS);
}

static void give_to_window(int rank, int is_left)
{
    MPI_Info info;
    MPI_Win win;
    void *base;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "no_locks", "true");
    set(info, "accumulate_ordering", "waw,rar");
    set(info, "mpi_accumulate_granularity", "8");
    set(info, "accumulate_ops", "any");
    set(info, "same_size", rank ? "false" : "true");
    set(info, "mpi_assert_no_any_tag", "true");
    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_name(win, "field"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "same_disp_unit", "true");
    CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    if (!is_left)
        CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

/* Promises whose effects depend on the communicator; `is_inter`: one between the two ranks. */
static void give_promises(int rank, int is_inter)
{
    MPI_Info info;
    MPI_Comm parent = MPI_COMM_WORLD, comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_allow_overtaking", "true");
    set(info, "mpi_assert_strict_persistent_collective_ordering", "true");
    if (is_inter)
        CHECK_EQ(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, 1 - rank, 0, &parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(parent, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    if (is_inter)
        CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Two ranks have a byte each in turn. */
static void give_to_file(int rank)
{
    MPI_Info info;
    MPI_File file;
    MPI_Datatype every_second;
    MPI_Request request;
    char bytes[100] = "";

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "romio_cb_write", "enable");
    set(info, "striping_factor", "4");
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, "reported",
                           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(100, 1, 2, MPI_CHAR, &every_second), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&every_second), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, rank, MPI_CHAR, every_second, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_File_write_all(file, bytes, 100, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at(file, 10, bytes, 50, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_iread_at(file, 80, bytes, 20, MPI_CHAR, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&every_second), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm halo, left;
    int rank, level;
    int out = 0, in[2];
    int is_inter = argc > 1 && strcmp(argv[1], "across") == 0;
    int has_promises = is_inter || (argc > 1 && strcmp(argv[1], "promises") == 0);

    CHECK_EQ(MPI_Init_thread(&argc, &argv, has_promises ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &level),
             MPI_SUCCESS);
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
        /* what the report's proofs count: two wildcards that are refused, a message of another length */
        CHECK_EQ(MPI_Comm_set_errhandler(halo, MPI_ERRORS_RETURN), MPI_SUCCESS);
        CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, 0, halo, in, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        CHECK_EQ(MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 0, halo, MPI_STATUS_IGNORE), MPI_ERR_RANK);
        CHECK_EQ(MPI_Sendrecv(&out, 1, MPI_INT, rank, 0, in, 2, MPI_INT, rank, 0, halo, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&halo), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        set(info, "mpi_assert_no_any_tag", rank ? "false" : "true");
        /* before the hint: not counted against it */
        CHECK_EQ(MPI_Iprobe(0, MPI_ANY_TAG, MPI_COMM_WORLD, in, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_SELF, info, &left), MPI_SUCCESS); /* never freed */
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    if (has_promises)
        give_promises(rank, is_inter);
    if (argc > 1 && strcmp(argv[1], "win") == 0)
        give_to_window(rank, 0);
    if (argc > 1 && strcmp(argv[1], "left") == 0)
        give_to_window(rank, 1);
    if (argc > 1 && strcmp(argv[1], "file") == 0)
        give_to_file(rank);
    if (argc > 1 && strcmp(argv[1], "kinds") == 0) {
        CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
        set(info, "mpi_assert_memory_alloc_kinds", "system");
        CHECK_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
