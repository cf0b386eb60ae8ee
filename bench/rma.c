/* rma [batches]: operations on a window of MPI_Win_allocate, two ranks, median over batches, in us an operation
 * unless said otherwise: rank 0 works on rank 1's memory, which waits in MPI_Barrier.
 *
 *     put_8 get_8 accumulate_8 get_accumulate_8 fetch_and_op compare_and_swap    with a flush each, under lock_all
 *     put_fence     MPI_Put of 8 bytes and MPI_Win_fence, both ranks
 *     pscw          post, start, put, complete, wait: rank 0 to rank 1
 *     lock_put      MPI_Win_lock, MPI_Put of 8 bytes, MPI_Win_unlock
 *     put_1024K get_1024K    GB/s
 *     accumulate_64Ki        a sum of 65,536 doubles
 *     accumulate_char accumulate_short accumulate_int    sums of 1 MiB, by both ranks at once to rank 1's memory
 *
 * What they moved is looked at in the end. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL = 1000, /* operations of a batch */
    LARGE = 10,
    WARM = 3,
    DOUBLES = 65536,
    BYTES = 1 << 20
};

static int rank, batches;
static double *local, *window, *each;
static long one = 1, fetched, compare;
static MPI_Win win;
static MPI_Group other;

static void put_8(void)
{
    MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void get_8(void)
{
    MPI_Get(&fetched, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_flush(1, win);
}

static void accumulate_8(void)
{
    MPI_Accumulate(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void get_accumulate_8(void)
{
    MPI_Get_accumulate(&one, 1, MPI_LONG, &fetched, 1, MPI_LONG, 1, 0, 1, MPI_LONG, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void fetch_and_op(void)
{
    MPI_Fetch_and_op(&one, &fetched, MPI_LONG, 1, 0, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void compare_and_swap(void)
{
    MPI_Compare_and_swap(&one, &compare, &fetched, MPI_LONG, 1, 0, win);
    MPI_Win_flush(1, win);
}

static void lock_put(void)
{
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
    MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
    MPI_Win_unlock(1, win);
}

static void put_1024K(void)
{
    MPI_Put(local, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void get_1024K(void)
{
    MPI_Get(local, BYTES, MPI_BYTE, 1, 0, BYTES, MPI_BYTE, win);
    MPI_Win_flush(1, win);
}

static void accumulate_64Ki(void)
{
    MPI_Accumulate(local, DOUBLES, MPI_DOUBLE, 1, 0, DOUBLES, MPI_DOUBLE, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static MPI_Datatype added;
static int items;

static void accumulate_items(void)
{
    MPI_Accumulate(local, items, added, 1, 0, items, added, MPI_SUM, win);
    MPI_Win_flush(1, win);
}

static void put_fence(void)
{
    MPI_Put(&one, 1, MPI_LONG, !rank, 0, 1, MPI_LONG, win);
    MPI_Win_fence(0, win);
}

static void pscw(void)
{
    if (rank == 0) {
        MPI_Win_start(other, 0, win);
        MPI_Put(&one, 1, MPI_LONG, 1, 0, 1, MPI_LONG, win);
        MPI_Win_complete(win);
    } else {
        MPI_Win_post(other, 0, win);
        MPI_Win_wait(win);
    }
}

/* Both ranks call, or rank 0 alone. */
static double time_of(void (*operation)(void), int count, int is_common)
{
    double median = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    for (int b = -WARM; b < batches && (is_common || rank == 0); b++) {
        double start = MPI_Wtime();

        for (int i = 0; i < count; i++)
            operation();
        if (b >= 0)
            each[b] = (MPI_Wtime() - start) / count * 1e6;
    }
    if (is_common || rank == 0)
        median = measure_median(each, batches);
    MPI_Barrier(MPI_COMM_WORLD);
    return median;
}

static void report(const char *name, double value)
{
    if (rank == 0)
        printf("%s %.4f\n", name, value);
}

/* How many operations of `count` a batch time_of makes. */
static long made(int count)
{
    return (long)(batches + WARM) * count;
}

static void expect(int is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "rma: rank %d: %s: wrong result\n", rank, what);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void measure_passive(void)
{
    memset(window, 0, sizeof(long));
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    report("put_8", time_of(put_8, SMALL, 0));
    report("get_8", time_of(get_8, SMALL, 0));
    report("accumulate_8", time_of(accumulate_8, SMALL, 0));
    report("get_accumulate_8", time_of(get_accumulate_8, SMALL, 0));
    report("fetch_and_op", time_of(fetch_and_op, SMALL, 0));
    if (rank == 0)
        expect(fetched == 3 * made(SMALL), "sums");
    report("compare_and_swap", time_of(compare_and_swap, SMALL, 0));
    MPI_Win_unlock_all(win);
    report("lock_put", time_of(lock_put, SMALL, 0));
    MPI_Barrier(MPI_COMM_WORLD);
}

static void measure_large(void)
{
    for (int i = 0; i < DOUBLES; i++)
        window[i] = 0;
    for (int i = 0; i < BYTES / 8; i++)
        local[i] = 1 + i % 7;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, win);
    report("accumulate_64Ki", time_of(accumulate_64Ki, LARGE, 0));
    MPI_Win_sync(win);
    if (rank == 1)
        expect(window[DOUBLES - 1] == (double)made(LARGE) * (1 + (DOUBLES - 1) % 7), "accumulate_64Ki");
    MPI_Barrier(MPI_COMM_WORLD);
    report("put_1024K", BYTES / time_of(put_1024K, LARGE, 0) / 1e3);
    MPI_Win_sync(win);
    if (rank == 1)
        expect(window[BYTES / 8 - 1] == 1 + (BYTES / 8 - 1) % 7, "put_1024K");
    if (rank == 0)
        memset(local, 0, BYTES);
    report("get_1024K", BYTES / time_of(get_1024K, LARGE, 0) / 1e3);
    expect(local[1] == 2, "get_1024K");
    MPI_Win_unlock_all(win);
}

/* Of a library whose sum is wrong there is no figure: it took another time than what is asked of it. */
static void report_sum(const char *name, double value, int is_right)
{
    MPI_Bcast(&is_right, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (is_right)
        report(name, value);
    else if (rank == 0)
        fprintf(stderr, "rma: %s: wrong result, left out\n", name);
}

/* The first item of each is 1; sums of char and short may wrap. */
static void measure_small_items(void)
{
    static const struct {
        const char *name;
        MPI_Datatype type;
        int bytes;
    } of[] = {{"accumulate_char", MPI_SIGNED_CHAR, 1},
              {"accumulate_short", MPI_SHORT, 2},
              {"accumulate_int", MPI_INT, 4}};

    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        long sum = 2 * made(LARGE), seen = 0;
        double value;

        added = of[i].type;
        items = BYTES / of[i].bytes;
        memset(window, 0, BYTES);
        memset(local, 0, BYTES);
        memcpy(local, &(int){1}, (size_t)of[i].bytes);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Win_lock_all(0, win);
        value = time_of(accumulate_items, LARGE, 1);
        MPI_Win_unlock_all(win);
        MPI_Barrier(MPI_COMM_WORLD);
        memcpy(&seen, window, (size_t)of[i].bytes);
        report_sum(of[i].name, value, memcmp(&seen, &sum, (size_t)of[i].bytes) == 0);
    }
}

int main(int argc, char **argv)
{
    MPI_Group all;
    int partner;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    batches = (int)measure_argument(argc, argv, 1, 100);
    measure_cpus();
    partner = !rank;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, 1, &partner, &other);
    local = malloc(BYTES);
    each = malloc((size_t)batches * sizeof *each);
    if (!local || !each)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_allocate(BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window, &win);
    measure_passive();
    MPI_Win_fence(0, win);
    report("put_fence", time_of(put_fence, SMALL, 1));
    MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
    report("pscw", time_of(pscw, SMALL, 1));
    measure_large();
    measure_small_items();
    MPI_Win_free(&win);
    MPI_Group_free(&other);
    MPI_Group_free(&all);
    MPI_Finalize();
    free(local);
    free(each);
    return 0;
}
