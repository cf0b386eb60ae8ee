/* ranks: 8 timeout: 60 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Eight ranks on one core, in epochs of each kind: whoever waits must sleep or yield to the rank that it waits for, and be woken.
 * Where ranks outnumber the cores the library's sleeps end after 10 ms by themselves, since the first notifications of a job may be
 * missed. Here they do not, once all ranks have met: one whose wake-up is lost sleeps on, and the test hangs. Everything is done
 * twice, since who yields seldom has to sleep: then sched_yield gives nobody the core. */
#include "win.h"

#include <dlfcn.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum {
    ROUNDS = 24,
    LONG_NS = 10 * 1000 * 1000, /* what lasts so long ends only when it is woken */
    PAUSE_NS = 100 * 1000
};

static int next, before;
static _Atomic bool have_met; /* relaxed, as what follows: a thread of the library may sleep, too */
static _Atomic bool yields_nothing;
static _Atomic int sleeps;
static struct window meeting;
static _Atomic int *met; /* how often ranks came, in memory of all of them; NULL: they share none */

#pragma GCC visibility push(default) /* so that the library calls this to sleep */
long syscall(long number, ...)
{
    static _Atomic(long (*)(long, ...)) found; /* all find the same */
    long (*libc)(long, ...) = atomic_load_explicit(&found, memory_order_relaxed), word[6];
    va_list words;

    if (!libc)
        libc = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    atomic_store_explicit(&found, libc, memory_order_relaxed);
    va_start(words, number);
    for (int i = 0; i < 6; i++)
        word[i] = va_arg(words, long);
    va_end(words);
    if (number == SYS_futex && (word[1] & FUTEX_CMD_MASK) == FUTEX_WAIT &&
        atomic_load_explicit(&have_met, memory_order_relaxed)) {
        const struct timespec *most = (const struct timespec *)word[3];

        atomic_fetch_add_explicit(&sleeps, 1, memory_order_relaxed);
        if (most && (most->tv_sec > 0 || most->tv_nsec >= LONG_NS))
            word[3] = 0;
    }
    return libc(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

int sched_yield(void)
{
    return atomic_load_explicit(&yields_nothing, memory_order_relaxed) ? 0 : (int)syscall(SYS_sched_yield);
}
#pragma GCC visibility pop

/* Before MPI_Init, so that the library sees one core. */
static void share_one_core(void)
{
    cpu_set_t all, one;
    int core = 0;

    CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
}

static void put_round(const struct window *w, int target, int round)
{
    static int value; /* until the epoch ends */

    value = round;
    OK(MPI_Put(&value, 1, MPI_INT, target, window_at(w, target, rank), 1, MPI_INT, w->win));
}

static int seen(const struct window *w, int of)
{
    return ((volatile int *)(void *)w->base)[of];
}

static void fences(const struct window *w)
{
    OK(MPI_Win_fence(0, w->win));
    for (int round = 1; round <= ROUNDS; round++) {
        put_round(w, next, round);
        OK(MPI_Win_fence(0, w->win));
        CHECK_EQ(seen(w, before), round);
        OK(MPI_Win_fence(0, w->win));
    }
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, w->win));
}

static void posts(const struct window *w)
{
    MPI_Group world, to, from;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, 1, &next, &to));
    OK(MPI_Group_incl(world, 1, &before, &from));
    for (int round = ROUNDS + 1; round <= 2 * ROUNDS; round++) {
        OK(MPI_Win_post(from, 0, w->win));
        OK(MPI_Win_start(to, 0, w->win));
        put_round(w, next, round);
        OK(MPI_Win_complete(w->win));
        OK(MPI_Win_wait(w->win));
        CHECK_EQ(seen(w, before), round);
    }
    OK(MPI_Group_free(&world));
    OK(MPI_Group_free(&to));
    OK(MPI_Group_free(&from));
}

static void open_meeting(void)
{
    MPI_Aint bytes;
    int unit;

    if (!window_open(&meeting, SHARED, sizeof *met, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
        return;
    OK(MPI_Win_shared_query(meeting.win, 0, &bytes, &unit, &met));
    CHECK_EQ(bytes, sizeof *met);
}

/* Waits for the others without a message, which would wake who sleeps; but makes progress for them. */
static void meet(void)
{
    static int meetings;
    int flag;

    if (!met) {
        OK(MPI_Barrier(MPI_COMM_WORLD));
        return;
    }
    atomic_fetch_add_explicit(met, 1, memory_order_relaxed);
    meetings++;
    while (atomic_load_explicit(met, memory_order_relaxed) < meetings * size) {
        OK(MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE));
        nanosleep(&(struct timespec){0, PAUSE_NS}, NULL);
    }
}

/* All count in one place; the holder yields its core now and then. */
static void locks(const struct window *w, int type)
{
    MPI_Aint counter = window_at(w, 0, size);
    int one = 1, count;

    for (int round = 0; round < ROUNDS; round++) {
        OK(MPI_Win_lock(type, 0, 0, w->win));
        if (type == MPI_LOCK_EXCLUSIVE) {
            OK(MPI_Get(&count, 1, MPI_INT, 0, counter, 1, MPI_INT, w->win));
            OK(MPI_Win_flush(0, w->win));
            if (round % 4 == 0)
                sched_yield();
            count++;
            OK(MPI_Put(&count, 1, MPI_INT, 0, counter, 1, MPI_INT, w->win));
        } else {
            OK(MPI_Accumulate(&one, 1, MPI_INT, 0, counter, 1, MPI_INT, MPI_SUM, w->win));
        }
        OK(MPI_Win_unlock(0, w->win));
    }
    meet();
}

static void check_counter(const struct window *w)
{
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    if (rank == 0)
        CHECK_EQ(seen(w, size), 2 * size * ROUNDS);
    OK(MPI_Win_unlock(rank, w->win));
}

static void use_all_ways(bool without_yields)
{
    atomic_store_explicit(&yields_nothing, without_yields, memory_order_relaxed);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, (MPI_Aint)sizeof(int) * (size + 1), sizeof(int), MPI_INFO_NULL,
                         MPI_COMM_WORLD))
            continue;
        fences(&w);
        posts(&w);
        locks(&w, MPI_LOCK_EXCLUSIVE);
        locks(&w, MPI_LOCK_SHARED);
        check_counter(&w);
        window_close(&w);
    }
}

int main(int argc, char **argv)
{
    int slept;

    share_one_core();
    set_up(&argc, &argv);
    next = (rank + 1) % size;
    before = (rank + size - 1) % size;
    open_meeting();
    atomic_store_explicit(&have_met, true, memory_order_relaxed);
    use_all_ways(false);
    use_all_ways(true);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    atomic_store_explicit(&have_met, false, memory_order_relaxed);
    slept = atomic_load_explicit(&sleeps, memory_order_relaxed);
    OK(MPI_Allreduce(MPI_IN_PLACE, &slept, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK(slept > 0);
    if (met)
        window_close(&meeting);
    OK(MPI_Finalize());
    return 0;
}
