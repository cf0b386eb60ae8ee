/* memory: what a rank costs whose job opens a network (ranks: 2): its share of all memory (Pss), when it has started and when it has sent
 * and received packets of all sizes, for which UCX 1.13 takes 3 MiB. */
#include "check.h"

enum {
    MOST_KIB = 8 * 1024,
    MOST_LATER_KIB = 10 * 1024,
    SKIPPED = 77,
    PACKET = 24 * 1024,
    ROUNDS = 10
};

/* KiB; -1: the kernel does not tell. */
static long find_share(void)
{
    FILE *rollup = fopen("/proc/self/smaps_rollup", "r");
    char line[500];
    long kib = -1;

    while (rollup && fgets(line, sizeof line, rollup) && sscanf(line, "Pss: %ld", &kib) != 1)
        ;
    if (rollup)
        fclose(rollup);
    return kib;
}

/* Both ranks look before either goes on. */
static void check_share(const char *when, long most)
{
    long kib;

    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    kib = find_share();
    printf("%s: %ld KiB\n", when, kib);
    CHECK(kib <= most);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

static void exchange(int rank)
{
    static char out[PACKET], in[PACKET];

    for (int i = 0; i < ROUNDS; i++)
        for (int size = 8; size <= PACKET; size *= 2)
            CHECK_EQ(MPI_Sendrecv(out, size, MPI_CHAR, !rank, 0, in, size, MPI_CHAR, !rank, 0, MPI_COMM_WORLD,
                                  MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int rank;

    if (find_share() < 0) {
        printf("skipped: the kernel does not tell what a process shares (/proc/self/smaps_rollup)\n");
        return SKIPPED;
    }
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    check_share("started", MOST_KIB);
    exchange(rank);
    check_share("after packets of up to 24 KiB", MOST_LATER_KIB);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
