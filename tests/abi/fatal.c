/* Makes one fatal error in a function of its own, or with an argument in MPI_Wait; abi.py reads what it says.
 */
#include <mpi.h>

__attribute__((noinline)) static int misuse(double *data)
{
    int error = MPI_Send(data, -1, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);

    return error + 1;
}

static int wait_for_cut(void)
{
    int sent[2] = {1, 2}, got;
    MPI_Request request;

    MPI_Irecv(&got, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &request);
    MPI_Send(sent, 2, MPI_INT, 0, 5, MPI_COMM_SELF);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    double data = 0;

    MPI_Init(&argc, &argv);
    return argc > 1 ? wait_for_cut() : misuse(&data);
}
