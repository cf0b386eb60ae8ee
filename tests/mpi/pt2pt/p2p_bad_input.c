/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K also: INKLING_EAGER_LIMIT=0 */
/* What a program does wrong with messages and requests, where other tests do not look: the forms of receiving
 * that cut a message, requests in arrays that were freed, started or never started, partitions, buffers
 * that are too small or given back early, and what has matched and is cancelled. Each has the outcome that
 * the standard names, and a right call afterwards works. */
#include "p2p.h"

enum {
    LARGE = 300000,
    ROOM = 100
};

static unsigned char *out, *in;
static int to, from;

static const int lengths[] = {ROOM + 8, LARGE};

/* Cut: matched probe, and both halves of a sendrecv. */

static void cut_matched(int bytes, int immediate)
{
    MPI_Request send, receive;
    MPI_Message message;
    MPI_Status status;
    int code;

    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 1, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(from, 1, MPI_COMM_WORLD, &message, &status), MPI_SUCCESS);
    CHECK_STATUS(&status, from, 1, bytes);
    memset(in, 0xee, LARGE);
    if (immediate) {
        CHECK_EQ(MPI_Imrecv(in, ROOM, MPI_BYTE, &message, &receive), MPI_SUCCESS);
        code = MPI_Wait(&receive, &status);
    } else {
        code = MPI_Mrecv(in, ROOM, MPI_BYTE, &message, &status);
    }
    CHECK_CODE(code, MPI_ERR_TRUNCATE, "for a receive of 100 bytes");
    CHECK_EQ(message, MPI_MESSAGE_NULL);
    CHECK_EQ(find_wrong(in, ROOM, 1), -1);
    CHECK_EQ(in[ROOM], 0xee);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void cut_sendrecv(int bytes, int immediate)
{
    MPI_Request request;
    MPI_Status status;
    int code;

    memset(in, 0xee, LARGE);
    if (immediate) {
        CHECK_EQ(
            MPI_Isendrecv(out, bytes, MPI_BYTE, to, 2, in, ROOM, MPI_BYTE, from, 2, MPI_COMM_WORLD, &request),
            MPI_SUCCESS);
        code = MPI_Wait(&request, &status);
    } else {
        code =
            MPI_Sendrecv(out, bytes, MPI_BYTE, to, 2, in, ROOM, MPI_BYTE, from, 2, MPI_COMM_WORLD, &status);
    }
    CHECK_CODE(code, MPI_ERR_TRUNCATE, "for a receive of 100 bytes");
    CHECK_EQ(find_wrong(in, ROOM, 1), -1);
    CHECK_EQ(in[ROOM], 0xee);
}

static void cut_persistent(int bytes)
{
    MPI_Request r[2];
    MPI_Status status[2];
    int class = -1;

    CHECK_EQ(MPI_Recv_init(in, ROOM, MPI_BYTE, from, 3, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Send_init(out, bytes, MPI_BYTE, to, 3, MPI_COMM_WORLD, &r[1]), MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        memset(in, 0xee, LARGE);
        CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
        CHECK_CODE(MPI_Waitall(2, r, status), MPI_ERR_IN_STATUS, "request 0 of 2");
        MPI_Error_class(status[0].MPI_ERROR, &class);
        CHECK_EQ(class, MPI_ERR_TRUNCATE);
        CHECK_EQ(status[1].MPI_ERROR, MPI_SUCCESS);
        CHECK_EQ(in[ROOM], 0xee);
    }
    CHECK_EQ(MPI_Request_free(&r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r[1]), MPI_SUCCESS);
}

/* Requests. */

static void freed_persistent(void)
{
    MPI_Request good, dead[2];
    MPI_Status status;
    int x = 7, y = 0, flag = -1, indices[2];

    CHECK_EQ(MPI_Send_init(&x, 1, MPI_INT, to, 4, MPI_COMM_WORLD, &good), MPI_SUCCESS);
    dead[0] = good;
    CHECK_EQ(MPI_Request_free(&good), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv_init(&y, 1, MPI_INT, from, 4, MPI_COMM_WORLD, &good), MPI_SUCCESS);
    dead[1] = good;
    CHECK_CODE(MPI_Start(&dead[0]), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Startall(2, dead), MPI_ERR_REQUEST, "freed"); /* starts neither */
    CHECK_CODE(MPI_Cancel(&dead[0]), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Test(&dead[0], &flag, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Pready(0, dead[0]), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Waitall(2, dead, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Waitany(2, dead, &flag, &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Waitsome(2, dead, &flag, indices, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Testall(2, dead, &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Testany(2, dead, &flag, &indices[0], &status), MPI_ERR_REQUEST, "freed");
    CHECK_CODE(MPI_Testsome(2, dead, &flag, indices, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST, "freed");
    CHECK_EQ(MPI_Start(&good), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(&x, 1, MPI_INT, to, 4, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&good, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(y, 7);
    CHECK_EQ(MPI_Request_free(&good), MPI_SUCCESS);
}

/* A send that waits for its receive, in every mode that can. */
static void double_start(void)
{
    MPI_Request send[2], receive;

    CHECK_EQ(MPI_Send_init(out, LARGE, MPI_BYTE, to, 5, MPI_COMM_WORLD, &send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Ssend_init(out, 1, MPI_BYTE, to, 5, MPI_COMM_WORLD, &send[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(2, send), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_CODE(MPI_Start(&send[i]), MPI_ERR_REQUEST, "");
    CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(find_wrong(in, LARGE, 1), -1);
    CHECK_EQ(MPI_Recv(in, 1, MPI_BYTE, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(2, send, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in, 1, MPI_BYTE, from, 5, MPI_COMM_WORLD, &receive), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&send[1]), MPI_SUCCESS); /* complete, so it may */
    CHECK_EQ(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&send[1], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&send[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&send[1]), MPI_SUCCESS);
}

/* None was started: all forms of completion return at once, and the requests stay. */
static void never_started(void)
{
    MPI_Request r[3], same[3];
    MPI_Status status[3];
    int x = 0, index = 0, flag = 0, count = 0, indices[3];

    CHECK_EQ(MPI_Recv_init(&x, 1, MPI_INT, from, 6, MPI_COMM_WORLD, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(&x, 1, 1, MPI_INT, MPI_PROC_NULL, 6, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend_init(&x, 1, MPI_INT, to, 6, MPI_COMM_WORLD, &r[2]), MPI_SUCCESS);
    memcpy(same, r, sizeof r);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Wait(&r[i], &status[i]), MPI_SUCCESS);
        CHECK_EMPTY(&status[i]);
    }
    CHECK_EQ(MPI_Testall(3, r, &flag, status), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Testany(3, r, &index, &flag, status), MPI_SUCCESS);
    CHECK(flag == 1 && index == MPI_UNDEFINED);
    CHECK_EMPTY(&status[0]);
    CHECK_EQ(MPI_Waitsome(3, r, &count, indices, status), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    CHECK_EQ(MPI_Testsome(3, r, &count, indices, status), MPI_SUCCESS);
    CHECK_EQ(count, MPI_UNDEFINED);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Request_get_status(r[i], &flag, &status[i]), MPI_SUCCESS);
        CHECK_EQ(flag, 1);
        CHECK(r[i] == same[i]);
        CHECK_EQ(MPI_Request_free(&r[i]), MPI_SUCCESS);
    }
}

/* Partitions. */

static void partitions(void)
{
    MPI_Request r[2];
    int data[4] = {1, 2, 3, 4}, got[4] = {0}, list[2] = {0, -1}, twice[2] = {2, 0}, flag;

    CHECK_EQ(MPI_Psend_init(data, 4, 1, MPI_INT, to, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(got, 4, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_INFO_NULL, &r[1]), MPI_SUCCESS);
    CHECK_CODE(MPI_Pready_range(0, 1, r[0]), MPI_ERR_REQUEST, ""); /* not started */
    CHECK_EQ(MPI_Startall(2, r), MPI_SUCCESS);
    CHECK_CODE(MPI_Pready_range(-1, 1, r[0]), MPI_ERR_ARG, "-1");
    CHECK_CODE(MPI_Pready_range(2, 4, r[0]), MPI_ERR_ARG, "4");
    CHECK_CODE(MPI_Pready_list(2, list, r[0]), MPI_ERR_ARG, "-1");
    CHECK_CODE(MPI_Parrived(r[1], -1, &flag), MPI_ERR_ARG, "-1");
    if (MPI_Pready(0, r[0])) /* the list may have marked it before it came to -1 */
        CHECK_CODE(MPI_Pready(0, r[0]), MPI_ERR_ARG, "before");
    CHECK_CODE(MPI_Pready(0, r[0]), MPI_ERR_ARG, "partition 0");
    CHECK_EQ(MPI_Pready_range(1, 2, r[0]), MPI_SUCCESS);
    CHECK_CODE(MPI_Pready_range(2, 3, r[0]), MPI_ERR_ARG, "partition 2");
    CHECK_CODE(MPI_Pready_list(2, twice, r[0]), MPI_ERR_ARG, "partition 2");
    if (MPI_Pready(3, r[0]))
        CHECK_CODE(MPI_Pready(3, r[0]), MPI_ERR_ARG, "before");
    CHECK_EQ(MPI_Waitall(2, r, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(got[i], data[i]);
    CHECK_EQ(MPI_Request_free(&r[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&r[1]), MPI_SUCCESS);
}

/* Buffers. */

/* There is room for a small message, and a large one is refused in every form: the small one is not lost, and
 * when it has been received there is room again. */
static void too_small_a_buffer(void)
{
    int bytes = ROOM + MPI_BSEND_OVERHEAD, size_back = 0;
    char *buffer = malloc((size_t)bytes), *back = NULL;
    MPI_Request again, r = MPI_REQUEST_NULL;

    CHECK_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, bytes), MPI_SUCCESS);
    CHECK_EQ(MPI_Bsend_init(out, ROOM, MPI_BYTE, to, 8, MPI_COMM_WORLD, &again), MPI_SUCCESS);
    for (int round = 0; round < 3; round++) {
        CHECK_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Bsend(out, ROOM, MPI_BYTE, to, 8, MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_CODE(MPI_Bsend(out, 10 * ROOM, MPI_BYTE, to, 8, MPI_COMM_WORLD), MPI_ERR_BUFFER, "");
        CHECK_CODE(MPI_Ibsend(out, 10 * ROOM, MPI_BYTE, to, 8, MPI_COMM_WORLD, &r), MPI_ERR_BUFFER, "");
        CHECK_EQ(r, MPI_REQUEST_NULL);
        memset(in, 0, ROOM);
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(find_wrong(in, ROOM, 1), -1);
        CHECK_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_SUCCESS);
        CHECK_EQ(MPI_Start(&again), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&again, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, from, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size_back), MPI_SUCCESS);
    CHECK(back == buffer && size_back == bytes);
    CHECK_EQ(MPI_Request_free(&again), MPI_SUCCESS);
    free(buffer);
}

/* The communicator's buffer is given back while a message in it waits for a late receiver: the call returns
 * when it has left, and what is done to the memory then does not reach it. */
static void detach_while_pending(void)
{
    int bytes = LARGE + MPI_BSEND_OVERHEAD, size_back = 0;
    char *buffer = malloc((size_t)bytes), *back = NULL;
    MPI_Request r;

    if (size == 1) { /* nobody else could receive it */
        free(buffer);
        return;
    }
    CHECK_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, buffer, bytes), MPI_SUCCESS);
    if (rank == 0) {
        CHECK_EQ(MPI_Ibsend(out, LARGE, MPI_BYTE, 1, 9, MPI_COMM_WORLD, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    if (rank == 1)
        for (double end = MPI_Wtime() + 0.1; MPI_Wtime() < end;)
            ;
    if (rank == 1)
        CHECK_EQ(MPI_Recv(in, LARGE, MPI_BYTE, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_detach_buffer(MPI_COMM_WORLD, &back, &size_back), MPI_SUCCESS);
    CHECK(back == buffer && size_back == bytes);
    memset(buffer, 0xff, (size_t)bytes);
    if (rank == 1)
        CHECK_EQ(find_wrong(in, LARGE, 1), -1);
    free(buffer);
}

/* Cancelled when it has matched: nothing happens, and the message is there. */

static void expect_not_cancelled(MPI_Request *r, int bytes)
{
    MPI_Status status;
    int flag = -1;

    CHECK_EQ(MPI_Cancel(r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(r, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Test_cancelled(&status, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    if (bytes < 0)
        return;
    CHECK_STATUS(&status, from, 10, bytes);
    CHECK_EQ(find_wrong(in, (size_t)bytes, 1), -1);
}

static void cancel_matched(int bytes)
{
    MPI_Request send, receive, kept;
    MPI_Message message;

    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 10, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(from, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(in, bytes, MPI_BYTE, from, 10, MPI_COMM_WORLD, &receive), MPI_SUCCESS);
    expect_not_cancelled(&receive, bytes);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);

    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Recv_init(in, bytes, MPI_BYTE, from, 10, MPI_COMM_WORLD, &kept), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 10, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(from, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&kept), MPI_SUCCESS);
    expect_not_cancelled(&kept, bytes);
    CHECK_EQ(MPI_Request_free(&kept), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);

    memset(in, 0, LARGE);
    CHECK_EQ(MPI_Isend(out, bytes, MPI_BYTE, to, 10, MPI_COMM_WORLD, &send), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(from, 10, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Imrecv(in, bytes, MPI_BYTE, &message, &receive), MPI_SUCCESS);
    expect_not_cancelled(&receive, bytes);
    MPI_Barrier(MPI_COMM_WORLD); /* the receiver has taken it */
    expect_not_cancelled(&send, -1);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    set_up();
    to = (rank + 1) % size;
    from = (rank + size - 1) % size;
    out = malloc(LARGE);
    in = malloc(LARGE);
    fill(out, LARGE, 1);
    for (int i = 0; i < 2; i++) {
        cut_matched(lengths[i], 0);
        cut_matched(lengths[i], 1);
        cut_sendrecv(lengths[i], 0);
        cut_sendrecv(lengths[i], 1);
        cut_persistent(lengths[i]);
        cancel_matched(lengths[i]);
    }
    freed_persistent();
    double_start();
    never_started();
    partitions();
    too_small_a_buffer();
    detach_while_pending();
    free(out);
    free(in);
    MPI_Finalize();
    return 0;
}
