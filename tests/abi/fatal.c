/* Makes one fatal error in a function of its own; abi.py reads what it says. */
#include <mpi.h>

__attribute__((noinline)) static int misuse(double *data)
{
    int error = MPI_Send(data, -1, MPI_DOUBLE, MPI_PROC_NULL, 5, MPI_COMM_WORLD);

    return error + 1;
}

int main(int argc, char **argv)
{
    double data = 0;

    MPI_Init(&argc, &argv);
    return misuse(&data);
}
