/* Makes one fatal error in a function of its own, or in the procedure that an argument names; abi.py reads what it says. */
#include <mpi.h>
#include <string.h>

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
    if (argc < 2)
        return misuse(&data);
    if (strcmp(argv[1], "bcast") == 0)
        return MPI_Bcast(&data, 1, MPI_DOUBLE, MPI_ROOT, MPI_COMM_WORLD);
    if (strcmp(argv[1], "recv") == 0)
        return MPI_Recv(&data, -1, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                        MPI_STATUS_IGNORE);
    return wait_for_cut();
}
