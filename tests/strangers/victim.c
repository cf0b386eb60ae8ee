/* victim SECONDS: two ranks on two hosts, one of which a stranger attacks for so long. Rank 0 waits for a
 * message of rank 1's that comes at the end, and has offered it a large one. Says "ready JOB" with the job's
 * number, which a stranger may know, and "unharmed" at the end. Linked with the library's objects, for that
 * number. */
#include "boot/boot.h"
#include "boot/host.h"
#include "check.h"

#include <inttypes.h>
#include <unistd.h>

enum {
    LARGE = 8 << 20,
    MOST_GROWTH_KB = 64 << 10,
    TAG = 5
};

static long resident_kb(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    long pages = 0;

    CHECK(file != NULL);
    CHECK_EQ(fscanf(file, "%*d %ld", &pages), 1);
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

/* Rank 1's message has not been sent yet. */
static void stay(double seconds, MPI_Request *request)
{
    double end = MPI_Wtime() + seconds;
    int flag;

    while (MPI_Wtime() < end) {
        CHECK_EQ(MPI_Test(request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(!flag);
        usleep(1000);
    }
}

static void be_attacked(double seconds, char *large)
{
    MPI_Request request[2];
    int number = 0;
    long before = resident_kb();

    CHECK_EQ(MPI_Irecv(&number, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(large, LARGE, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request[1]), MPI_SUCCESS);
    printf("ready %" PRIu64 "\n", host_hash(boot.job));
    fflush(stdout);
    stay(seconds, request);
    CHECK_EQ(MPI_Waitall(2, request, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(number, 42);
    before = resident_kb() - before;
    if (before > MOST_GROWTH_KB)
        printf("grown by %ld KiB\n", before);
    CHECK(before <= MOST_GROWTH_KB);
    printf("unharmed\n");
}

int main(int argc, char **argv)
{
    double seconds = argc > 1 ? atof(argv[1]) : 5;
    char *large = malloc(LARGE);
    int rank, number = 42;

    CHECK(large != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    memset(large, rank ? 0 : 'S', LARGE);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        be_attacked(seconds, large);
    } else {
        usleep((useconds_t)((seconds + 1) * 1e6));
        CHECK_EQ(MPI_Recv(large, LARGE, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; i < LARGE; i++)
            CHECK_EQ(large[i], 'S');
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    free(large);
    return 0;
}
