/* ranks: 1 2 */
/* Wrong arguments of point-to-point calls: the class that the standard names, a note that names the argument,
 * and nothing broken: a message still goes through afterwards. */
#include "check.h"

static MPI_Comm comm;
static int rank, size;

static void wrong_send(void)
{
    int v = 1;
    MPI_Datatype fresh;

    CHECK_CODE(MPI_Send(&v, -1, MPI_INT, 0, 0, comm), MPI_ERR_COUNT, "count -1");
    CHECK_CODE(MPI_Send_c(&v, -5, MPI_INT, 0, 0, comm), MPI_ERR_COUNT, "count -5");
    CHECK_CODE(MPI_Send(&v, 1, MPI_DATATYPE_NULL, 0, 0, comm), MPI_ERR_TYPE, "MPI_DATATYPE_NULL");
    CHECK_CODE(MPI_Send(&v, 1, (MPI_Datatype)0, 0, 0, comm), MPI_ERR_TYPE, "datatype is 0");
    CHECK_CODE(MPI_Send(&v, 1, (MPI_Datatype)&v, 0, 0, comm), MPI_ERR_TYPE, "datatype");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, size, 0, comm), MPI_ERR_RANK, "dest");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, -7, 0, comm), MPI_ERR_RANK, "dest -7");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm), MPI_ERR_RANK, "dest");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, -1, comm), MPI_ERR_TAG, "tag -1");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, MPI_ANY_TAG, comm), MPI_ERR_TAG, "tag");
    CHECK_CODE(MPI_Send(NULL, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER, "buf is NULL");
    CHECK_CODE(MPI_Send(MPI_IN_PLACE, 1, MPI_INT, 0, 0, comm), MPI_ERR_BUFFER, "MPI_IN_PLACE");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM, "MPI_COMM_NULL");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, 0, (MPI_Comm)0), MPI_ERR_COMM, "or MPI_COMM_NULL is meant");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, 0, (MPI_Comm)&v), MPI_ERR_COMM, "never made or was freed");
    CHECK_CODE(MPI_Send(&v, 1, MPI_INT, 0, 0, (MPI_Comm)MPI_INT), MPI_ERR_COMM, "MPI_INT");
    CHECK_EQ(MPI_Type_contiguous(2, MPI_INT, &fresh), MPI_SUCCESS);
    CHECK_CODE(MPI_Send(&v, 0, fresh, MPI_PROC_NULL, 0, comm), MPI_ERR_TYPE, "not committed");
    CHECK_EQ(MPI_Type_free(&fresh), MPI_SUCCESS);
}

static void wrong_receive(void)
{
    MPI_Request request = MPI_REQUEST_NULL;
    int v = 1;

    CHECK_CODE(MPI_Recv(&v, -1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_COUNT, "count");
    CHECK_CODE(MPI_Recv(&v, 1, MPI_INT, size, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source");
    CHECK_CODE(MPI_Recv(&v, 1, MPI_INT, MPI_ROOT, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source");
    CHECK_CODE(MPI_Recv(&v, 1, MPI_INT, 0, -3, comm, MPI_STATUS_IGNORE), MPI_ERR_TAG, "tag -3");
    CHECK_CODE(MPI_Recv(NULL, 1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_BUFFER, "buf");
    CHECK_CODE(MPI_Irecv(&v, 1, MPI_INT, 0, 0, comm, NULL), MPI_ERR_ARG, "request is NULL");
    CHECK_CODE(MPI_Irecv(&v, 1, MPI_INT, 99, 0, comm, &request), MPI_ERR_RANK, "source 99");
    CHECK_EQ(request, MPI_REQUEST_NULL);
    CHECK_CODE(MPI_Iprobe(0, 0, comm, NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "flag");
    CHECK_CODE(MPI_Probe(size, 0, comm, MPI_STATUS_IGNORE), MPI_ERR_RANK, "source");
    CHECK_CODE(MPI_Sendrecv(&v, 1, MPI_INT, 0, 0, &v, -1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE),
               MPI_ERR_COUNT, "recvcount");
}

static void wrong_request(void)
{
    MPI_Request bad = (MPI_Request)0x123456789, freed;
    MPI_Status status;
    int v = 3, flag;

    CHECK_CODE(MPI_Wait(NULL, MPI_STATUS_IGNORE), MPI_ERR_ARG, "request is NULL");
    CHECK_CODE(MPI_Wait(&bad, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "request");
    CHECK_CODE(MPI_Test(&bad, &flag, &status), MPI_ERR_REQUEST, "request");
    CHECK_CODE(MPI_Test(&bad, NULL, &status), MPI_ERR_ARG, "flag");
    CHECK_CODE(MPI_Waitall(-1, &bad, MPI_STATUSES_IGNORE), MPI_ERR_COUNT, "count -1");
    CHECK_EQ(MPI_Irecv(&v, 1, MPI_INT, MPI_PROC_NULL, 0, comm, &freed), MPI_SUCCESS);
    bad = freed;
    CHECK_EQ(MPI_Wait(&freed, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_CODE(MPI_Wait(&bad, MPI_STATUS_IGNORE), MPI_ERR_REQUEST, "request");
}

static void right_calls_still_work(void)
{
    int sent = 17 + rank, got = 0, peer = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Status status;

    CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, MPI_PROC_NULL, 0, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Sendrecv(&sent, 1, MPI_INT, peer, 5, &got, 1, MPI_INT, from, 5, comm, &status), MPI_SUCCESS);
    CHECK_EQ(got, 17 + from);
    CHECK_EQ(MPI_Sendrecv(NULL, 0, MPI_INT, peer, 6, NULL, 0, MPI_INT, from, 6, comm, &status), MPI_SUCCESS);
    CHECK_EQ(status.MPI_SOURCE, from);
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    comm = MPI_COMM_WORLD;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    wrong_send();
    wrong_receive();
    wrong_request();
    right_calls_still_work();
    MPI_Finalize();
    return 0;
}
