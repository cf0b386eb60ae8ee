/* ranks: 2 */
#include "program.h"
#include <sys/wait.h>

int main(void)
{
    int x[4] = {0}, status = 0;
    pid_t child;
    MPI_Request request;

    begin();
    MPI_Irecv(x, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, &request);
    child = fork();
    if (child == 0)
        _exit(x[3] == 0 || x[3] == 4 ? 7 : 1); /* its own memory; what the other rank sends may be there */
    if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 7)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Send((int[4]){1, 2, 3, 4}, 4, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
