/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* A message that is longer than its receive: MPI_ERR_TRUNCATE with a note that names the lengths, the buffer
 * filled and not overrun, the sender unharmed, later messages fine. The array forms return MPI_ERR_IN_STATUS
 * and the class of each. */
#include "p2p.h"

enum {
    LARGE = 300000
};

static unsigned char *out, *in;
static int to, from;

/* Sends `bytes` round the ring without waiting. */
static MPI_Request start(int bytes, int tag)
{
    MPI_Request request;

    fill(out, (size_t)bytes, 1);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, tag, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    return request;
}

static void check_cut(int room)
{
    CHECK_EQ(find_wrong(in, (size_t)room, 1), -1);
    CHECK_EQ(in[room], 0xee);
    CHECK_EQ(in[room + 1], 0xee);
}

static void expect_note(int code, int bytes, int room)
{
    char word[100];

    snprintf(word, sizeof word, "%d bytes arrived from rank %d with tag 1 for a receive of %d bytes", bytes,
             from, room);
    CHECK_CODE(code, MPI_ERR_TRUNCATE, word);
}

static void blocking(int bytes, int room)
{
    MPI_Request request = start(bytes, 1);
    MPI_Status status;
    int count;

    memset(in, 0xee, LARGE + 2);
    status.MPI_SOURCE = status.MPI_TAG = -77;
    expect_note(MPI_Recv(in, room, MPI_BYTE, from, 1, MPI_COMM_WORLD, &status), bytes, room);
    CHECK_EQ(status.MPI_SOURCE, from);
    CHECK_EQ(status.MPI_TAG, 1);
    MPI_Get_count(&status, MPI_BYTE, &count);
    CHECK_EQ(count, room);
    check_cut(room);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void posted(int bytes, int room)
{
    MPI_Request request, send;
    MPI_Status status;

    memset(in, 0xee, LARGE + 2);
    CHECK_EQ(MPI_Irecv(in, room, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    send = start(bytes, 1);
    expect_note(MPI_Wait(&request, &status), bytes, room);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    check_cut(room);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void fine_afterwards(int bytes)
{
    MPI_Request request = start(bytes, 1);
    MPI_Status status;

    memset(in, 0xee, LARGE + 2);
    CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, from, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
    CHECK_STATUS(&status, from, 1, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 1), -1);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

enum {
    MANY = 6 /* requests 1 and 4 are cut; 5 is null */
};

static void start_many(MPI_Request *sends, MPI_Request *receives, unsigned char (*small)[8])
{
    static const int lengths[MANY] = {4, 8, 0, LARGE, LARGE - 10, 0}, rooms[MANY] = {8, 5, 8, LARGE, 100, 0};

    fill(out, LARGE, 1);
    for (int i = 0; i < MANY - 1; i++) {
        CHECK_EQ(MPI_Irecv(i == 3   ? in
                           : i == 4 ? in + LARGE
                                    : small[i],
                           rooms[i], MPI_BYTE, from, i, MPI_COMM_WORLD, &receives[i]),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Isend(out, lengths[i], MPI_BYTE, to, i, MPI_COMM_WORLD, &sends[i]), MPI_SUCCESS);
    }
    receives[MANY - 1] = MPI_REQUEST_NULL;
}

static void check_errors(const MPI_Status *statuses, const int *index, int count)
{
    for (int k = 0; k < count; k++) {
        int i = index ? index[k] : k, class = -1;

        MPI_Error_class(statuses[k].MPI_ERROR, &class);
        CHECK_EQ(class, i == 1 || i == 4 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    }
}

static void waitall(void)
{
    MPI_Request sends[MANY], receives[MANY];
    MPI_Status statuses[MANY];
    unsigned char small[MANY][8];

    for (int i = 0; i < MANY; i++)
        statuses[i].MPI_ERROR = -77;
    start_many(sends, receives, small);
    CHECK_CODE(MPI_Waitall(MANY, receives, statuses), MPI_ERR_IN_STATUS, "request 1 of 6");
    check_errors(statuses, NULL, MANY);
    for (int i = 0; i < MANY; i++)
        CHECK_EQ(receives[i], MPI_REQUEST_NULL);
    CHECK_STATUS(&statuses[0], from, 0, 4);
    CHECK_STATUS(&statuses[3], from, 3, LARGE);
    CHECK_EMPTY(&statuses[5]);
    statuses[0].MPI_ERROR = -77;
    CHECK_EQ(MPI_Waitall(MANY - 1, sends, statuses), MPI_SUCCESS);
    CHECK_EQ(statuses[0].MPI_ERROR, -77); /* untouched: nothing failed */
}

static void testall(void)
{
    MPI_Request sends[MANY], receives[MANY];
    MPI_Status statuses[MANY];
    unsigned char small[MANY][8];
    int flag = 0, code = MPI_SUCCESS;

    start_many(sends, receives, small);
    while (!flag)
        code = MPI_Testall(MANY, receives, &flag, statuses);
    CHECK_CODE(code, MPI_ERR_IN_STATUS, "");
    check_errors(statuses, NULL, MANY);
    CHECK_EQ(MPI_Waitall(MANY - 1, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Waitsome, or Testsome. */
static void some(int testing)
{
    MPI_Request sends[MANY], receives[MANY];
    MPI_Status statuses[MANY];
    unsigned char small[MANY][8];
    int indices[MANY], count = 0, failed = 0, done = 0;

    start_many(sends, receives, small);
    while (done < MANY - 1) {
        int code = testing ? MPI_Testsome(MANY, receives, &count, indices, statuses)
                           : MPI_Waitsome(MANY, receives, &count, indices, statuses);

        CHECK(testing || count > 0);
        done += count;
        if (code) {
            CHECK_CODE(code, MPI_ERR_IN_STATUS, "");
            check_errors(statuses, indices, count);
            failed = 1;
        }
    }
    CHECK(failed);
    CHECK_EQ(MPI_Waitall(MANY - 1, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

static void any(void)
{
    MPI_Request sends[MANY], receives[MANY];
    unsigned char small[MANY][8];
    int index, failed = 0;

    start_many(sends, receives, small);
    for (int n = 0; n < MANY - 1; n++) {
        int code = MPI_Waitany(MANY, receives, &index, MPI_STATUS_IGNORE);

        CHECK(index >= 0 && index < MANY - 1);
        CHECK_EQ(code != MPI_SUCCESS, index == 1 || index == 4);
        if (code)
            CHECK_CODE(code, MPI_ERR_TRUNCATE, index == 1 ? "8 bytes arrived" : "299990 bytes arrived");
        failed += code != MPI_SUCCESS;
    }
    CHECK_EQ(failed, 2);
    CHECK_EQ(MPI_Waitall(MANY - 1, sends, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* The handler that is called is that of the receive's communicator. */
static int calls;

static void count_call(MPI_Comm *comm, int *code, ...)
{
    int class = -1;

    MPI_Error_class(*code, &class);
    calls += *comm != MPI_COMM_WORLD && class == MPI_ERR_TRUNCATE;
}

static void handler_of_the_communicator(void)
{
    MPI_Errhandler handler;
    MPI_Request request, send;
    MPI_Comm other;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_errhandler(count_call, &handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(other, handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in, 2, MPI_BYTE, from, 1, other, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, 20, MPI_BYTE, to, 1, other, &send), MPI_SUCCESS);
    CHECK_CODE(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE, "20 bytes");
    CHECK_EQ(calls, 1);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&other), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    static const int lengths[] = {1, 40, 41, 4096, LARGE};

    MPI_Init(&argc, &argv);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = malloc(LARGE + 100);
    in = malloc(2 * LARGE);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; i++) {
        blocking(lengths[i], 0);
        blocking(lengths[i], lengths[i] / 2);
        fine_afterwards(lengths[i]);
        posted(lengths[i], 0);
        posted(lengths[i], lengths[i] - 1);
        fine_afterwards(LARGE);
    }
    waitall();
    testall();
    some(0);
    some(1);
    any();
    handler_of_the_communicator();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
