/* ranks: 1  not: address  not: thread  also: INKLING_HINTS_REPORT=first also: NO_MEMORY_THREADS=1 */
/* Memory is out for requests. */
#include "no_memory.h"

#include <pthread.h>

static MPI_Comm ring; /* whose rank is its own neighbour, twice */
static MPI_Datatype integers, two_integers[2];
static int pair[CROWD][2];
static const int nothing[2];
static const MPI_Aint places[2];
static const char item[16];

static int receive(int i)
{
    return TRY(MPI_Irecv(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int send_to_it(int i)
{
    CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(value[i], i);
    return MPI_SUCCESS;
}

static int send(int i)
{
    value[i] = i;
    return TRY(MPI_Isend(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int receive_it(int i)
{
    int got = -1;

    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, i);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int init_allreduce(int i)
{
    return TRY(MPI_Allreduce_init(MPI_IN_PLACE, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_SELF, some_info,
                                  &request[i]));
}

static int zero; /* sent by collectives */

static int ibarrier(int i)
{
    return TRY(MPI_Ibarrier(MPI_COMM_WORLD, &request[i]));
}

static int ibcast(int i)
{
    return TRY(MPI_Ibcast(&value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int igather(int i)
{
    return TRY(MPI_Igather(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iscatter(int i)
{
    return TRY(MPI_Iscatter(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iallgather(int i)
{
    return TRY(MPI_Iallgather(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, &request[i]));
}

static int ialltoall(int i)
{
    return TRY(MPI_Ialltoall(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, &request[i]));
}

static int ireduce(int i)
{
    return TRY(MPI_Ireduce(&zero, &value[i], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &request[i]));
}

static int iallreduce(int i)
{
    return TRY(MPI_Iallreduce(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int ireduce_scatter(int i)
{
    return TRY(MPI_Ireduce_scatter(&zero, &value[i], ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int iscan(int i)
{
    return TRY(MPI_Iscan(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int iexscan(int i)
{
    return TRY(MPI_Iexscan(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int wait_for_it(int i)
{
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int drop_request(int i)
{
    return MPI_Request_free(&request[i]);
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int free_state(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state;
    (void)is_complete;
    return MPI_SUCCESS;
}

static int start_generalized(int i)
{
    return TRY(MPI_Grequest_start(query, free_state, cancel, NULL, &request[i]));
}

static int complete_generalized(int i)
{
    CHECK_EQ(MPI_Grequest_complete(request[i]), MPI_SUCCESS);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int igatherv(int i)
{
    return TRY(
        MPI_Igatherv(&zero, 1, MPI_INT, &value[i], ones, zeros, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iscatterv(int i)
{
    return TRY(
        MPI_Iscatterv(&zero, ones, zeros, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, &request[i]));
}

static int iallgatherv(int i)
{
    return TRY(
        MPI_Iallgatherv(&zero, 1, MPI_INT, &value[i], ones, zeros, MPI_INT, MPI_COMM_WORLD, &request[i]));
}

static int ialltoallv(int i)
{
    return TRY(MPI_Ialltoallv(&zero, ones, zeros, MPI_INT, &value[i], ones, zeros, MPI_INT, MPI_COMM_WORLD,
                              &request[i]));
}

static int ialltoallw(int i)
{
    return TRY(MPI_Ialltoallw(&zero, ones, zeros, &integers, &value[i], ones, zeros, &integers,
                              MPI_COMM_WORLD, &request[i]));
}

static int ireduce_scatter_block(int i)
{
    return TRY(MPI_Ireduce_scatter_block(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request[i]));
}

static int ineighbor_allgather(int i)
{
    return TRY(MPI_Ineighbor_allgather(&zero, 1, MPI_INT, pair[i], 1, MPI_INT, ring, &request[i]));
}

static int ineighbor_allgatherv(int i)
{
    return TRY(MPI_Ineighbor_allgatherv(&zero, 1, MPI_INT, pair[i], ones, zeros, MPI_INT, ring, &request[i]));
}

static int ineighbor_alltoall(int i)
{
    return TRY(MPI_Ineighbor_alltoall(nothing, 1, MPI_INT, pair[i], 1, MPI_INT, ring, &request[i]));
}

static int ineighbor_alltoallv(int i)
{
    return TRY(MPI_Ineighbor_alltoallv(nothing, ones, zeros, MPI_INT, pair[i], ones, zeros, MPI_INT, ring,
                                       &request[i]));
}

static int ineighbor_alltoallw(int i)
{
    return TRY(MPI_Ineighbor_alltoallw(nothing, ones, places, two_integers, pair[i], ones, places,
                                       two_integers, ring, &request[i]));
}

static int barrier_init(int i)
{
    return TRY(MPI_Barrier_init(MPI_COMM_WORLD, some_info, &request[i]));
}

static int bcast_init(int i)
{
    return TRY(MPI_Bcast_init(&value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, some_info, &request[i]));
}

static int gather_init(int i)
{
    return TRY(
        MPI_Gather_init(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, some_info, &request[i]));
}

static int gatherv_init(int i)
{
    return TRY(MPI_Gatherv_init(&zero, 1, MPI_INT, &value[i], ones, zeros, MPI_INT, 0, MPI_COMM_WORLD,
                                some_info, &request[i]));
}

static int scatter_init(int i)
{
    return TRY(MPI_Scatter_init(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, 0, MPI_COMM_WORLD, some_info,
                                &request[i]));
}

static int allgather_init(int i)
{
    return TRY(
        MPI_Allgather_init(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, some_info, &request[i]));
}

static int alltoall_init(int i)
{
    return TRY(
        MPI_Alltoall_init(&zero, 1, MPI_INT, &value[i], 1, MPI_INT, MPI_COMM_WORLD, some_info, &request[i]));
}

static int alltoallw_init(int i)
{
    return TRY(MPI_Alltoallw_init(&zero, ones, zeros, &integers, &value[i], ones, zeros, &integers,
                                  MPI_COMM_WORLD, some_info, &request[i]));
}

static int reduce_init(int i)
{
    return TRY(
        MPI_Reduce_init(&zero, &value[i], 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, some_info, &request[i]));
}

static int reduce_scatter_init(int i)
{
    return TRY(MPI_Reduce_scatter_init(&zero, &value[i], ones, MPI_INT, MPI_SUM, MPI_COMM_WORLD, some_info,
                                       &request[i]));
}

static int scan_init(int i)
{
    return TRY(MPI_Scan_init(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, some_info, &request[i]));
}

static int exscan_init(int i)
{
    return TRY(
        MPI_Exscan_init(&zero, &value[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, some_info, &request[i]));
}

static int neighbor_alltoall_init(int i)
{
    return TRY(
        MPI_Neighbor_alltoall_init(nothing, 1, MPI_INT, pair[i], 1, MPI_INT, ring, some_info, &request[i]));
}

static int send_init(int i)
{
    return TRY(MPI_Send_init(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int recv_init(int i)
{
    return TRY(MPI_Recv_init(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int bsend_init(int i)
{
    return TRY(MPI_Bsend_init(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int send_init_of_type(int i)
{
    return TRY(MPI_Send_init(item, 1, mixed, 0, i, MPI_COMM_SELF, &request[i]));
}

static char much[1 << 20];

static int send_large(int i)
{
    return TRY(MPI_Isend(much, sizeof much, MPI_BYTE, 0, i, MPI_COMM_SELF, &request[i]));
}

static int receive_large(int i)
{
    static char large[1 << 20];

    CHECK_EQ(MPI_Recv(large, sizeof large, MPI_BYTE, 0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static MPI_Message matched[CROWD];

static void *receive_one(void *i)
{
    CHECK_EQ(receive_it(*(int *)i), MPI_SUCCESS);
    return NULL;
}

/* By another thread, where there may be some: what this one has left taken would keep it waiting. */
static void receive_elsewhere(int i)
{
    int level;
    pthread_t thread;

    CHECK_EQ(MPI_Query_thread(&level), MPI_SUCCESS);
    if (level < MPI_THREAD_MULTIPLE) {
        receive_one(&i);
        return;
    }
    CHECK_EQ(pthread_create(&thread, NULL, receive_one, &i), 0);
    pthread_join(thread, NULL);
}

/* Where it fails, whoever asks for the message gets it. */
static int match(int i)
{
    CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS); /* it has arrived */
    int code = TRY(MPI_Mprobe(0, i, MPI_COMM_SELF, &matched[i], MPI_STATUS_IGNORE));

    if (code)
        receive_elsewhere(i);
    else
        number[i] = i + 1;
    return code;
}

static int receive_matched(int i)
{
    int got = -1;

    CHECK_EQ(MPI_Mrecv(&got, 1, MPI_INT, &matched[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, i);
    return MPI_SUCCESS;
}

static int match_large(int i)
{
    CHECK_EQ(MPI_Isend(much, sizeof much, MPI_BYTE, 0, i, MPI_COMM_SELF, &request[i]), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(0, i, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS); /* it has arrived */
    int code = TRY(MPI_Mprobe(0, i, MPI_COMM_SELF, &matched[i], MPI_STATUS_IGNORE));

    if (code)
        CHECK_EQ(receive_large(i), MPI_SUCCESS);
    return code;
}

static int receive_matched_large(int i)
{
    static char large[1 << 20];

    CHECK_EQ(MPI_Mrecv(large, sizeof large, MPI_BYTE, &matched[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    return MPI_Wait(&request[i], MPI_STATUS_IGNORE);
}

static int send_buffered(int i)
{
    value[i] = i;
    return TRY(MPI_Ibsend(&value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int sendrecv(int i)
{
    return TRY(
        MPI_Isendrecv(&zero, 1, MPI_INT, 0, i, &value[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]));
}

static int sendrecv_replace(int i)
{
    return TRY(MPI_Isendrecv_replace(&value[i], 1, MPI_INT, 0, i, 0, i, MPI_COMM_SELF, &request[i]));
}

static const struct step steps[] = {
    {"MPI_Irecv", receive, send_to_it},
    {"MPI_Isend", send, receive_it},
    {"MPI_Allreduce_init", init_allreduce, drop_request},
    {"MPI_Ibarrier", ibarrier, wait_for_it},
    {"MPI_Ibcast", ibcast, wait_for_it},
    {"MPI_Igather", igather, wait_for_it},
    {"MPI_Iscatter", iscatter, wait_for_it},
    {"MPI_Iallgather", iallgather, wait_for_it},
    {"MPI_Ialltoall", ialltoall, wait_for_it},
    {"MPI_Ireduce", ireduce, wait_for_it},
    {"MPI_Iallreduce", iallreduce, wait_for_it},
    {"MPI_Ireduce_scatter", ireduce_scatter, wait_for_it},
    {"MPI_Iscan", iscan, wait_for_it},
    {"MPI_Iexscan", iexscan, wait_for_it},
    {"MPI_Grequest_start", start_generalized, complete_generalized},
    {"MPI_Igatherv", igatherv, wait_for_it},
    {"MPI_Iscatterv", iscatterv, wait_for_it},
    {"MPI_Iallgatherv", iallgatherv, wait_for_it},
    {"MPI_Ialltoallv", ialltoallv, wait_for_it},
    {"MPI_Ialltoallw", ialltoallw, wait_for_it},
    {"MPI_Ireduce_scatter_block", ireduce_scatter_block, wait_for_it},
    {"MPI_Ineighbor_allgather", ineighbor_allgather, wait_for_it},
    {"MPI_Ineighbor_allgatherv", ineighbor_allgatherv, wait_for_it},
    {"MPI_Ineighbor_alltoall", ineighbor_alltoall, wait_for_it},
    {"MPI_Ineighbor_alltoallv", ineighbor_alltoallv, wait_for_it},
    {"MPI_Ineighbor_alltoallw", ineighbor_alltoallw, wait_for_it},
    {"MPI_Barrier_init", barrier_init, drop_request},
    {"MPI_Bcast_init", bcast_init, drop_request},
    {"MPI_Gather_init", gather_init, drop_request},
    {"MPI_Gatherv_init", gatherv_init, drop_request},
    {"MPI_Scatter_init", scatter_init, drop_request},
    {"MPI_Allgather_init", allgather_init, drop_request},
    {"MPI_Alltoall_init", alltoall_init, drop_request},
    {"MPI_Alltoallw_init", alltoallw_init, drop_request},
    {"MPI_Reduce_init", reduce_init, drop_request},
    {"MPI_Reduce_scatter_init", reduce_scatter_init, drop_request},
    {"MPI_Scan_init", scan_init, drop_request},
    {"MPI_Exscan_init", exscan_init, drop_request},
    {"MPI_Neighbor_alltoall_init", neighbor_alltoall_init, drop_request},
    {"MPI_Send_init", send_init, drop_request},
    {"MPI_Recv_init", recv_init, drop_request},
    {"MPI_Bsend_init", bsend_init, drop_request},
    {"MPI_Send_init of a structure", send_init_of_type, drop_request},
    {"MPI_Isend of much", send_large, receive_large},
    {"MPI_Mprobe", match, receive_matched},
    {"MPI_Mprobe of much", match_large, receive_matched_large},
    {"MPI_Ibsend", send_buffered, receive_it},
    {"MPI_Isendrecv", sendrecv, wait_for_it},
    {"MPI_Isendrecv_replace", sendrecv_replace, wait_for_it},
};

/* A matched message waits when there is no request for it, and nothing that it needs stays taken. */
static void matched_without_request(void)
{
    static MPI_Request held[4096];
    int count = 0, sent = 5, got = 0, none, code;
    MPI_Message message;
    MPI_Request r;

    CHECK_EQ(MPI_Send(&sent, 1, MPI_INT, 0, 3, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Mprobe(0, 3, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE), MPI_SUCCESS);
    do {
        until_failure = 1;
        code = TRY(MPI_Irecv(&none, 1, MPI_INT, 0, 4, MPI_COMM_SELF, &held[count]));
    } while (code == MPI_SUCCESS && ++count < (int)(sizeof held / sizeof *held));
    CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
    until_failure = 1;
    CHECK_EQ(class_of(TRY(MPI_Imrecv(&got, 1, MPI_INT, &message, &r))), MPI_ERR_NO_MEM);
    CHECK_EQ(until_failure, 0);
    CHECK(message != MPI_MESSAGE_NULL);
    while (count-- > 0) {
        CHECK_EQ(MPI_Cancel(&held[count]), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&held[count], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Imrecv(&got, 1, MPI_INT, &message, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, sent);
}

int main(void)
{
    static char buffer[CROWD * (MPI_BSEND_OVERHEAD + 64)];

    begin_steps();
    integers = two_integers[0] = two_integers[1] = MPI_INT;
    MPI_Cart_create(MPI_COMM_WORLD, 1, ones, ones, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    MPI_Buffer_attach(buffer, sizeof buffer);
    take_steps(steps, sizeof steps / sizeof steps[0]);
    matched_without_request();
    MPI_Buffer_detach(&(void *){NULL}, &(int){0});
    MPI_Comm_free(&ring);
    end_steps();
    return 0;
}
