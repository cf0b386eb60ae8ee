/* ranks: 1 2 4 */
/* Communicators made and freed CYCLES times (environment; 3000) cost neither context ids nor memory: all are
 * made, and this process maps and keeps as much as it did when it had made a few. make soak runs a million.
 */
#include "check.h"

enum {
    WARM = 1000,
    SLACK_KIB = 512 /* what libc's allocator may come to keep */
};

static int rank, size;

/* A line of /proc/self/status, in KiB. */
static long memory_of(const char *name)
{
    char line[128];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");

    CHECK(status != NULL);
    while (kib < 0 && fgets(line, sizeof line, status))
        if (strncmp(line, name, strlen(name)) == 0)
            CHECK_EQ(sscanf(line + strlen(name), ": %ld", &kib), 1);
    fclose(status);
    CHECK(kib > 0);
    return kib;
}

/* Every thousandth carries messages, so that it has matching state, slots and schedules of its own to lose.
 */
static void use(MPI_Comm comm)
{
    int sum, got;

    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    CHECK_EQ(MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size,
                          0, comm, MPI_STATUS_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(got, (rank + size - 1) % size);
}

/* In turn by each maker, one in eight while the one before lives. */
static void cycle(long number, MPI_Comm parent)
{
    MPI_Comm comm, inner;
    MPI_Request request;

    if (number % 100 == 99) {
        CHECK_EQ(MPI_Comm_idup(parent, &comm, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    } else if (number % 100 == 98) {
        CHECK_EQ(MPI_Comm_split(parent, 0, rank, &comm), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Comm_dup(parent, &comm), MPI_SUCCESS);
    }
    if (number % 1000 == 0)
        use(comm);
    if (number % 8 == 7) {
        CHECK_EQ(MPI_Comm_dup(comm, &inner), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
        comm = inner;
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void check_growth(const char *name, long before)
{
    long growth = memory_of(name) - before;

    if (getenv("SANITIZER")) /* it keeps what was freed, and finds what was lost itself */
        return;
    if (growth > SLACK_KIB) {
        fprintf(stderr, "rank %d: %s has grown by %ld KiB from %ld\n", rank, name, growth, before);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("CYCLES");
    long cycles = wanted ? atol(wanted) : 3000, mapped, resident;
    double start;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (long i = 0; i < WARM; i++)
        cycle(i, MPI_COMM_WORLD);
    mapped = memory_of("VmSize");
    resident = memory_of("VmRSS");
    start = MPI_Wtime();
    for (long i = 0; i < cycles; i++)
        cycle(i, MPI_COMM_WORLD);
    if (rank == 0 && wanted)
        printf("%ld cycles on %d ranks: %.1f s\n", cycles, size, MPI_Wtime() - start);
    check_growth("VmSize", mapped);
    check_growth("VmRSS", resident);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
