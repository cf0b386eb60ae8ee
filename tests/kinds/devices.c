/* devices: messages from and into memory that only a device reaches. The kind is the first one that was asked
 * for (INKLING_MEMORY_ALLOC_KINDS); where it is not there the test is skipped, but fails where it was pretended.
 * Linked with the library's objects, since it allocates through the table of kinds. EXPECT_IPC says whether
 * processes must import large messages from each other (yes), must not (no), or may (not set). */
#include "check.h"
#include "memory/ipc.h"
#include "memory/kind.h"
#include "pretended.h"

#include <pthread.h>

enum {
    LARGE = 300000,
    GUARD = 64
};

static const struct device *device;
static int rank, size, right, left;

static unsigned char byte_of(int of, int number, size_t at)
{
    return (unsigned char)(at * 7 + (at >> 10) + (size_t)number * 31 + (size_t)of * 101 + 1);
}

/* Buffers on either side: `bytes` and a guard behind them. */
static unsigned char *take(int on_device, size_t bytes)
{
    unsigned char *p = on_device ? device->alloc(bytes + GUARD) : malloc(bytes + GUARD);

    CHECK(p != NULL);
    return p;
}

static void give(int on_device, unsigned char *p)
{
    if (on_device)
        device->free(p);
    else
        free(p);
}

static void put(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (device->holds(to))
        CHECK_EQ(device->copy(to, from, bytes), MPI_SUCCESS);
    else
        memcpy(to, from, bytes);
}

static void get(unsigned char *to, const unsigned char *from, size_t bytes)
{
    if (device->holds(from))
        CHECK_EQ(device->copy(to, from, bytes), MPI_SUCCESS);
    else
        memcpy(to, from, bytes);
}

static void fill(unsigned char *p, int of, int number, size_t bytes)
{
    unsigned char *host = malloc(bytes + GUARD);

    for (size_t i = 0; i < bytes; i++)
        host[i] = byte_of(of, number, i);
    memset(host + bytes, 0xee, GUARD);
    put(p, host, bytes + GUARD);
    free(host);
}

static void blank(unsigned char *p, size_t bytes)
{
    unsigned char *host = malloc(bytes + GUARD);

    memset(host, 0xee, bytes + GUARD);
    put(p, host, bytes + GUARD);
    free(host);
}

static void expect(const unsigned char *p, int of, int number, size_t bytes)
{
    unsigned char *host = malloc(bytes + GUARD);

    get(host, p, bytes + GUARD);
    for (size_t i = 0; i < bytes; i++)
        CHECK_EQ(host[i], byte_of(of, number, i));
    for (size_t i = 0; i < GUARD; i++)
        CHECK_EQ(host[bytes + i], 0xee);
    free(host);
}

/* All sizes; both buffers, or one of them, are the device's. */
static void shift_by(size_t bytes, int number)
{
    for (int where = 0; where < 4; where++) {
        unsigned char *out = take(where & 1, bytes), *in = take(where & 2, bytes);
        MPI_Status status;
        int count;

        fill(out, rank, number, bytes);
        blank(in, bytes);
        CHECK_EQ(MPI_Sendrecv(out, (int)bytes, MPI_BYTE, right, number, in, (int)bytes, MPI_BYTE, left,
                              number, MPI_COMM_WORLD, &status),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Get_count(&status, MPI_BYTE, &count), MPI_SUCCESS);
        CHECK_EQ(count, bytes);
        expect(in, left, number, bytes);
        give(where & 1, out);
        give(where & 2, in);
    }
}

static void sizes(void)
{
    static const size_t bytes[] = {0, 1, 100, 4096, 4097, 65536, LARGE, 3 << 20};

    for (int i = 0; i < (int)(sizeof bytes / sizeof *bytes); i++)
        shift_by(bytes[i], i);
}

/* Every way to send, to a receive that a probe found or that waits. */
static void modes(void)
{
    static int (*const send[])(const void *, int, MPI_Datatype, int, int, MPI_Comm,
                               MPI_Request *) = {MPI_Isend, MPI_Issend, MPI_Ibsend};
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE), *buffer = malloc(2 * LARGE);
    MPI_Request request;
    MPI_Message message;
    MPI_Status status;

    CHECK_EQ(MPI_Buffer_attach(buffer, 2 * LARGE), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        for (int bytes = 10; bytes <= LARGE; bytes += LARGE - 10) {
            fill(out, rank, i, (size_t)bytes);
            blank(in, (size_t)bytes);
            CHECK_EQ(send[i](out, bytes, MPI_BYTE, right, i, MPI_COMM_WORLD, &request), MPI_SUCCESS);
            CHECK_EQ(MPI_Mprobe(left, i, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
            CHECK_EQ(MPI_Mrecv(in, bytes, MPI_BYTE, &message, &status), MPI_SUCCESS);
            CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
            expect(in, left, i, (size_t)bytes);
        }
    }
    CHECK_EQ(MPI_Buffer_detach(&buffer, &(int){0}), MPI_SUCCESS);
    fill(out, rank, 9, LARGE);
    CHECK_EQ(MPI_Sendrecv_replace(out, LARGE, MPI_BYTE, right, 9, left, 9, MPI_COMM_WORLD, &status),
             MPI_SUCCESS);
    expect(out, left, 9, LARGE);
    free(buffer);
    give(1, out);
    give(1, in);
}

/* Every other int of a row on the device, the rest of which stays as it is; into and from plain rows. */
static void types(void)
{
    enum {
        N = 3000
    };
    int host[2 * N];
    size_t bytes = sizeof host;
    unsigned char *out = take(1, bytes), *in = take(1, bytes);
    MPI_Datatype every_other;

    CHECK_EQ(MPI_Type_vector(N, 1, 2, MPI_INT, &every_other), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&every_other), MPI_SUCCESS);
    for (int i = 0; i < 2 * N; i++)
        host[i] = rank * 100000 + i;
    put(out, (unsigned char *)host, bytes);
    blank(in, bytes);
    CHECK_EQ(MPI_Sendrecv(out, 1, every_other, right, 0, in, 1, every_other, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    get((unsigned char *)host, in, bytes);
    for (int i = 0; i < 2 * N; i++)
        CHECK_EQ(host[i], i % 2 ? (int)0xeeeeeeee : left * 100000 + i);
    CHECK_EQ(MPI_Type_free(&every_other), MPI_SUCCESS);
    give(1, out);
    give(1, in);
}

static void rounds(MPI_Request *send, MPI_Request *recv, unsigned char *out, unsigned char *in,
                   int partitions)
{
    for (int round = 0; round < 3; round++) {
        fill(out, rank, round, LARGE);
        blank(in, LARGE);
        CHECK_EQ(MPI_Start(recv), MPI_SUCCESS);
        CHECK_EQ(MPI_Start(send), MPI_SUCCESS);
        for (int i = partitions; i-- > 0;)
            CHECK_EQ(MPI_Pready(i, *send), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(send, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(recv, MPI_STATUS_IGNORE), MPI_SUCCESS);
        expect(in, left, round, LARGE);
    }
    CHECK_EQ(MPI_Request_free(send), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(recv), MPI_SUCCESS);
}

static void persistent(void)
{
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE);
    MPI_Request send, recv;

    CHECK_EQ(MPI_Send_init(out, LARGE, MPI_BYTE, right, 0, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(in, LARGE, MPI_BYTE, left, 0, MPI_COMM_WORLD, &recv), MPI_SUCCESS);
    rounds(&send, &recv, out, in, 0);
    CHECK_EQ(MPI_Psend_init(out, 3, LARGE / 3, MPI_BYTE, right, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &send),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in, 3, LARGE / 3, MPI_BYTE, left, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &recv),
             MPI_SUCCESS);
    rounds(&send, &recv, out, in, 3);
    give(1, out);
    give(1, in);
}

/* What does not fit is an error, and the bytes behind the buffer are as they were. */
static void truncation(void)
{
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE);

    fill(out, rank, 0, LARGE);
    blank(in, LARGE);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(out, LARGE, MPI_BYTE, right, 0, in, LARGE / 2, MPI_BYTE, left, 0, MPI_COMM_WORLD,
                          MPI_STATUS_IGNORE),
             MPI_ERR_TRUNCATE);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    expect(in, left, 0, LARGE / 2);
    give(1, out);
    give(1, in);
}

/* Every way that a collective moves or combines data, on device memory, in place too. */
static void collectives(void)
{
    enum {
        COUNT = 20000
    };
    int *host = malloc(COUNT * sizeof *host * (size_t)size);
    size_t bytes = COUNT * sizeof *host;
    unsigned char *out = take(1, bytes * (size_t)size), *in = take(1, bytes * (size_t)size);
    MPI_Request request;

    for (int i = 0; i < COUNT; i++)
        host[i] = rank + i;
    put(out, (unsigned char *)host, bytes);
    CHECK_EQ(MPI_Allreduce(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    get((unsigned char *)host, in, bytes);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(host[i], size * i + size * (size - 1) / 2);
    CHECK_EQ(MPI_Iallreduce(MPI_IN_PLACE, out, 10, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Scan(out, in, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    get((unsigned char *)host, in, bytes);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(host[i], i < 10 ? (rank + 1) * (i + size - 1) : (rank + 1) * i + rank * (rank + 1) / 2);
    CHECK_EQ(MPI_Bcast(in, COUNT, MPI_INT, size - 1, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Allgather(in, COUNT, MPI_INT, out, COUNT, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Alltoall(out, COUNT, MPI_INT, in, COUNT, MPI_INT, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Reduce_scatter_block(in, out, COUNT, MPI_INT, MPI_MIN, MPI_COMM_WORLD), MPI_SUCCESS);
    get((unsigned char *)host, out, bytes);
    for (int i = 0; i < COUNT; i++)
        CHECK_EQ(host[i], i < 10 ? size * (i + size - 1) : size * i + size * (size - 1) / 2);
    free(host);
    give(1, out);
    give(1, in);
}

/* A thread of the program that has never spoken to the device. */
static void *use(void *argument)
{
    int tag = (int)(intptr_t)argument;
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE);

    for (int i = 0; i < 10; i++) {
        fill(out, rank, tag, LARGE);
        blank(in, LARGE);
        CHECK_EQ(MPI_Sendrecv(out, LARGE, MPI_BYTE, right, tag, in, LARGE, MPI_BYTE, left, tag,
                              MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        expect(in, left, tag, LARGE);
    }
    give(1, out);
    give(1, in);
    return NULL;
}

static void threads(void)
{
    pthread_t thread[3];

    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, use, (void *)(intptr_t)i), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* How often a driver is asked where memory lies, for one message. */
static unsigned long looks_of_message(MPI_Comm comm)
{
    unsigned char out[100] = {0}, in[100];
    unsigned long before = test_kind_looks();

    CHECK_EQ(MPI_Sendrecv(out, 100, MPI_BYTE, right, 0, in, 100, MPI_BYTE, left, 0, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    return test_kind_looks() - before;
}

/* mpi_assert_memory_alloc_kinds: where all kinds are the host's, nobody asks. */
static void assertion(void)
{
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system,mpi:alloc_mem"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(looks_of_message(comm), 0);
    if (device == &test_device)
        CHECK(looks_of_message(MPI_COMM_WORLD) >= 2);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

/* Where messages of different tags may overtake each other, each tag takes a way of its own. */
static void overtaking(void)
{
    enum {
        TAGS = 9
    };
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE);
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_allow_overtaking", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (int tag = 0; tag < TAGS; tag++) {
        fill(out, rank, tag, LARGE);
        blank(in, LARGE);
        CHECK_EQ(MPI_Sendrecv(out, LARGE, MPI_BYTE, right, tag, in, LARGE, MPI_BYTE, left, tag, comm,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        expect(in, left, tag, LARGE);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    give(1, out);
    give(1, in);
}

/* One that names a kind that is not there is ignored as a whole: memory of all kinds goes. */
static void ignored_assertion(void)
{
    unsigned char *out = take(1, LARGE), *in = take(1, LARGE);
    int *sum = (int *)(void *)out, *all = (int *)(void *)in, one = 1, got;
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system,granite"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    fill(out, rank, 4, LARGE);
    blank(in, LARGE);
    CHECK_EQ(
        MPI_Sendrecv(out, LARGE, MPI_BYTE, right, 0, in, LARGE, MPI_BYTE, left, 0, comm, MPI_STATUS_IGNORE),
        MPI_SUCCESS);
    expect(in, left, 4, LARGE);
    put(out, (unsigned char *)&one, sizeof one);
    CHECK_EQ(MPI_Allreduce(sum, all, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    get((unsigned char *)&got, in, sizeof got);
    CHECK_EQ(got, size);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    give(1, out);
    give(1, in);
}

/* Device memory on a communicator that was promised none. Data that lie there are an error of the program,
 * but nothing looks at them before they move: not the checks of arguments, not what is only set up. */
static void not_asked_for(void)
{
    unsigned char *p = take(1, LARGE);
    MPI_Request request;
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(p, 0, MPI_BYTE, right, 0, p, 0, MPI_BYTE, left, 0, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Send(p, LARGE, MPI_BYTE, MPI_PROC_NULL, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(p, LARGE, MPI_BYTE, size, 0, comm), MPI_ERR_RANK);
    CHECK_EQ(MPI_Bcast(p, 0, MPI_BYTE, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(p, LARGE, MPI_BYTE, right, 0, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(p, LARGE, MPI_BYTE, left, 0, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(p, LARGE, MPI_BYTE, left, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Cancel(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    give(1, p);
}

/* One large message around the ring, from `at` in a block to a buffer on the host or the device. */
static void pass(const unsigned char *out, int number, int to_device, MPI_Comm comm)
{
    unsigned char *in = take(to_device, LARGE);

    blank(in, LARGE);
    CHECK_EQ(MPI_Sendrecv(out, LARGE, MPI_BYTE, right, number, in, LARGE, MPI_BYTE, left, number, comm,
                          MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    expect(in, left, number, LARGE);
    give(to_device, in);
}

static int expects_ipc(const char *answer)
{
    const char *expected = getenv("EXPECT_IPC");

    return expected && strcmp(expected, answer) == 0;
}

/* What is expected of messages that came: that the driver was asked to import, or was not. */
static void check_asked(unsigned long before, int is_imported, unsigned long most)
{
    unsigned long asked = ipc_import_calls() - before;

    CHECK(asked <= most);
    if (is_imported && size > 1 && expects_ipc("yes"))
        CHECK(asked > 0);
    if (size == 1 || expects_ipc("no"))
        CHECK_EQ(asked, 0);
}

/* A block is imported once, whatever part of it is sent and wherever that is received. */
static void imported_once(void)
{
    unsigned char *out = take(1, 4 * LARGE);
    unsigned long before = ipc_import_calls();

    ipc_forget_all();
    for (int i = 0; i < 12; i++) {
        unsigned char *at = out + (i % 4) * LARGE / 4 * 3;

        fill(at, rank, i, LARGE);
        pass(at, i, i < 8, MPI_COMM_WORLD);
    }
    check_asked(before, 1, 1);
    give(1, out);
}

/* Blocks that are freed and allocated again at the same place; and more of them than are kept. */
static void blocks_come_and_go(void)
{
    unsigned char *block[IPC_IMPORTS_MAX + 10];

    for (int i = 0; i < 40; i++) {
        block[0] = take(1, LARGE);
        fill(block[0], rank, i, LARGE);
        pass(block[0], i, 1, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD); /* nobody reads it any more */
        give(1, block[0]);
    }
    for (int i = 0; i < IPC_IMPORTS_MAX + 10; i++) {
        block[i] = take(1, LARGE);
        fill(block[i], rank, i, LARGE);
    }
    for (int i = 0; i < 2 * (IPC_IMPORTS_MAX + 10); i++)
        pass(block[i % (IPC_IMPORTS_MAX + 10)], i % (IPC_IMPORTS_MAX + 10), 1, MPI_COMM_WORLD);
    CHECK(ipc_import_count() <= IPC_IMPORTS_MAX);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < IPC_IMPORTS_MAX + 10; i++)
        give(1, block[i]);
}

/* Into rows with gaps, on the device and on the host; more than fits. */
static void lent_to_types(void)
{
    enum {
        N = LARGE / (int)sizeof(int)
    };
    size_t bytes = 2 * N * sizeof(int);
    unsigned char *out = take(1, LARGE);
    int *host = malloc(bytes);
    MPI_Datatype every_other;

    CHECK_EQ(MPI_Type_vector(N, 1, 2, MPI_INT, &every_other), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&every_other), MPI_SUCCESS);
    for (int i = 0; i < N; i++)
        host[i] = rank * 1000000 + i;
    put(out, (unsigned char *)host, LARGE);
    for (int on_device = 0; on_device < 2; on_device++) {
        unsigned char *in = take(on_device, bytes);

        blank(in, bytes);
        CHECK_EQ(MPI_Sendrecv(out, N, MPI_INT, right, 0, in, 1, every_other, left, 0, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        get((unsigned char *)host, in, bytes);
        for (int i = 0; i < 2 * N; i++)
            CHECK_EQ(host[i], i % 2 ? (int)0xeeeeeeee : left * 1000000 + i / 2);
        give(on_device, in);
    }
    CHECK_EQ(MPI_Type_free(&every_other), MPI_SUCCESS);
    free(host);
    give(1, out);
}

/* Odd ranks promise memory of the host alone: their driver is not asked, and the message comes all the same.
 */
static void lent_to_who_has_no_device(void)
{
    unsigned char *out = take(1, LARGE), *in = take(0, LARGE);
    unsigned long before = ipc_import_calls();
    int is_odd = rank % 2;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Info info;
    MPI_Comm comm;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    if (is_odd)
        CHECK_EQ(MPI_Info_set(info, "mpi_assert_memory_alloc_kinds", "system"), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    fill(out, rank, 1, LARGE);
    blank(in, LARGE);
    if (!is_odd && right % 2)
        CHECK_EQ(MPI_Isend(out, LARGE, MPI_BYTE, right, 1, comm, &request), MPI_SUCCESS);
    if (is_odd) {
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, left, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
        expect(in, left, 1, LARGE);
    }
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(ipc_import_calls(), before);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    give(1, out);
    give(0, in);
}

/* Drivers that do not export or import: the test kind's, on all ranks or on some. */
static void refusals(void)
{
    unsigned char *out = take(1, LARGE);

    fill(out, rank, 2, LARGE);
    for (unsigned refused = 0; refused < 4 * 2; refused++) {
        unsigned long before = ipc_import_calls();

        MPI_Barrier(MPI_COMM_WORLD);
        ipc_forget_all();
        test_kind_refuse(refused < 4 || rank % 2 ? refused % 4 : 0);
        MPI_Barrier(MPI_COMM_WORLD);
        pass(out, 2, 1, MPI_COMM_WORLD);
        pass(out, 2, 0, MPI_COMM_WORLD);
        check_asked(before, !(refused & REFUSE_EXPORT), 1);
        if (refused < 4 && refused & REFUSE_EXPORT)
            CHECK_EQ(ipc_import_calls(), before);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    test_kind_refuse(0);
    ipc_forget_all();
    give(1, out);
}

/* The sender's device fails after the message was offered: an error on both sides. */
static void sender_fails(void)
{
    unsigned char *out = take(1, LARGE), *in = take(0, LARGE);
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Barrier(MPI_COMM_WORLD);
    ipc_forget_all();
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    test_kind_refuse(rank == 0 ? REFUSE_COPY : REFUSE_IMPORT);
    if (rank == 0) {
        CHECK_EQ(MPI_Isend(out, LARGE, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    } else if (rank == 1) {
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_ERR_OTHER);
    }
    test_kind_refuse(0);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL), MPI_SUCCESS);
    MPI_Barrier(MPI_COMM_WORLD);
    ipc_forget_all();
    give(1, out);
    give(0, in);
}

static void exporting(void)
{
    imported_once();
    blocks_come_and_go();
    lent_to_types();
    lent_to_who_has_no_device();
    if (device == &test_device) {
        refusals();
        if (size > 1 && expects_ipc("yes"))
            sender_fails();
    }
}

/* The kind's name, if MPI_COMM_WORLD supports it. */
static int find_kind(char *name, size_t room)
{
    const char *asked = getenv("INKLING_MEMORY_ALLOC_KINDS");
    char kinds[MPI_MAX_INFO_VAL + 1];
    int length = sizeof kinds, found;
    MPI_Info info;

    CHECK(asked != NULL);
    snprintf(name, room, "%.*s", (int)strcspn(asked, ","), asked);
    CHECK_EQ(MPI_Comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, "mpi_memory_alloc_kinds", &length, kinds, &found), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    for (char *kind = strtok(kinds, ","); kind; kind = strtok(NULL, ","))
        if (strcmp(kind, name) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    char name[64];
    int provided, there;

    CHECK_EQ(MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    there = find_kind(name, sizeof name);
    if (there) {
        for (int id = 0; id < KIND_COUNT; id++)
            if (strcmp(kind_table[id].name, name) == 0)
                device = kind_table[id].device;
        CHECK(device != NULL);
        sizes();
        modes();
        types();
        persistent();
        truncation();
        collectives();
        threads();
        assertion();
        overtaking();
        ignored_assertion();
        not_asked_for();
        exporting();
        printf("rank %d borrowed %lu times from the others\n", rank, ipc_import_calls());
    } else if (rank == 0) {
        CHECK(!is_pretended());
        printf("skipped: no %s here\n", name);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    CHECK_EQ(ipc_import_count(), 0);
    return there ? 0 : 77;
}
