/* A program that mpi_assert_exact_length makes faster: its large messages find their receives posted, and the receiver away. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MESSAGES = 50,
    BYTES = 1 << 20,
    WORK_US = 4000
};

int main(int argc, char **argv)
{
    char *buffer = calloc(1, BYTES);
    MPI_Request request;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 1)
            MPI_Irecv(buffer, BYTES, MPI_CHAR, 0, 0, MPI_COMM_WORLD, &request);
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Send(buffer, BYTES, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        usleep(WORK_US);
        if (rank == 1)
            MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    free(buffer);
    return 0;
}
