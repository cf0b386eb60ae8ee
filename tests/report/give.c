/* give: gives hints of every fate, for report.py. `give none` gives none, `give kinds` one whose value is a text,
 * `give win` those of a window, `give left` those of one that is never freed, `give file` those of a file, which is
 * written and read in each way, `give promises` and `give across` those that have no effect on some communicators,
 * `give idle_win` those that have none on a window, `give many` one on ten communicators, `give written` one that
 * large messages gain from, `give sessions` those of sessions, `give filed` promises to use no wildcard, on
 * communicators where messages wait or do not, `give accumulates` those about accumulates, on windows where they change
 * something or do not, `give slips` wrong values and values that differ, `give abort` and `give killed` some before the job ends so,
 * `give waits` before it waits to be ended. */
#include "check.h"

#include <signal.h>
#include <string.h>

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
    CHECK_EQ(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN), MPI_SUCCESS);
    if (rank == 0)
        CHECK_EQ(MPI_Win_lock_all(0, win), MPI_ERR_RMA_SYNC);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "same_disp_unit", "true");
    CHECK_EQ(MPI_Win_set_info(win, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    if (!is_left)
        CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

/* Hints that do nothing for a window of MPI_Win_allocate, or not alone. */
static void give_idle_to_window(void)
{
    MPI_Info info;
    MPI_Win win;
    void *base;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "same_size", "true");
    set(info, "alloc_shared_noncontig", "true");
    set(info, "mpi_minimum_memory_alignment", "16");
    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

/* A window with this hint, on which each rank replaces and adds doubles and integers in its own memory. */
static void accumulate_with(const char *name, const char *key, const char *value, int has_doubles,
                            int has_longs)
{
    MPI_Info info;
    MPI_Win win;
    void *base;
    double doubles[4] = {1, 2, 3, 4};
    long longs[4] = {1, 2, 3, 4};
    int rank;

    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, key, value);
    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_set_name(win, name), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    if (has_doubles) {
        CHECK_EQ(MPI_Accumulate(doubles, 1, MPI_DOUBLE, rank, 0, 1, MPI_DOUBLE, MPI_REPLACE, win),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Accumulate(doubles, 4, MPI_DOUBLE, rank, 0, 4, MPI_DOUBLE, MPI_REPLACE, win),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Accumulate(doubles, 0, MPI_DOUBLE, rank, 0, 0, MPI_DOUBLE, MPI_REPLACE, win),
                 MPI_SUCCESS);
    }
    if (has_longs) {
        CHECK_EQ(MPI_Accumulate(longs, 4, MPI_LONG, rank, 32, 4, MPI_LONG, MPI_SUM, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Compare_and_swap(&longs[1], &longs[0], &longs[2], MPI_LONG, rank, 32, win), MPI_SUCCESS);
        CHECK_EQ(MPI_Accumulate(longs, 4, MPI_LONG, rank, 1, 4, MPI_LONG, MPI_SUM, win), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
}

static void give_about_accumulates(void)
{
    accumulate_with("replaced", "accumulate_ops", "same_op", 1, 1);
    accumulate_with("summed", "accumulate_ops", "same_op", 0, 1);
    accumulate_with("coarse", "mpi_accumulate_granularity", "32", 1, 1);
    accumulate_with("doubles", "mpi_accumulate_granularity", "32", 1, 0);
    accumulate_with("fine", "mpi_accumulate_granularity", "4", 1, 1);
}

/* A communicator that forswears wildcards, on which so many messages of each rank to itself wait at a time. */
static void wait_on(const char *name, int rank, int messages)
{
    MPI_Info info;
    MPI_Comm comm;
    MPI_Request request[3];
    int out = 0, in;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_no_any_tag", "true");
    set(info, "mpi_assert_no_any_source", "true");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_name(comm, name), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int i = 0; i < messages; i++)
        CHECK_EQ(MPI_Isend(&out, 1, MPI_INT, rank, i, comm, &request[i]), MPI_SUCCESS);
    for (int i = messages - 1; i >= 0; i--)
        CHECK_EQ(MPI_Recv(&in, 1, MPI_INT, rank, i, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(messages, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* Three messages of 1 MiB each way: two whose receives are posted before, and one whose receive comes later. */
static void exchange(int rank, MPI_Comm comm)
{
    enum {
        BYTES = 1 << 20
    };
    static char out[BYTES], in[2][BYTES];
    MPI_Request request[2];

    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Irecv(in[i], BYTES, MPI_CHAR, 1 - rank, i, comm, &request[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Send(out, BYTES, MPI_CHAR, 1 - rank, i, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, BYTES, MPI_CHAR, 1 - rank, 2, comm, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(in[0], BYTES, MPI_CHAR, 1 - rank, 2, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
}

/* Rank 0 sends large messages, of which each finds its receive posted. */
static void give_to_receiver(int rank)
{
    enum {
        BYTES = 1 << 20
    };
    static char buffer[BYTES];
    MPI_Request request;
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_exact_length", "true");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int i = 0; i < 10; i++) {
        if (rank == 1)
            CHECK_EQ(MPI_Irecv(buffer, BYTES, MPI_CHAR, 0, 0, comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
        if (rank == 0)
            CHECK_EQ(MPI_Send(buffer, BYTES, MPI_CHAR, 1, 0, comm), MPI_SUCCESS);
        if (rank == 1)
            CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* Ten communicators with one promise; large messages over the first. */
static void give_to_many(int rank)
{
    MPI_Info info;
    MPI_Comm comm[10];
    char name[8];

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_exact_length", "true");
    for (int i = 0; i < 10; i++) {
        CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm[i]), MPI_SUCCESS);
        snprintf(name, sizeof name, "c%d", i);
        CHECK_EQ(MPI_Comm_set_name(comm[i], name), MPI_SUCCESS);
    }
    exchange(rank, comm[0]);
    for (int i = 0; i < 10; i++)
        CHECK_EQ(MPI_Comm_free(&comm[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_Session open_session(const char *level)
{
    MPI_Session session;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "thread_level", level);
    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_ARE_FATAL, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return session;
}

/* The last session is not finalized, and its communicator is not freed. */
static int give_to_sessions(void)
{
    MPI_Session session = open_session("MPI_THREAD_SINGLE");
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;

    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    session = open_session("MPI_THREAD_FUNNELED");
    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_no_any_tag", "true");
    CHECK_EQ(MPI_Comm_create_from_group(group, "given", info, MPI_ERRORS_ARE_FATAL, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    return 0;
}

/* Gives hints, and ends the job by MPI_Abort or a signal, or goes on until it is ended. */
static void give_and_die(int rank, const char *how)
{
    MPI_Info info;
    MPI_Win win;
    void *base;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_no_any_tag", "true");
    set(info, "no_locks", "true");
    CHECK_EQ(MPI_Comm_set_info(MPI_COMM_WORLD, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_allocate(64, 1, info, MPI_COMM_WORLD, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (rank == 1 && strcmp(how, "killed") == 0)
        raise(SIGKILL);
    if (rank == 0 && strcmp(how, "waits") == 0)
        printf("waits\n");
    fflush(stdout);
    do
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    while (strcmp(how, "waits") == 0);
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
    set(info, "access_style", "write_once");
    set(info, "romio_cb_read", "enable");
    set(info, "romio_ds_write", "enable");
    set(info, "ind_rd_buffer_size", "8192");
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

static void set_comm(MPI_Comm comm, const char *key, const char *value)
{
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, key, value);
    CHECK_EQ(MPI_Comm_set_info(comm, info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Each wrong value is told once for each object; of very many no more are told. */
static void give_slips(int rank)
{
    const char *order = "mpi_assert_strict_persistent_collective_ordering";
    MPI_Info info;
    MPI_Comm halo;
    MPI_Win win;
    void *base;
    char value[16];

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    set(info, "mpi_assert_exact_length", "maybe");
    set(info, "no_locks", "maybe");
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &halo), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_name(halo, "halo"), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_allocate(64, 1, info, halo, &base, &win), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        set_comm(halo, "mpi_assert_exact_length", "perhaps");
        set_comm(MPI_COMM_WORLD, "mpi_assert_exact_length", "perhaps");
        set_comm(halo, "mpi_assert_no_any_tga", "true");
        set_comm(halo, order, rank ? "true" : "false");
        set_comm(MPI_COMM_WORLD, order, rank ? "false" : "true");
    }
    for (int i = 0; i < 20; i++) {
        snprintf(value, sizeof value, "wrong%d", i);
        set_comm(halo, "mpi_assert_no_any_tag", value);
    }
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&halo), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Info info;
    MPI_Comm halo, left;
    int rank, level;
    int out = 0, in[2];
    int is_inter = argc > 1 && strcmp(argv[1], "across") == 0;
    int has_promises = is_inter || (argc > 1 && strcmp(argv[1], "promises") == 0);

    if (argc > 1 && strcmp(argv[1], "sessions") == 0)
        return give_to_sessions();
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
    if (argc > 1 && strcmp(argv[1], "idle_win") == 0)
        give_idle_to_window();
    if (argc > 1 && strcmp(argv[1], "accumulates") == 0)
        give_about_accumulates();
    if (argc > 1 && strcmp(argv[1], "filed") == 0) {
        wait_on("deep", rank, 3);
        wait_on("shallow", rank, 1);
    }
    if (argc > 1 && strcmp(argv[1], "slips") == 0)
        give_slips(rank);
    if (argc > 1 && strcmp(argv[1], "many") == 0)
        give_to_many(rank);
    if (argc > 1 && strcmp(argv[1], "written") == 0)
        give_to_receiver(rank);
    if (argc > 1 &&
        (strcmp(argv[1], "abort") == 0 || strcmp(argv[1], "killed") == 0 || strcmp(argv[1], "waits") == 0))
        give_and_die(rank, argv[1]);
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
