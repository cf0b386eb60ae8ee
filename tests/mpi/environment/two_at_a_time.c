/* ranks: 2 3  timeout: 60  also: INKLING_CMA=false  also: INKLING_TRANSPORT=ofi */
/* Two of everything at a time: what belongs to one is never the other's, in whatever order they are used and end. Ranks beyond the
 * second take part where all must. */
#include "check.h"

#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    COUNT = 30000, /* integers: not eager */
    A = 0,
    B = 1
};

static int rank, size, other; /* of the first two */
static int out[2][COUNT], in[2][COUNT];
static char path[2][64];

static void fill(void)
{
    for (int i = 0; i < COUNT; i++)
        for (int k = A; k <= B; k++) {
            out[k][i] = (10 * rank + k) * COUNT + i;
            in[k][i] = -1;
        }
}

/* What came in is what the rank had in `out[k]`. */
static void check(const int *got, int count, int from, int k)
{
    for (int i = 0; i < count; i++)
        CHECK_EQ(got[i], (10 * from + k) * COUNT + i);
}

/* The same tag for both, or one each: matched in the order in which they were made. */
static void partitioned(void)
{
    for (int tags = 1; tags <= 2; tags++) {
        MPI_Request send[2], receive[2];

        for (int k = A; k <= B; k++) {
            OK(MPI_Psend_init(out[k], 4, COUNT / 4, MPI_INT, other, k % tags, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &send[k]));
            OK(MPI_Precv_init(in[k], 3, COUNT / 3, MPI_INT, other, k % tags, MPI_COMM_WORLD, MPI_INFO_NULL,
                              &receive[k]));
        }
        for (int turn = 0; turn < 2; turn++) {
            fill();
            OK(MPI_Startall(2, receive));
            OK(MPI_Start(&send[B]));
            OK(MPI_Start(&send[A]));
            for (int p = 0; p < 8; p++)
                OK(MPI_Pready(3 - p / 2, send[p % 2]));
            OK(MPI_Wait(&receive[B], MPI_STATUS_IGNORE));
            check(in[B], COUNT, other, B);
            OK(MPI_Wait(&receive[A], MPI_STATUS_IGNORE));
            check(in[A], COUNT, other, A);
            OK(MPI_Waitall(2, send, MPI_STATUSES_IGNORE));
        }
        for (int k = A; k <= B; k++) {
            OK(MPI_Request_free(&send[k]));
            OK(MPI_Request_free(&receive[k]));
        }
    }
}

/* Requests of one kind, received in the other order by their tags. */
static void persistent(void)
{
    MPI_Request request[4];

    for (int k = A; k <= B; k++) {
        OK(MPI_Send_init(out[k], COUNT, MPI_INT, other, k, MPI_COMM_WORLD, &request[k]));
        OK(MPI_Recv_init(in[k], COUNT, MPI_INT, other, k, MPI_COMM_WORLD, &request[3 - k]));
    }
    for (int turn = 0; turn < 2; turn++) {
        fill();
        OK(MPI_Startall(4, request));
        OK(MPI_Waitall(4, request, MPI_STATUSES_IGNORE));
        check(in[A], COUNT, other, A);
        check(in[B], COUNT, other, B);
    }
    for (int i = 0; i < 4; i++)
        OK(MPI_Request_free(&request[i]));
}

static void matched(void)
{
    MPI_Request send[2];
    MPI_Message message[2];

    fill();
    for (int k = A; k <= B; k++)
        OK(MPI_Isend(out[k], k ? COUNT : 5, MPI_INT, other, 1, MPI_COMM_WORLD, &send[k]));
    for (int k = A; k <= B; k++)
        OK(MPI_Mprobe(other, 1, MPI_COMM_WORLD, &message[k], MPI_STATUS_IGNORE));
    for (int k = B; k >= A; k--)
        OK(MPI_Mrecv(in[k], COUNT, MPI_INT, &message[k], MPI_STATUS_IGNORE));
    check(in[A], 5, other, A);
    check(in[B], COUNT, other, B);
    OK(MPI_Waitall(2, send, MPI_STATUSES_IGNORE));
}

/* Buffers of a communicator and of the process. */
static void buffers(MPI_Comm comm)
{
    static char room[2][COUNT * sizeof(int) + MPI_BSEND_OVERHEAD];
    void *at;
    int bytes;

    fill();
    OK(MPI_Buffer_attach(room[A], sizeof room[A]));
    OK(MPI_Comm_attach_buffer(comm, room[B], sizeof room[B]));
    OK(MPI_Bsend(out[A], COUNT, MPI_INT, other, 0, MPI_COMM_WORLD));
    OK(MPI_Bsend(out[B], COUNT, MPI_INT, other, 0, comm));
    OK(MPI_Recv(in[B], COUNT, MPI_INT, other, 0, comm, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in[A], COUNT, MPI_INT, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(in[A], COUNT, other, A);
    check(in[B], COUNT, other, B);
    OK(MPI_Comm_detach_buffer(comm, &at, &bytes));
    CHECK(at == room[B] && bytes == (int)sizeof room[B]);
    OK(MPI_Buffer_detach(&at, &bytes));
    CHECK(at == room[A] && bytes == (int)sizeof room[A]);
}

static void communicators(MPI_Comm comm)
{
    MPI_Request send[2];

    fill();
    OK(MPI_Isend(out[A], COUNT, MPI_INT, other, 9, MPI_COMM_WORLD, &send[A]));
    OK(MPI_Isend(out[B], COUNT, MPI_INT, other, 9, comm, &send[B]));
    OK(MPI_Recv(in[B], COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, MPI_STATUS_IGNORE));
    OK(MPI_Recv(in[A], COUNT, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(in[A], COUNT, other, A);
    check(in[B], COUNT, other, B);
    OK(MPI_Waitall(2, send, MPI_STATUSES_IGNORE));
}

static void first(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    memcpy(b, a, (size_t)*count * sizeof(int));
}

static void greatest(void *a, void *b, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        if (((int *)a)[i] > ((int *)b)[i])
            ((int *)b)[i] = ((int *)a)[i];
}

/* Of one communicator or of two: with an operation each, ended in the other order. */
static void collectives(MPI_Comm comm)
{
    MPI_Comm comms[] = {comm, MPI_COMM_WORLD};
    MPI_Op op[2];

    OK(MPI_Op_create(first, 0, &op[A]));
    OK(MPI_Op_create(greatest, 1, &op[B]));
    for (int kind = 0; kind < 4; kind++) {
        MPI_Comm second = comms[kind % 2];
        MPI_Request request[2];

        for (int turn = 0; turn < 2; turn++) {
            fill();
            if (kind < 2) {
                OK(MPI_Iallreduce(out[A], in[A], COUNT, MPI_INT, op[A], comm, &request[A]));
                OK(MPI_Iallreduce(out[B], in[B], COUNT, MPI_INT, op[B], second, &request[B]));
            } else {
                if (turn == 0) {
                    OK(MPI_Allreduce_init(out[A], in[A], COUNT, MPI_INT, op[A], comm, MPI_INFO_NULL,
                                          &request[A]));
                    OK(MPI_Allreduce_init(out[B], in[B], COUNT, MPI_INT, op[B], second, MPI_INFO_NULL,
                                          &request[B]));
                }
                OK(MPI_Start(&request[B]));
                OK(MPI_Start(&request[A]));
            }
            OK(MPI_Wait(&request[B], MPI_STATUS_IGNORE));
            OK(MPI_Wait(&request[A], MPI_STATUS_IGNORE));
            check(in[B], COUNT, size - 1, B);
            check(in[A], COUNT, 0, A);
        }
        for (int k = A; k <= B && kind >= 2; k++)
            OK(MPI_Request_free(&request[k]));
    }
    OK(MPI_Op_free(&op[A]));
    OK(MPI_Op_free(&op[B]));
}

/* Over memory of their own, with an epoch of another kind each. */
static void windows(void)
{
    static int memory[2][COUNT];
    MPI_Win win[2];
    MPI_Group world, pair;

    fill();
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &other, &pair));
    OK(MPI_Win_create(memory[A], sizeof memory[A], sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win[A]));
    OK(MPI_Win_create(memory[B], sizeof memory[B], 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win[B]));
    if (rank < 2) {
        OK(MPI_Win_post(pair, 0, win[B]));
        OK(MPI_Win_start(pair, 0, win[B]));
        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, other, 0, win[A]));
        OK(MPI_Put(out[B], COUNT - 1, MPI_INT, other, sizeof(int), COUNT - 1, MPI_INT, win[B]));
        OK(MPI_Put(out[A], COUNT - 1, MPI_INT, other, 1, COUNT - 1, MPI_INT, win[A]));
        OK(MPI_Win_complete(win[B]));
        OK(MPI_Win_unlock(other, win[A]));
        OK(MPI_Win_wait(win[B]));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win[B]));
    OK(MPI_Win_free(&win[A]));
    if (rank < 2) {
        check(memory[A] + 1, COUNT - 1, other, A);
        check(memory[B] + 1, COUNT - 1, other, B);
    }
    OK(MPI_Group_free(&pair));
    OK(MPI_Group_free(&world));
}

/* Over one memory: the second window begins in its middle. */
static void windows_of_one_memory(void)
{
    static int memory[2 * COUNT];
    MPI_Win win[2];

    fill();
    OK(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win[A]));
    OK(MPI_Win_create(memory + COUNT, sizeof memory / 2, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD,
                      &win[B]));
    for (int k = A; k <= B; k++)
        OK(MPI_Win_fence(0, win[k]));
    for (int k = B; k >= A && rank < 2; k--)
        OK(MPI_Put(out[k], COUNT, MPI_INT, other, 0, COUNT, MPI_INT, win[k]));
    for (int k = A; k <= B; k++)
        OK(MPI_Win_fence(0, win[k]));
    for (int k = A; k <= B && rank < 2; k++)
        check(memory + k * COUNT, COUNT, other, k);
    OK(MPI_Win_free(&win[A]));
    OK(MPI_Win_free(&win[B]));
}

/* Of two names, or twice the same: views, pointers and what is under way are each handle's own. */
static void files(void)
{
    for (int names = 1; names <= 2; names++) {
        MPI_File file[2];
        MPI_Request request[2];
        MPI_Offset at;
        MPI_Aint stride = 2 * (MPI_Aint)sizeof(int);
        MPI_Datatype every_second;

        fill();
        OK(MPI_Type_create_resized(MPI_INT, 0, stride * size, &every_second));
        OK(MPI_Type_commit(&every_second));
        for (int k = A; k <= B; k++) {
            OK(MPI_File_open(MPI_COMM_WORLD, path[k % names], MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL,
                             &file[k]));
            OK(MPI_File_set_view(file[k], (2 * rank + k) * (MPI_Offset)sizeof(int), MPI_INT, every_second,
                                 "native", MPI_INFO_NULL));
        }
        OK(MPI_File_write_all_begin(file[A], out[A], COUNT, MPI_INT));
        OK(MPI_File_iwrite(file[B], out[B], COUNT, MPI_INT, &request[B]));
        OK(MPI_File_write_all_end(file[A], out[A], MPI_STATUS_IGNORE));
        OK(MPI_Wait(&request[B], MPI_STATUS_IGNORE));
        OK(MPI_File_seek(file[A], 3, MPI_SEEK_SET));
        OK(MPI_File_get_position(file[B], &at));
        CHECK_EQ(at, COUNT);
        OK(MPI_Barrier(MPI_COMM_WORLD));
        for (int k = B; k >= A; k--) {
            OK(MPI_File_read_at_all(file[k], 0, in[k], COUNT, MPI_INT, MPI_STATUS_IGNORE));
            check(in[k], COUNT, rank, k);
        }
        OK(MPI_File_get_position(file[A], &at));
        CHECK_EQ(at, 3);
        OK(MPI_File_close(&file[A]));
        OK(MPI_File_read_at(file[B], 0, in[B], 1, MPI_INT, MPI_STATUS_IGNORE));
        check(in[B], 1, rank, B);
        OK(MPI_File_close(&file[B]));
        OK(MPI_Type_free(&every_second));
        if (rank == 0)
            for (int k = 0; k < names; k++)
                OK(MPI_File_delete(path[k], MPI_INFO_NULL));
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* Named each; the second is called first. */
static void ports(void)
{
    static const char *const service[] = {"two_at_a_time A", "two_at_a_time B"};
    char port[2][MPI_MAX_PORT_NAME];
    MPI_Comm comm[2];
    MPI_Info info; /* names of this job, which other runs of this test do not see */

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "inkling_name_scope", "job"));
    for (int k = A; k <= B && rank == 0; k++) {
        OK(MPI_Open_port(MPI_INFO_NULL, port[k]));
        OK(MPI_Publish_name(service[k], info, port[k]));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int k = B; k >= A && rank < 2; k--) {
        int got = -1, mine = 100 * rank + k;

        if (rank == 0) {
            OK(MPI_Comm_accept(port[k], MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm[k]));
        } else {
            OK(MPI_Lookup_name(service[k], info, port[k]));
            OK(MPI_Comm_connect(port[k], MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm[k]));
        }
        OK(MPI_Sendrecv(&mine, 1, MPI_INT, 0, k, &got, 1, MPI_INT, 0, k, comm[k], MPI_STATUS_IGNORE));
        CHECK_EQ(got, 100 * other + k);
    }
    for (int k = A; k <= B && rank < 2; k++)
        OK(MPI_Comm_disconnect(&comm[k]));
    for (int k = A; k <= B && rank == 0; k++) {
        OK(MPI_Unpublish_name(service[k], info, port[k]));
        OK(MPI_Close_port(port[k]));
    }
    OK(MPI_Info_free(&info));
}

/* The second goes on when the first has ended. */
static void sessions(void)
{
    MPI_Session session[2];
    MPI_Group group[2];
    MPI_Comm comm[2];
    int sum;

    for (int k = A; k <= B; k++) {
        OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session[k]));
        OK(MPI_Group_from_session_pset(session[k], "mpi://WORLD", &group[k]));
        OK(MPI_Comm_create_from_group(group[k], "two_at_a_time", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm[k]));
        OK(MPI_Group_free(&group[k]));
    }
    OK(MPI_Comm_free(&comm[A]));
    OK(MPI_Session_finalize(&session[A]));
    OK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm[B]));
    CHECK_EQ(sum, size * (size - 1) / 2);
    OK(MPI_Comm_free(&comm[B]));
    OK(MPI_Session_finalize(&session[B]));
}

static void intercommunicators(MPI_Comm comm)
{
    MPI_Comm half, inter[2];
    int got, mine = rank;

    OK(MPI_Comm_split(comm, rank == 0, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0, 3, &inter[A]));
    OK(MPI_Intercomm_create(half, 0, comm, rank == 0, 3, &inter[B]));
    for (int k = B; k >= A; k--) {
        OK(MPI_Allreduce(&mine, &got, 1, MPI_INT, MPI_MAX, inter[k]));
        CHECK_EQ(got, rank == 0 ? size - 1 : 0);
    }
    OK(MPI_Comm_free(&inter[A]));
    OK(MPI_Allreduce(&mine, &got, 1, MPI_INT, MPI_MIN, inter[B]));
    CHECK_EQ(got, rank == 0 ? 1 : 0);
    OK(MPI_Comm_free(&inter[B]));
    OK(MPI_Comm_free(&half));
}

static int last_handler;

static void handle_a(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    last_handler = A;
}

static void handle_b(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
    last_handler = B;
}

/* Error handlers, attributes, names and hints of two communicators. */
static void settings(MPI_Comm comm)
{
    MPI_Comm_errhandler_function *const handle[] = {handle_a, handle_b};
    static const char *const hint[] = {"mpi_assert_no_any_tag", "mpi_assert_no_any_source"};
    MPI_Comm made[2];
    MPI_Errhandler handler[2];
    MPI_Info info;
    int keyval[2], flag, length;
    char name[MPI_MAX_OBJECT_NAME], value[MPI_MAX_INFO_VAL];
    void *found;

    for (int k = A; k <= B; k++) {
        OK(MPI_Comm_dup(comm, &made[k]));
        OK(MPI_Comm_create_errhandler(handle[k], &handler[k]));
        OK(MPI_Comm_set_errhandler(made[k], handler[k]));
        OK(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval[k], NULL));
        OK(MPI_Comm_set_attr(made[k], keyval[k], out[k]));
        OK(MPI_Comm_set_name(made[k], hint[k]));
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, hint[k], "true"));
        OK(MPI_Comm_set_info(made[k], info));
        OK(MPI_Info_free(&info));
    }
    for (int k = B; k >= A; k--) {
        last_handler = -1;
        MPI_Send(NULL, 0, MPI_INT, size, 0, made[k]);
        CHECK_EQ(last_handler, k);
        for (int key = A; key <= B; key++) {
            OK(MPI_Comm_get_attr(made[k], keyval[key], &found, &flag));
            CHECK_EQ(flag, key == k);
            CHECK(!flag || found == out[k]);
            OK(MPI_Comm_get_info(made[k], &info));
            length = sizeof value;
            OK(MPI_Info_get_string(info, hint[key], &length, value, &flag));
            CHECK_EQ(flag && strcmp(value, "true") == 0, key == k);
            OK(MPI_Info_free(&info));
        }
        OK(MPI_Comm_get_name(made[k], name, &length));
        CHECK_STR(name, hint[k]);
    }
    for (int k = A; k <= B; k++) {
        OK(MPI_Errhandler_free(&handler[k]));
        OK(MPI_Comm_free(&made[k]));
        OK(MPI_Comm_free_keyval(&keyval[k]));
    }
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    long number = getpid();

    OK(MPI_Init(&argc, &argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD));
    other = rank == 0;
    for (int k = A; k <= B; k++)
        snprintf(path[k], sizeof path[k], "/dev/shm/tested_two_at_a_time.%ld.%d", number, k);
    if (rank < 2) {
        partitioned();
        persistent();
        matched();
        buffers(comm);
        communicators(comm);
    }
    collectives(comm);
    windows();
    windows_of_one_memory();
    files();
    ports();
    sessions();
    intercommunicators(comm);
    settings(comm);
    OK(MPI_Comm_free(&comm));
    return MPI_Finalize();
}
