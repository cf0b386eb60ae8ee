/* victim FILE: two ranks on two hosts, one of which a stranger attacks until the file is there. Rank 0 waits for a
 * message of rank 1's that comes at the end, and has offered it a large one. Says "ready JOB KEY" with the job's
 * number, which a stranger may know, and the key that opens the large one, which he may not; and "unharmed" at the
 * end. Linked with the library's objects, for these. */
#include "boot/boot.h"
#include "boot/host.h"
#include "check.h"
#include "p2p/transfer.h"

#include <inttypes.h>
#include <rdma/fi_domain.h>
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

/* libfabric's own key of the buffer of a send that nobody has received. */
static uint64_t key_of(MPI_Request request)
{
    const struct transfer *t = transfer_of(request_find(request));

    CHECK(t->mr != NULL);
    return fi_mr_key((struct fid_mr *)t->mr);
}

/* Rank 1's message has not been sent yet. */
static void stay(const char *file, MPI_Request *request)
{
    int flag;

    while (access(file, F_OK)) {
        CHECK_EQ(MPI_Test(request, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK(!flag);
        usleep(1000);
    }
}

static void be_attacked(const char *file, char *large)
{
    MPI_Request request[2];
    int number = 0;
    long before = resident_kb();

    CHECK_EQ(MPI_Irecv(&number, 1, MPI_INT, 1, TAG, MPI_COMM_WORLD, &request[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(large, LARGE, MPI_BYTE, 1, TAG, MPI_COMM_WORLD, &request[1]), MPI_SUCCESS);
    printf("ready %" PRIu64 " %" PRIu64 "\n", host_hash(boot.job), key_of(request[1]));
    fflush(stdout);
    stay(file, request);
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
    char *large = malloc(LARGE);
    int rank, number = 42;

    CHECK(argc > 1 && large != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    memset(large, rank ? 0 : 'S', LARGE);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0) {
        be_attacked(argv[1], large);
    } else {
        while (access(argv[1], F_OK))
            usleep(1000);
        sleep(1); /* rank 0 sees the file before the message comes */
        CHECK_EQ(MPI_Recv(large, LARGE, MPI_BYTE, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&number, 1, MPI_INT, 0, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
        for (int i = 0; i < LARGE; i++)
            CHECK_EQ(large[i], 'S');
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    free(large);
    return 0;
}
