/* ranks: 2 */
#include "program.h"
#include <time.h>

int main(void)
{
    struct timespec pause = {0, 1000000}, at = {0, 0};
    int x[4] = {0}, ends[2];
    char text[8] = "";
    MPI_Request request;

    begin();
    MPI_Irecv(x, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    if (pipe(ends) || write(ends[1], "hello", 6) != 6 || read(ends[0], text, 6) != 6 ||
        strcmp(text, "hello") || nanosleep(&pause, NULL) || clock_gettime(CLOCK_MONOTONIC, &at) ||
        at.tv_sec == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Sendrecv(NULL, 0, MPI_INT, 1 - rank, 1, NULL, 0, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (write(ends[1], text, 6) != 6 || read(ends[0], text, 6) != 6 || strcmp(text, "hello"))
        MPI_Abort(MPI_COMM_WORLD, 4);
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (x[3] != 4)
        MPI_Abort(MPI_COMM_WORLD, 5);
    MPI_Finalize();
    return 0;
}
