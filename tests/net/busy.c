/* busy SECONDS: rank 1 sends rank 0 more small messages than the network holds and finalizes, while rank 0 makes no call for so
 * long. Then rank 0 receives them all: rank 1 must send on while it waits for the end of the job. */
#include "check.h"

#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    MESSAGES = 300000
};

int main(int argc, char **argv)
{
    int rank, word;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        sleep((unsigned)atoi(argv[1]));
    for (int i = 0; i < MESSAGES; i++) {
        if (rank == 1)
            CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        if (rank == 0) {
            CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
            CHECK_EQ(word, i);
        }
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
