/* ranks: 2 */
#include "program.h"

static void begin_receive(int *of_caller, MPI_Request *request)
{
    MPI_Irecv(of_caller, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, request);
}

static void end_deep(int depth, MPI_Request *request)
{
    char deep[2000];

    memset(deep, depth, sizeof deep);
    if (depth > 0)
        end_deep(depth - 1, request);
    else
        MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Barrier(deep[0] == depth ? MPI_COMM_WORLD : MPI_COMM_NULL);
}

/* Who posts a receive may return before it is complete, if the buffer is a caller's. */
int main(void)
{
    int mine[8] = {0}, theirs[8];
    MPI_Request request;

    begin();
    for (int turn = 0; turn < 2; turn++) {
        begin_receive(theirs, &request);
        MPI_Send(mine, 8, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        end_deep(turn, &request);
    }
    MPI_Finalize();
    return 0;
}
