/* ranks: 2 3 timeout: 30 env: INKLING_SPIN_TIME=0 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Ranks that wait for each other in synchronizations of a window and sleep at once, over and over. What another one
 * does falls before, into and after the moment in which a rank goes to sleep. Nothing else wakes it, so a lost wake-up,
 * once in some ten thousand times, hangs. */
#include "wakeups.h"

#include "win.h"

enum {
    RANKS = 3,
    WINDOW_MS = 150 /* for each kind of synchronization, in each window */
};

static unsigned seed;
static double section_end;

static void begin_section(void)
{
    OK(MPI_Barrier(MPI_COMM_WORLD));
    section_end = now_us() + WINDOW_MS * 1e3;
}

/* Whether another round follows, of all ranks. It is also what all have sent each other. */
static int agree(const struct window *w)
{
    return w->base[0];
}

static void put_to(const struct window *w, int target, unsigned char byte)
{
    static unsigned char out[RANKS]; /* until the access is complete */

    out[target] = byte;
    OK(MPI_Put(&out[target], 1, MPI_BYTE, target, window_at(w, target, 0), 1, MPI_BYTE, w->win));
}

static void fences(const struct window *w)
{
    begin_section();
    do {
        unsigned char more = now_us() < section_end; /* the same for all */

        OK(MPI_Win_fence(0, w->win));
        linger(&seed, RANK_US);
        for (int target = 0; rank == 0 && target < size; target++)
            put_to(w, target, more);
        OK(MPI_Win_fence(0, w->win));
    } while (agree(w));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
}

/* A byte goes round: each waits for the one before it, and then gives the next one access. */
static void epochs(const struct window *w)
{
    int next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Group world, to, from;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &to));
    OK(MPI_Group_incl(world, 1, &before, &from));
    begin_section();
    do {
        if (rank == 0) {
            OK(MPI_Win_start(to, 0, w->win));
            linger(&seed, RANK_US);
            put_to(w, next, now_us() < section_end);
            OK(MPI_Win_complete(w->win));
        }
        linger(&seed, RANK_US);
        OK(MPI_Win_post(from, 0, w->win));
        OK(MPI_Win_wait(w->win));
        if (rank != 0) {
            OK(MPI_Win_start(to, 0, w->win));
            put_to(w, next, w->base[0]);
            OK(MPI_Win_complete(w->win));
        }
    } while (agree(w));
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
}

/* The holder waits for nobody but those who want the lock, and they for nobody but the holder. */
static void hold(const struct window *w, int type, int target, char more)
{
    OK(MPI_Win_lock(type, target, 0, w->win));
    for (int other = 1; other < size; other++)
        OK(MPI_Send(&more, 1, MPI_BYTE, other, 1, MPI_COMM_WORLD));
    linger(&seed, RANK_US);
    OK(MPI_Win_unlock(target, w->win));
    for (int other = 1; other < size; other++)
        OK(MPI_Recv(NULL, 0, MPI_BYTE, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static char want(const struct window *w, int type, int target)
{
    char more;

    OK(MPI_Recv(&more, 1, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    linger(&seed, RANK_US);
    OK(MPI_Win_lock(type, target, 0, w->win));
    linger(&seed, RANK_US); /* another one that waits may have been woken in vain */
    OK(MPI_Win_unlock(target, w->win));
    OK(MPI_Send(NULL, 0, MPI_BYTE, 0, 2, MPI_COMM_WORLD));
    return more;
}

static void locks(const struct window *w, int type, int of_others, int target)
{
    begin_section();
    for (char more = 1; more;) {
        if (rank == 0) {
            more = now_us() < section_end;
            hold(w, type, target, more);
        } else {
            more = want(w, of_others, target);
        }
    }
}

/* The target sleeps until the origin, which waits for it, is done. */
static void flushes(const struct window *w)
{
    begin_section();
    OK(MPI_Win_lock_all(0, w->win));
    for (char more = 1; more;) {
        for (int origin = 0; origin < size; origin++) {
            linger(&seed, RANK_US);
            if (rank == origin) {
                int target = (rank + 1) % size;
                unsigned char got = 9;

                if (origin == 0)
                    more = now_us() < section_end;
                put_to(w, target, (unsigned char)more);
                OK(MPI_Win_flush(target, w->win));
                linger(&seed, RANK_US);
                OK(MPI_Get(&got, 1, MPI_BYTE, target, window_at(w, target, 0), 1, MPI_BYTE, w->win));
                OK(MPI_Win_flush(target, w->win));
                CHECK_EQ(got, more);
            }
            OK(MPI_Bcast(&more, 1, MPI_BYTE, origin, MPI_COMM_WORLD));
        }
    }
    OK(MPI_Win_unlock_all(w->win));
}

int main(int argc, char **argv)
{
    static const enum way ways[] = {CREATED, ALLOCATED, DYNAMIC};

    set_up(&argc, &argv);
    seed = (unsigned)rank + 1;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct window w;

        CHECK(window_open(&w, ways[i], 64, 1, MPI_INFO_NULL, MPI_COMM_WORLD));
        fences(&w);
        epochs(&w);
        for (int target = 0; target < 2; target++) {
            locks(&w, MPI_LOCK_EXCLUSIVE, MPI_LOCK_EXCLUSIVE, target);
            locks(&w, MPI_LOCK_EXCLUSIVE, MPI_LOCK_SHARED, target);
            locks(&w, MPI_LOCK_SHARED, MPI_LOCK_EXCLUSIVE, target);
        }
        flushes(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
