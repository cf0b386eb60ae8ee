/* ranks: 1 2 4  timeout: 60  also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* Buffered sends: room for exactly n messages of s + MPI_BSEND_OVERHEAD bytes, overflow, levels of buffers,
 * MPI_BUFFER_AUTOMATIC, flush and detach. */
#include "check.h"

enum {
    COUNT = 10,
    LARGE = 200000, /* never eager: stays in the buffer until it is received */
    ENTRY = LARGE + MPI_BSEND_OVERHEAD
};

static int rank, size, to, from;
static char *out, *in;

static void receive(int tag, int base)
{
    MPI_Status status;
    int count = 0;

    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Recv(in, LARGE, MPI_CHAR, from, tag, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    MPI_Get_count(&status, MPI_CHAR, &count);
    CHECK_EQ(count, LARGE);
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(in[i], (char)(base + i));
}

static int send(int tag, int base)
{
    int error;

    for (int i = 0; i < LARGE; i++)
        out[i] = (char)(base + i);
    error = MPI_Bsend(out, LARGE, MPI_CHAR, to, tag, MPI_COMM_WORLD);
    memset(out, 0, LARGE); /* the message is a copy */
    return error;
}

static void detach(const void *expected, int expected_size)
{
    void *buffer = NULL;
    int bytes = -1;

    CHECK_EQ(MPI_Buffer_detach(&buffer, &bytes), MPI_SUCCESS);
    CHECK(buffer == expected);
    CHECK_EQ(bytes, expected_size);
}

/* COUNT messages fit exactly, one more does not, and none is lost. */
static void exact(void)
{
    char *buffer = malloc(COUNT * ENTRY + 1);

    CHECK_EQ(MPI_Buffer_attach(buffer + 1, COUNT * ENTRY), MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            CHECK_EQ(send(i, i), MPI_SUCCESS);
        CHECK_EQ(send(COUNT, 0), MPI_ERR_BUFFER);
        MPI_Barrier(MPI_COMM_WORLD);
        for (int i = COUNT - 1; i >= 0; i--)
            receive(i, i);
        CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    detach(buffer + 1, COUNT * ENTRY);
    free(buffer);
}

/* The place of a message that has been received is used again. */
static void holes(void)
{
    char *buffer = malloc(3 * ENTRY);

    CHECK_EQ(MPI_Buffer_attach(buffer, 3 * ENTRY), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(send(i, i), MPI_SUCCESS);
    receive(1, 1);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_EQ(send(3, 3), MPI_SUCCESS);
    CHECK_EQ(send(4, 4), MPI_ERR_BUFFER);
    MPI_Barrier(MPI_COMM_WORLD);
    receive(3, 3);
    receive(2, 2);
    receive(0, 0);
    detach(buffer, 3 * ENTRY);
    free(buffer);
}

static void small_messages(void)
{
    enum {
        MANY = 2000,
        BYTES = MANY * ((int)sizeof(int) + MPI_BSEND_OVERHEAD)
    };
    char *buffer = malloc(BYTES);
    int value;

    CHECK_EQ(MPI_Buffer_attach(buffer, BYTES), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(MPI_Bsend(&i, 1, MPI_INT, to, 7, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < MANY; i++) {
        CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(value, i);
    }
    detach(buffer, BYTES);
    free(buffer);
}

static void too_small(void)
{
    char buffer[64];
    void *at;
    int bytes;

    CHECK_EQ(MPI_Bsend(out, 0, MPI_CHAR, to, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Bsend(out, 5, MPI_CHAR, MPI_PROC_NULL, 1, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_detach(&at, &bytes), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Buffer_flush(), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Buffer_attach(buffer, -1), MPI_ERR_ARG);
    CHECK_EQ(MPI_Buffer_attach(NULL, 5), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Buffer_attach(NULL, 0), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend(out, 0, MPI_CHAR, to, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    detach(NULL, 0);
    CHECK_EQ(MPI_Buffer_attach(buffer, sizeof buffer), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_attach(buffer, sizeof buffer), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Bsend(out, 64, MPI_CHAR, to, 1, MPI_COMM_WORLD), MPI_ERR_BUFFER);
    detach(buffer, sizeof buffer);
}

/* The communicator's buffer is used alone, though the process has one with room. */
static void levels(void)
{
    char *of_process = malloc(ENTRY), *of_comm = malloc(2 * ENTRY);
    MPI_Count bytes = -1;
    MPI_Comm dup;
    void *at;

    CHECK_EQ(MPI_Buffer_attach(of_process, ENTRY), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, of_comm, 2 * ENTRY), MPI_SUCCESS);
    CHECK_EQ(send(0, 0), MPI_SUCCESS);
    CHECK_EQ(send(1, 1), MPI_SUCCESS);
    CHECK_EQ(send(2, 2), MPI_ERR_BUFFER);
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    CHECK_EQ(MPI_Bsend(out, LARGE, MPI_CHAR, to, 1, dup),
             MPI_SUCCESS); /* no buffer of its own: the process' */
    CHECK_EQ(MPI_Comm_detach_buffer(dup, &at, &(int){0}), MPI_ERR_BUFFER);
    receive(1, 1);
    receive(0, 0);
    CHECK_EQ(MPI_Recv(in, LARGE, MPI_CHAR, from, 1, dup, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_detach_buffer_c(MPI_COMM_WORLD, &at, &bytes), MPI_SUCCESS);
    CHECK(at == of_comm && bytes == 2 * ENTRY);
    CHECK_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    CHECK_EQ(send(3, 3), MPI_SUCCESS);
    receive(3, 3);
    detach(of_process, ENTRY);
    MPI_Comm_free(&dup);
    free(of_comm);
    free(of_process);
}

static void automatic(void)
{
    MPI_Request r, flush;
    void *at = NULL;
    int bytes = -1, flag = 0, value = 5;

    CHECK_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, -1), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0), MPI_ERR_BUFFER);
    for (int i = 0; i < 2 * COUNT; i++)
        CHECK_EQ(send(i, i), MPI_SUCCESS);
    CHECK_EQ(MPI_Ibsend(&value, 1, MPI_INT, to, 99, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_iflush(&flush), MPI_SUCCESS);
    CHECK_EQ(MPI_Test(&flush, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 * COUNT; i++)
        receive(i, i);
    CHECK_EQ(MPI_Recv(&value, 1, MPI_INT, from, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_detach(&at, &bytes), MPI_SUCCESS);
    CHECK(at == MPI_BUFFER_AUTOMATIC && bytes == 0);
    CHECK_EQ(MPI_Comm_attach_buffer_c(MPI_COMM_WORLD, MPI_BUFFER_AUTOMATIC, 0), MPI_SUCCESS);
    CHECK_EQ(send(0, 0), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &flush), MPI_SUCCESS);
    receive(0, 0);
    CHECK_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &flush), MPI_SUCCESS);
    CHECK_EQ(MPI_Test(&flush, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &at, &bytes), MPI_SUCCESS);
}

/* A flush waits for what was sent before it, and for nothing else: that a later message has gone does not
 * end it. */
static void flush_waits_for_its_own(void)
{
    char *buffer = malloc(2 * ENTRY);
    MPI_Request flush;
    int flag = -1;

    CHECK_EQ(MPI_Buffer_attach(buffer, 2 * ENTRY), MPI_SUCCESS);
    CHECK_EQ(send(0, 0), MPI_SUCCESS);
    CHECK_EQ(MPI_Buffer_iflush(&flush), MPI_SUCCESS);
    CHECK_EQ(send(1, 1), MPI_SUCCESS);
    receive(1, 1);
    while (send(2, 2) != MPI_SUCCESS) /* there is room when the later one has gone */
        ;
    CHECK_EQ(MPI_Test(&flush, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    receive(0, 0);
    CHECK_EQ(MPI_Wait(&flush, MPI_STATUS_IGNORE), MPI_SUCCESS); /* while message 2 is still there */
    MPI_Barrier(MPI_COMM_WORLD);
    receive(2, 2);
    detach(buffer, 2 * ENTRY);
    free(buffer);
}

/* Detach waits for a receiver that is late. */
static void late_receiver(void)
{
    char *buffer = malloc(ENTRY);

    CHECK_EQ(MPI_Buffer_attach_c(buffer, ENTRY), MPI_SUCCESS);
    if (rank == 0 && size > 1) {
        CHECK_EQ(MPI_Bsend(out, LARGE, MPI_CHAR, 1, 11, MPI_COMM_WORLD), MPI_SUCCESS);
    } else if (rank == 1) {
        for (double end = MPI_Wtime() + 0.2; MPI_Wtime() < end;)
            ;
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_CHAR, 0, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    detach(buffer, ENTRY);
    memset(buffer, 0xff, ENTRY);
    if (rank == 1)
        for (int i = 0; i < LARGE; i++)
            CHECK_EQ(in[i], 0);
    free(buffer);
}

static void persistent(void)
{
    char *buffer = malloc(1000);
    MPI_Request r;
    int value = 0, got = 0;

    CHECK_EQ(MPI_Bsend_init(&value, 1, MPI_INT, to, 2, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&r), MPI_ERR_BUFFER);
    CHECK_EQ(MPI_Buffer_attach(buffer, 1000), MPI_SUCCESS);
    for (value = 1; value < 10; value++) {
        CHECK_EQ(MPI_Start(&r), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, value);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    detach(buffer, 1000);
    CHECK_EQ(MPI_Request_free(&r), MPI_SUCCESS);
    free(buffer);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = calloc(1, LARGE);
    in = calloc(1, LARGE);
    too_small();
    exact();
    holes();
    small_messages();
    levels();
    automatic();
    flush_waits_for_its_own();
    late_receiver();
    persistent();
    free(in);
    free(out);
    /* Left to MPI_Finalize, which sends what is in the buffer. */
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
    MPI_Finalize();
    return 0;
}
