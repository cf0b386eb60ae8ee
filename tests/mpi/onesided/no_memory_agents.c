/* ranks: 2  timeout: 120  env: INKLING_CMA=false  not: address  not: thread  also: INKLING_TRANSPORT=ofi  also: INKLING_TRANSPORT=ofi,INKLING_WIN_RMA=true */
/* Memory is out at the origin of operations that go through the agent of the target. Each allocation of a few calls fails once:
 * the call says so and gives no request, or goes on without the memory. Whatever it had sent before, the target does not wait for
 * more, and later operations are complete. A build that counts objects finds what is left behind. */
#include "failing_memory.h"
#include "win.h"

enum {
    LARGE = 300, /* longs: their data follow in a message of their own */
    SMALL = 2,
    FEW = 40,
    NEARLY_CHUNK =
        140, /* requests of the library's, which come in chunks of 256: after so many more calls another chunk */
    MOST = 8 * NEARLY_CHUNK
};

static long window[LARGE], from[LARGE], to[LARGE];
static MPI_Win win;
static MPI_Datatype strided;
static MPI_Request request[MOST];

static int put_small(int i)
{
    (void)i;
    return TRY(MPI_Put(from, SMALL, MPI_LONG, 1, 0, SMALL, MPI_LONG, win));
}

static int put_large(int i)
{
    (void)i;
    return TRY(MPI_Put(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win));
}

static int put_strided(int i)
{
    (void)i;
    return TRY(MPI_Put(from, LARGE / 2, MPI_LONG, 1, 0, 1, strided, win));
}

static int get(int i)
{
    (void)i;
    return TRY(MPI_Get(to, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win));
}

static int accumulate_small(int i)
{
    (void)i;
    return TRY(MPI_Accumulate(from, SMALL, MPI_LONG, 1, 0, SMALL, MPI_LONG, MPI_SUM, win));
}

static int accumulate_large(int i)
{
    (void)i;
    return TRY(MPI_Accumulate(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, MPI_SUM, win));
}

static int fetch_and_op(int i)
{
    (void)i;
    return TRY(MPI_Fetch_and_op(from, to, MPI_LONG, 1, 0, MPI_SUM, win));
}

static int compare_and_swap(int i)
{
    (void)i;
    return TRY(MPI_Compare_and_swap(from, from, to, MPI_LONG, 1, 0, win));
}

static int rput(int i)
{
    return TRY(MPI_Rput(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win, &request[i]));
}

static int rget(int i)
{
    return TRY(MPI_Rget(to, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win, &request[i]));
}

static int raccumulate(int i)
{
    return TRY(MPI_Raccumulate(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, MPI_SUM, win, &request[i]));
}

static int rget_accumulate(int i)
{
    return TRY(MPI_Rget_accumulate(from, LARGE, MPI_LONG, to, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, MPI_SUM,
                                   win, &request[i]));
}

static int flush(int i)
{
    (void)i;
    OK(MPI_Put(from, SMALL, MPI_LONG, 1, 0, SMALL, MPI_LONG, win));
    return TRY(MPI_Win_flush(1, win));
}

static const struct step {
    const char *name;
    int (*call)(int i);
    int calls;
} steps[] = {
    {"MPI_Put of 16 bytes", put_small, FEW},
    {"MPI_Put", put_large, NEARLY_CHUNK},
    {"MPI_Put of a strided type", put_strided, 2 * NEARLY_CHUNK},
    {"MPI_Get", get, FEW},
    {"MPI_Accumulate of 16 bytes", accumulate_small, FEW},
    {"MPI_Accumulate", accumulate_large, 3 * NEARLY_CHUNK},
    {"MPI_Fetch_and_op", fetch_and_op, FEW},
    {"MPI_Compare_and_swap", compare_and_swap, FEW},
    {"MPI_Rput", rput, 4 * NEARLY_CHUNK},
    {"MPI_Rget", rget, 5 * NEARLY_CHUNK},
    {"MPI_Raccumulate", raccumulate, 6 * NEARLY_CHUNK},
    {"MPI_Rget_accumulate", rget_accumulate, MOST},
    {"MPI_Win_flush", flush, FEW},
};
enum {
    STEPS = sizeof steps / sizeof *steps
};

/* Memory is out in the n-th allocation of the last of the calls. False: there are not so many. */
static bool take(const struct step *step, long n)
{
    int code = MPI_SUCCESS, i;
    bool is_over;

    for (i = 0; i < MOST; i++)
        request[i] = MPI_REQUEST_NULL;
    OK(MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win));
    for (i = 0; i < step->calls && !code; i++) {
        if (i == step->calls - (step->calls < NEARLY_CHUNK ? step->calls : NEARLY_CHUNK))
            until_failure = n;
        code = step->call(i);
    }
    is_over = until_failure > 0;
    until_failure = 0;
    if (code && (class_of(code) != MPI_ERR_NO_MEM || request[i - 1] != MPI_REQUEST_NULL))
        fprintf(stderr, "%s, allocation %ld\n", step->name, n);
    CHECK(!code || class_of(code) == MPI_ERR_NO_MEM);
    CHECK(!code || request[i - 1] == MPI_REQUEST_NULL);
    OK(MPI_Waitall(MOST, request, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock(1, win));
    return !is_over;
}

/* What comes after a failure is as it should be. */
static void still_works(long round)
{
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win));
    for (int i = 0; i < LARGE; i++)
        from[i] = round + i;
    OK(MPI_Put(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Accumulate(from, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_flush(1, win));
    OK(MPI_Get(to, LARGE, MPI_LONG, 1, 0, LARGE, MPI_LONG, win));
    OK(MPI_Win_unlock(1, win));
    for (int i = 0; i < LARGE; i++)
        CHECK_EQ(to[i], 2 * (round + i));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    OK(MPI_Type_vector(LARGE / 2, 1, 2, MPI_LONG, &strided));
    OK(MPI_Type_commit(&strided));
    OK(MPI_Win_create(window, sizeof window, sizeof *window, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int i = 0; i < STEPS && rank == 0; i++)
        for (long n = 1; take(&steps[i], n); n += n < 4 ? 1 : n / 2)
            still_works(n);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_free(&win));
    OK(MPI_Type_free(&strided));
    MPI_Finalize();
    return 0;
}
