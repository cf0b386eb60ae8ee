/* asleep SECONDS PAUSE: two ranks on two hosts. Rank 0 sleeps in receives; rank 1 sends it messages for so long, with pauses of so
 * many seconds, and says at the end how long the slowest answer took: "unharmed, slowest MILLISECONDS". Rank 0 says "ready JOB" with the job's number,
 * which a stranger may know, and "lost" if rank 1 is lost. Linked with the library's objects, for that number. */
#include "boot/boot.h"
#include "boot/host.h"
#include "check.h"

#include <inttypes.h>
#include <unistd.h>

static int tell_loss(int code)
{
    if (code == MPI_SUCCESS)
        return 0;
    printf("lost: error %d\n", code);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 7);
    return 1;
}

static void answer(void)
{
    int number = 1;

    printf("ready %" PRIu64 "\n", host_hash(boot.job));
    fflush(stdout);
    while (number && !tell_loss(MPI_Recv(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)))
        tell_loss(MPI_Send(&number, 1, MPI_INT, 1, 0, MPI_COMM_WORLD));
}

static void ask(double seconds, double pause)
{
    double end = MPI_Wtime() + seconds, slowest = 0;

    for (int number = 1; number;) {
        double begin;

        usleep((useconds_t)(pause * 1e6));
        begin = MPI_Wtime();
        number = begin < end;
        tell_loss(MPI_Send(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        tell_loss(MPI_Recv(&number, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        slowest = MPI_Wtime() - begin > slowest ? MPI_Wtime() - begin : slowest;
    }
    printf("unharmed, slowest %.0f ms\n", slowest * 1e3);
}

int main(int argc, char **argv)
{
    int rank;

    CHECK(argc == 3);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        answer();
    else
        ask(atof(argv[1]), atof(argv[2]));
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
