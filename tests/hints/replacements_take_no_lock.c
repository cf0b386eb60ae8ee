/* ranks: 2 timeout: 60 */
/* Under accumulate_ops=same_op, MPI_REPLACE of doubles goes on while the other rank holds the lock of accumulates for
 * a long sum elsewhere in the same window. What is replaced is what was given. */
#include "win_hints.h"

#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

enum {
    ITEMS = 2 << 20,
    MANY = 100, /* replacements during one sum; under the lock there are about two */
    ROUNDS = 40
};

struct shared {
    _Alignas(64) _Atomic int is_adding;
    _Atomic int added; /* sums that are over */
    _Alignas(64) double replaced;
    _Alignas(64) double sums[ITEMS];
};

static struct shared *shared;
static int rank;

static MPI_Win window_of_same_op(void)
{
    MPI_Info info = info_with(OPS, "same_op");
    MPI_Aint bytes;
    MPI_Win win;
    int unit;

    CHECK_EQ(MPI_Win_allocate_shared(rank ? 0 : sizeof *shared, 1, info, MPI_COMM_WORLD, &shared, &win),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_shared_query(win, 0, &bytes, &unit, &shared), MPI_SUCCESS);
    return win;
}

static void add(MPI_Win win, const double *ones)
{
    atomic_store(&shared->is_adding, 1);
    CHECK_EQ(MPI_Accumulate(ones, ITEMS, MPI_DOUBLE, 0, offsetof(struct shared, sums), ITEMS, MPI_DOUBLE,
                            MPI_SUM, win),
             MPI_SUCCESS);
    atomic_store(&shared->is_adding, 0);
    atomic_fetch_add(&shared->added, 1);
}

/* Returns how many replacements ended while the other rank added. */
static int replace(MPI_Win win, int round)
{
    double value = 0;
    int count = 0;

    while (!atomic_load(&shared->is_adding) && atomic_load(&shared->added) <= round)
        ; /* without a core it may miss the whole sum */
    while (atomic_load(&shared->is_adding)) {
        value = round * 1e6 + count++;
        CHECK_EQ(MPI_Accumulate(&value, 1, MPI_DOUBLE, 0, offsetof(struct shared, replaced), 1, MPI_DOUBLE,
                                MPI_REPLACE, win),
                 MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Win_flush(0, win), MPI_SUCCESS);
    CHECK(count == 0 || shared->replaced == value);
    return count;
}

int main(int argc, char **argv)
{
    double *ones = malloc(ITEMS * sizeof *ones);
    int seen = 0, many = 0; /* rounds in which rank 1 replaced, and did so often */
    MPI_Win win;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    win = window_of_same_op();
    CHECK(ones != NULL);
    for (int i = 0; i < ITEMS; i++)
        ones[i] = 1;
    CHECK_EQ(MPI_Win_lock_all(0, win), MPI_SUCCESS);
    for (int round = 0; round < ROUNDS;
         round++) { /* a rank may be without a core for a whole sum, or part of it */
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0) {
            add(win, ones);
        } else {
            int count = replace(win, round);

            seen += count > 0;
            many += count >= MANY;
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK(rank == 0 || seen > 0 || sysconf(_SC_NPROCESSORS_ONLN) == 1);
    CHECK(2 * many >= seen);
    CHECK(shared->sums[0] == ROUNDS && shared->sums[ITEMS - 1] == ROUNDS);
    CHECK_EQ(MPI_Win_unlock_all(win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
    free(ones);
    MPI_Finalize();
    return 0;
}
