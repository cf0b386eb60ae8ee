/* ranks: 2 4 timeout: 60 */
/* An origin on the target's host needs nobody there (section 12.5.3), also in a window of several hosts: the first
 * rank of each host locks the others' memory, puts and adds there, while they make no call of MPI. */
#include "win.h"

#include <time.h>
#include <unistd.h>

enum {
    PATIENCE = 20 /* seconds */
};

static MPI_Comm neighbours;
static int me, on_host, member[8]; /* ranks in the window of those of this host */

static void find_neighbours(void)
{
    OK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &neighbours));
    OK(MPI_Comm_rank(neighbours, &me));
    OK(MPI_Comm_size(neighbours, &on_host));
    OK(MPI_Allgather(&rank, 1, MPI_INT, member, 1, MPI_INT, neighbours));
}

static void work(MPI_Win win, int target, MPI_Aint at)
{
    int64_t value = 40, one = 1, was = -1;

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win));
    OK(MPI_Put(&value, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, win));
    OK(MPI_Win_flush(target, win));
    OK(MPI_Fetch_and_op(&one, &was, MPI_INT64_T, target, at, MPI_SUM, win));
    OK(MPI_Win_flush(target, win));
    CHECK_EQ(was, 40);
    OK(MPI_Accumulate(&one, 1, MPI_INT64_T, target, at, 1, MPI_INT64_T, MPI_SUM, win));
    OK(MPI_Win_unlock(target, win));
}

static void look(const int64_t *memory)
{
    time_t end = time(NULL) + PATIENCE;

    while (__atomic_load_n(memory, __ATOMIC_ACQUIRE) != 42 && time(NULL) < end)
        usleep(100);
    CHECK_EQ(*memory, 42);
}

/* `at`: displacement of this rank's memory. */
static void check(MPI_Win win, int64_t *memory, MPI_Aint at)
{
    MPI_Aint all[8];

    OK(MPI_Allgather(&at, 1, MPI_AINT, all, 1, MPI_AINT, neighbours));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (me != 0)
        look(memory);
    for (int i = 1; me == 0 && i < on_host; i++)
        work(win, member[i], all[i]);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void allocated(void)
{
    int64_t *memory;
    MPI_Win win;

    OK(MPI_Win_allocate(sizeof *memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win));
    *memory = 0;
    check(win, memory, 0);
    for (int i = 0; i < on_host; i++) {
        MPI_Aint bytes = 0;
        void *seen = NULL;
        int unit;

        OK(MPI_Win_shared_query(win, member[i], &bytes, &unit, &seen));
        CHECK_EQ(bytes, sizeof *memory);
        CHECK(seen != NULL);
        CHECK_EQ(*(int64_t *)seen, i ? 42 : 0); /* of that rank; nobody works on the first one's */
    }
    OK(MPI_Win_free(&win));
}

static void dynamic(void)
{
    int64_t *memory;
    MPI_Aint address;
    MPI_Win win;

    OK(MPI_Alloc_mem(4096, MPI_INFO_NULL, &memory));
    *memory = 0;
    OK(MPI_Get_address(memory, &address));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, memory, 4096));
    check(win, memory, address);
    OK(MPI_Win_free(&win));
    OK(MPI_Free_mem(memory));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    find_neighbours();
    allocated();
    dynamic();
    OK(MPI_Comm_free(&neighbours));
    OK(MPI_Finalize());
    return 0;
}
