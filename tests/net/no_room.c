/* no_room TRANSPORT: whatever rank 0 sends, reads or writes finds no room in the transport once, in everything of MPI that sends.
 * Everything arrives all the same, and nothing is left behind. See tests/mpi/sweep.h.
 *
 * The members send, read and write of the transport's table are replaced by others that answer false at times. */
#include "mpi/sweep.h"
#include "net/net.h"
#include "net/transport.h"

#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)
#define RETURN_IF(call)                                                                                      \
    do {                                                                                                     \
        int code_ = (call);                                                                                  \
        if (code_)                                                                                           \
            return code_;                                                                                    \
    } while (0)

enum {
    MOST = 100000, /* integers: several pieces of any protocol */
    REFUSALS = 3,  /* of one message, before there is room */
    LEAST = 50     /* of all steps */
};

static int rank, size, other;
static int out[MOST], in[MOST];
static MPI_Comm line, inter;
static MPI_Datatype gaps;
static char path[128];

static struct transport before; /* the table as it was */
static atomic_long until_refused;
static atomic_int refusals_left;
static const char *_Atomic refused;

static bool is_refused(const char *name)
{
    if (atomic_load(&refusals_left) > 0) {
        atomic_fetch_sub(&refusals_left, 1);
        return true;
    }
    if (atomic_load(&until_refused) <= 0 || atomic_fetch_sub(&until_refused, 1) != 1)
        return false;
    atomic_store(&refused, name);
    atomic_store(&refusals_left, REFUSALS - 1);
    return true;
}

static bool send_sometimes(struct peer *peer, const struct message *message, const void *payload)
{
    return !is_refused("send") && before.send(peer, message, payload);
}

static bool read_sometimes(struct peer *peer, void *to, const struct exposed *from, uint64_t offset,
                           size_t bytes, const struct message *done)
{
    return !is_refused("read") && before.read(peer, to, from, offset, bytes, done);
}

static bool write_sometimes(struct peer *peer, const void *from, const struct exposed *to, uint64_t offset,
                            size_t bytes, const struct message *done)
{
    return !is_refused("write") && before.write(peer, from, to, offset, bytes, done);
}

/* The table is constant: its page is made writable. */
static void stand_between(const struct transport *transport)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = (uintptr_t)transport / page * page;
    struct transport *table = (struct transport *)(uintptr_t)transport;

    CHECK_EQ(mprotect((void *)begin, (uintptr_t)(transport + 1) - begin, PROT_READ | PROT_WRITE), 0);
    before = *transport;
    table->send = send_sometimes;
    table->read = before.read ? read_sometimes : NULL;
    table->write = before.write ? write_sometimes : NULL;
}

static void arm(long n)
{
    if (n)
        atomic_store(&refused, NULL);
    atomic_store(&refusals_left, 0);
    atomic_store(&until_refused, rank == 0 ? n : 0);
}

static const char *failed(void)
{
    return refused;
}

static void fill(void)
{
    for (int i = 0; i < MOST; i++) {
        out[i] = rank * MOST + i;
        in[i] = -1;
    }
}

static int checked(int code, int count, int from)
{
    for (int i = 0; i < count && !code; i++)
        CHECK_EQ(in[i], from * MOST + i);
    return code;
}

static int ping_pong(int count, MPI_Datatype type,
                     int (*send)(const void *, int, MPI_Datatype, int, int, MPI_Comm))
{
    for (int turn = 0; turn < 2; turn++) {
        fill();
        if (turn == rank)
            RETURN_IF(send(out, count, type, other, 5, MPI_COMM_WORLD));
        else
            RETURN_IF(checked(MPI_Recv(in, count, type, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                              type == MPI_INT ? count : 1, other));
    }
    return MPI_SUCCESS;
}

static int messages(void)
{
    static const int counts[] = {0, 1, 100, 3000, 20000, MOST};

    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); i++) {
        RETURN_IF(ping_pong(counts[i], MPI_INT, MPI_Send));
        RETURN_IF(ping_pong(counts[i], MPI_INT, MPI_Ssend));
    }
    return ping_pong(1, gaps, MPI_Send);
}

static int buffered(void)
{
    static char room[20000 * sizeof(int) + MPI_BSEND_OVERHEAD];
    void *at;
    int bytes;

    OK(MPI_Buffer_attach(room, sizeof room));
    RETURN_IF(ping_pong(5000, MPI_INT, MPI_Bsend));
    return MPI_Buffer_detach(&at, &bytes);
}

static int many(void)
{
    MPI_Request request[20];

    fill();
    for (int i = 0; i < 10; i++) {
        RETURN_IF(MPI_Irecv(in + i, 1, MPI_INT, other, i, MPI_COMM_WORLD, &request[i]));
        RETURN_IF(MPI_Isend(out + i, 1, MPI_INT, other, i, MPI_COMM_WORLD, &request[10 + i]));
    }
    return checked(MPI_Waitall(20, request, MPI_STATUSES_IGNORE), 10, other);
}

static int probed(void)
{
    MPI_Message message;
    MPI_Request request;

    fill();
    RETURN_IF(MPI_Isend(out, MOST, MPI_INT, other, 2, MPI_COMM_WORLD, &request));
    RETURN_IF(MPI_Mprobe(MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE));
    RETURN_IF(MPI_Mrecv(in, MOST, MPI_INT, &message, MPI_STATUS_IGNORE));
    return checked(MPI_Wait(&request, MPI_STATUS_IGNORE), MOST, other);
}

static int persistent(void)
{
    MPI_Request request[2];

    OK(MPI_Send_init(out, 20000, MPI_INT, other, 3, MPI_COMM_WORLD, &request[0]));
    OK(MPI_Recv_init(in, 20000, MPI_INT, other, 3, MPI_COMM_WORLD, &request[1]));
    for (int i = 0; i < 2; i++) {
        fill();
        RETURN_IF(MPI_Startall(2, request));
        RETURN_IF(checked(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), 20000, other));
    }
    OK(MPI_Request_free(&request[0]));
    return MPI_Request_free(&request[1]);
}

static int partitioned(void)
{
    MPI_Request request[2];

    OK(MPI_Psend_init(out, 4, 5000, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request[0]));
    OK(MPI_Precv_init(in, 2, 10000, MPI_INT, other, 4, MPI_COMM_WORLD, MPI_INFO_NULL, &request[1]));
    fill();
    RETURN_IF(MPI_Startall(2, request));
    for (int p = 3; p >= 0; p--)
        RETURN_IF(MPI_Pready(p, request[0]));
    RETURN_IF(checked(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), 20000, other));
    OK(MPI_Request_free(&request[0]));
    return MPI_Request_free(&request[1]);
}

/* A send is taken back, or received, and another one takes its place. */
static int cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag, theirs;

    fill();
    RETURN_IF(MPI_Issend(out, MOST, MPI_INT, other, 6, MPI_COMM_WORLD, &request));
    RETURN_IF(MPI_Cancel(&request));
    RETURN_IF(MPI_Wait(&request, &status));
    OK(MPI_Test_cancelled(&status, &flag));
    RETURN_IF(MPI_Sendrecv(&flag, 1, MPI_INT, other, 7, &theirs, 1, MPI_INT, other, 7, MPI_COMM_WORLD,
                           MPI_STATUS_IGNORE));
    if (!theirs)
        RETURN_IF(
            checked(MPI_Recv(in, MOST, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MOST, other));
    fill();
    return checked(
        MPI_Sendrecv(out, 1, MPI_INT, other, 6, in, 1, MPI_INT, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
        1, other);
}

static int use_window(MPI_Win win)
{
    int sum = -1, one = 1;

    fill();
    RETURN_IF(MPI_Win_fence(0, win));
    RETURN_IF(MPI_Put(out, MOST, MPI_INT, other, 0, MOST, MPI_INT, win));
    RETURN_IF(MPI_Win_fence(0, win));
    RETURN_IF(MPI_Win_lock(MPI_LOCK_SHARED, other, 0, win));
    RETURN_IF(MPI_Get(in, MOST, MPI_INT, other, 0, MOST, MPI_INT, win));
    RETURN_IF(MPI_Win_unlock(other, win));
    RETURN_IF(checked(MPI_SUCCESS, MOST, rank));
    RETURN_IF(MPI_Barrier(MPI_COMM_WORLD));
    RETURN_IF(MPI_Win_lock_all(0, win));
    RETURN_IF(MPI_Accumulate(out, 1000, MPI_INT, other, 0, 1000, MPI_INT, MPI_SUM, win));
    RETURN_IF(MPI_Put(out, 1, gaps, other, 2000, 1, gaps, win));
    RETURN_IF(MPI_Win_flush(other, win));
    RETURN_IF(MPI_Fetch_and_op(&one, &sum, MPI_INT, other, 1, MPI_SUM, win));
    RETURN_IF(MPI_Win_unlock_all(win));
    CHECK_EQ(sum, 2 * out[1]);
    return MPI_Win_fence(0, win);
}

static int windows(void)
{
    static int memory[MOST];
    MPI_Win win;
    void *at;

    RETURN_IF(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    RETURN_IF(use_window(win));
    RETURN_IF(MPI_Win_free(&win));
    RETURN_IF(MPI_Win_allocate(sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &at, &win));
    RETURN_IF(use_window(win));
    return MPI_Win_free(&win);
}

static int post_and_start(void)
{
    static int memory[MOST];
    MPI_Group world, one;
    MPI_Win win;

    RETURN_IF(MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &other, &one));
    RETURN_IF(MPI_Win_post(one, 0, win));
    RETURN_IF(MPI_Win_start(one, 0, win));
    fill();
    RETURN_IF(MPI_Put(out, MOST, MPI_INT, other, 0, MOST, MPI_INT, win));
    RETURN_IF(MPI_Win_complete(win));
    RETURN_IF(MPI_Win_wait(win));
    for (int i = 0; i < MOST; i++)
        CHECK_EQ(memory[i], other * MOST + i);
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&one));
    return MPI_Win_free(&win);
}

static int collectives(void)
{
    static const int counts[] = {1, 1000, MOST / 2};

    for (int i = 0; i < 3; i++) {
        int n = counts[i];

        fill();
        RETURN_IF(MPI_Barrier(MPI_COMM_WORLD));
        RETURN_IF(MPI_Allreduce(out, in, n, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
        RETURN_IF(checked(MPI_SUCCESS, n, 1));
        RETURN_IF(MPI_Bcast(rank ? in : out, n, MPI_INT, 0, MPI_COMM_WORLD));
        RETURN_IF(rank ? checked(MPI_SUCCESS, n, 0) : MPI_SUCCESS);
        RETURN_IF(MPI_Allgather(out, n, MPI_INT, in, n, MPI_INT, MPI_COMM_WORLD));
        CHECK(in[0] == 0 && in[n] == MOST && in[2 * n - 1] == MOST + n - 1);
        RETURN_IF(MPI_Alltoall(out, n / 2, MPI_INT, in, n / 2, MPI_INT, MPI_COMM_WORLD));
        RETURN_IF(MPI_Reduce_scatter_block(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(in[0], MOST + 2 * rank * n);
        RETURN_IF(MPI_Exscan(out, in, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        RETURN_IF(MPI_Neighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, line));
        RETURN_IF(MPI_Allreduce(out, in, n, MPI_INT, MPI_MAX, inter));
        RETURN_IF(checked(MPI_SUCCESS, n, other));
    }
    return MPI_SUCCESS;
}

static int nonblocking(void)
{
    MPI_Request request[3];

    fill();
    RETURN_IF(MPI_Ibarrier(MPI_COMM_WORLD, &request[0]));
    RETURN_IF(MPI_Iallreduce(out, in, MOST / 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request[1]));
    RETURN_IF(MPI_Igather(out, 1, MPI_INT, in + MOST - 2, 1, MPI_INT, 0, MPI_COMM_WORLD, &request[2]));
    return checked(MPI_Waitall(3, request, MPI_STATUSES_IGNORE), MOST / 2, 1);
}

static int objects(void)
{
    MPI_Comm comm, more;

    RETURN_IF(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    RETURN_IF(MPI_Comm_split(comm, rank, 0, &more));
    OK(MPI_Comm_free(&more));
    RETURN_IF(MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &more));
    OK(MPI_Comm_free(&more));
    RETURN_IF(MPI_Intercomm_merge(inter, rank, &more));
    OK(MPI_Comm_free(&more));
    RETURN_IF(MPI_Comm_create_group(comm, MPI_GROUP_EMPTY, 0, &more));
    return MPI_Comm_disconnect(&comm);
}

static int files(void)
{
    MPI_File file;

    RETURN_IF(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                            MPI_INFO_NULL, &file));
    fill();
    RETURN_IF(
        MPI_File_set_view(file, rank * (MPI_Offset)sizeof(int), MPI_INT, gaps, "native", MPI_INFO_NULL));
    RETURN_IF(MPI_File_write_at_all(file, 0, out, MOST / 2, MPI_INT, MPI_STATUS_IGNORE));
    RETURN_IF(MPI_File_read_at_all(file, 0, in, MOST / 2, MPI_INT, MPI_STATUS_IGNORE));
    RETURN_IF(checked(MPI_SUCCESS, MOST / 2, rank));
    RETURN_IF(MPI_File_write_ordered(file, out, 10, MPI_INT, MPI_STATUS_IGNORE));
    return MPI_File_close(&file);
}

static const struct step steps[] = {
    {.name = "messages", .run = messages},
    {.name = "buffered", .run = buffered},
    {.name = "many", .run = many},
    {.name = "probed", .run = probed},
    {.name = "persistent", .run = persistent},
    {.name = "partitioned", .run = partitioned},
    {.name = "cancelled", .run = cancelled},
    {.name = "windows", .run = windows},
    {.name = "post_and_start", .run = post_and_start},
    {.name = "collectives", .run = collectives},
    {.name = "nonblocking", .run = nonblocking},
    {.name = "objects", .run = objects},
    {.name = "files", .run = files},
};

static void set_up(int *argc, char ***argv)
{
    MPI_Comm self;
    long number = getpid();

    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    CHECK_EQ(size, 2);
    other = 1 - rank;
    MPI_Bcast(&number, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    snprintf(path, sizeof path, "/dev/shm/tested_no_room.%ld", number);
    MPI_Type_create_resized(MPI_INT, 0, 2 * (MPI_Aint)sizeof(int), &gaps);
    MPI_Type_commit(&gaps);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, (int[]){1}, 0, &line);
    MPI_Comm_split(MPI_COMM_WORLD, rank, 0, &self);
    MPI_Intercomm_create(self, 0, MPI_COMM_WORLD, other, 1, &inter);
    MPI_Comm_free(&self);
}

int main(int argc, char **argv)
{
    const struct transport *transport;
    long failures = 0;

    failing = (struct failing){arm, failed};
    set_up(&argc, &argv);
    transport = net_transport(other); /* processes are numbered as the ranks of the world */
    CHECK(argc > 1 && strcmp(transport->name, argv[1]) == 0);
    stand_between(transport);
    for (size_t s = 0; s < sizeof steps / sizeof *steps; s++)
        if (argc < 3 || strcmp(argv[2], steps[s].name) == 0) {
            take_step(&steps[s]);
            failures += sweep_failures;
        }
    if (rank == 0)
        printf("%ld times no room\n", failures);
    CHECK(argc > 2 || failures > LEAST); /* the transport is used */
    MPI_Type_free(&gaps);
    MPI_Comm_free(&line);
    MPI_Comm_free(&inter);
    return MPI_Finalize();
}
