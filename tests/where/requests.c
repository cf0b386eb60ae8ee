/* Situations in which requests are open, and one with a known rate of messages. */
#include "situations.h"

#include <unistd.h>

/* Requests of several kinds that were posted at several places; rank 0 waits for one of them. */
void posted(void)
{
    static int value[4], sum;
    MPI_Request request[5];

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Irecv(&value[i], 1, MPI_INT, 1, 50 + i, halo, &request[i]);
        MPI_Issend(&value[2], 1, MPI_INT, 1, 52, halo, &request[2]);
        MPI_Iallreduce(&value[3], &sum, 1, MPI_INT, MPI_SUM, halo, &request[3]);
        MPI_Isend(&value[2], 1, MPI_INT, 1, 54, halo, &request[4]); /* is done at once */
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    }
    smooth();
}

/* Persistent requests: where they were made, and where started, alone and with others. */
void started(void)
{
    static int value[3];
    MPI_Request request[3];

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Recv_init(&value[i], 1, MPI_INT, 1, 56 + i, halo, &request[i]);
        MPI_Ssend_init(&value[2], 1, MPI_INT, 1, 59, halo, &request[2]);
        MPI_Startall(2, request);
        MPI_Start(&request[2]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    }
    smooth();
}

static int query(void *state, MPI_Status *status)
{
    (void)state;
    return MPI_Status_set_cancelled(status, 0);
}

static int release(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    (void)state;
    (void)complete;
    return MPI_SUCCESS;
}

/* Requests that no message is behind. */
void kinds(void)
{
    static int value[3];
    MPI_Request request[3];

    if (rank == 0) {
        MPI_Grequest_start(query, release, cancel, NULL, &request[0]);
        MPI_Psend_init(value, 2, 1, MPI_INT, 1, 63, halo, MPI_INFO_NULL, &request[1]);
        MPI_Start(&request[1]);
        MPI_Irecv(&value[2], 1, MPI_INT, 1, 64, halo, &request[2]);
        MPI_Wait(&request[2], MPI_STATUS_IGNORE);
    }
    smooth();
}

/* Requests of a send and a receive, whose send is done: one that is waited for, and one besides. */
void exchanged(void)
{
    static int value[4];
    MPI_Request request[2];

    if (rank == 0) {
        for (int i = 0; i < 2; i++)
            MPI_Isendrecv(&value[2 * i], 1, MPI_INT, 1, 66 + i, &value[2 * i + 1], 1, MPI_INT, 1, 68 + i,
                          halo, &request[i]);
        MPI_Wait(&request[1], MPI_STATUS_IGNORE);
    }
    smooth();
}

/* Rank 1 sends 2000 messages a second to rank 0, as its clock says. */
void paced(void)
{
    double begin = MPI_Wtime();
    int value = 0;

    for (int sent = 0;; sent++) {
        if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, 1, 1, halo, MPI_STATUS_IGNORE);
        if (rank != 1)
            continue;
        while (MPI_Wtime() - begin < sent / 2000.0)
            usleep(200);
        MPI_Send(&value, 1, MPI_INT, 0, 1, halo);
    }
}
