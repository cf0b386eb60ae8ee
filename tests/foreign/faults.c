/* faults HOW: rank 1 of a program of another ABI does what HOW says; the others wait for it. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *how)
{
    int word = 0;

    if (strcmp(how, "die") == 0)
        raise(SIGKILL);
    else if (strcmp(how, "exit") == 0)
        exit(3);
    else if (strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 7);
    else if (strcmp(how, "rank") == 0)
        MPI_Send(&word, 1, MPI_INT, 9, 0, MPI_COMM_WORLD);
    else if (strcmp(how, "negative") == 0)
        MPI_Send(&word, 1, MPI_INT, -7, 0, MPI_COMM_WORLD);
    else if (strcmp(how, "tag") == 0)
        MPI_Send(&word, 1, MPI_INT, 0, -5, MPI_COMM_WORLD);
    else if (strcmp(how, "type") == 0)
        MPI_Recv(&word, 1, MPI_DATATYPE_NULL, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    else if (strcmp(how, "comm") == 0)
        MPI_Send(&word, 1, MPI_DOUBLE, 0, 0, MPI_COMM_NULL);
    else if (strcmp(how, "op") == 0)
        MPI_Reduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_OP_NULL, 1, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        fail(argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
