/* What OSU's benchmarks of collectives do when they are given no arguments, written anew: messages of 1 byte
 * to 1 MiB of MPI_CHAR, reductions on MPI_CHAR too, 1,000 times each after 100 unmeasured (100 after 10 above
 * 8 KiB), a barrier after each, page-aligned buffers, the mean of all ranks' times printed. Unlike there,
 * every result is checked.
 *
 *     collectives NAME [blocking|nonblocking|persistent] [MPI_SUM|MPI_MAX]
 * [single|funneled|serialized|multiple] */
#include "calls.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGEST = 1 << 20,
    LARGE = 8192
};

static void fail(const char *what, const char *which)
{
    fprintf(stderr, "collectives: %s '%s'\n", what, which);
    MPI_Abort(MPI_COMM_WORLD, 1);
    exit(1);
}

/* Byte i of what rank `from` has for rank `to`. */
static char item(int from, int to, int i)
{
    return (char)(from * 31 + to * 17 + i % 251);
}

static char folded(const struct run *run, int ranks, int to, int i)
{
    char all = item(0, to, i);
    for (int from = 1; from < ranks; from++) {
        char next = item(from, to, i);
        if (run->op == MPI_SUM)
            all = (char)(all + next);
        else
            all = next > all ? next : all;
    }
    return all;
}

static char expected(const struct run *run, enum result result, int block, int i)
{
    switch (result) {
    case OF_ROOT:
        return item(0, 0, i);
    case PART_OF_ROOT:
        return item(0, run->rank, i);
    case ONE_OF_EACH:
        return item(block, 0, i);
    case MINE_OF_EACH:
        return item(block, run->rank, i);
    case REDUCED:
        return folded(run, run->ranks, 0, i);
    case MY_PART_REDUCED:
        return folded(run, run->ranks, run->rank, i);
    case REDUCED_UP_TO_ME:
        return folded(run, run->rank + 1, 0, i);
    default:
        return 0;
    }
}

static void fill(struct run *run, const struct collective *call)
{
    int blocks = call->sends_blocks ? run->ranks : 1;
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < run->bytes; i++)
            run->send[(size_t)block * run->bytes + i] = item(run->rank, block, i);
    memset(run->receive, -1, (size_t)run->ranks * run->bytes);
}

static void verify(const struct run *run, const struct collective *call)
{
    if (call->result == NOTHING || (call->only_root && run->rank != 0))
        return;
    const char *got = call->result == OF_ROOT ? run->send : run->receive;
    int blocks = call->result == ONE_OF_EACH || call->result == MINE_OF_EACH ? run->ranks : 1;
    for (int block = 0; block < blocks; block++)
        for (int i = 0; i < run->bytes; i++)
            if (got[(size_t)block * run->bytes + i] != expected(run, call->result, block, i)) {
                fprintf(stderr, "collectives: %s of %d bytes: rank %d has a wrong byte %d in block %d\n",
                        call->name, run->bytes, run->rank, i, block);
                MPI_Abort(MPI_COMM_WORLD, 1);
            }
}

static void call_once(struct run *run, const struct collective *call, enum form form)
{
    if (form == BLOCKING) {
        call->blocking(run);
        return;
    }
    if (form == NONBLOCKING)
        call->nonblocking(run);
    else
        MPI_Start(&run->request);
    MPI_Wait(&run->request, MPI_STATUS_IGNORE);
}

/* The seconds that one call takes on this rank, the barrier after it left out. */
static double measure(struct run *run, const struct collective *call, enum form form)
{
    int counted = run->bytes > LARGE ? 100 : 1000;
    int skipped = counted / 10;
    double spent = 0;
    if (form == PERSISTENT)
        call->persistent(run);
    for (int i = 0; i < counted + skipped; i++) {
        double start = MPI_Wtime();
        call_once(run, call, form);
        if (i >= skipped)
            spent += MPI_Wtime() - start;
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (form == PERSISTENT)
        MPI_Request_free(&run->request);
    return spent / counted;
}

static void one_size(struct run *run, const struct collective *call, enum form form, int bytes)
{
    run->bytes = bytes;
    for (int i = 0; i < run->ranks; i++) {
        run->counts[i] = bytes;
        run->places[i] = i * bytes;
        run->types[i] = MPI_CHAR;
    }
    fill(run, call);
    double seconds = measure(run, call, form), sum = 0;
    verify(run, call);
    MPI_Reduce(&seconds, &sum, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    if (run->rank == 0) {
        printf("%-10d %18.2f\n", bytes, sum / run->ranks * 1e6);
        fflush(stdout);
    }
}

static void *pages(size_t bytes)
{
    void *memory = NULL;
    if (posix_memalign(&memory, (size_t)sysconf(_SC_PAGESIZE), bytes))
        fail("no memory for", "buffers");
    return memory;
}

static void all_sizes(const struct collective *call, enum form form, MPI_Op op)
{
    struct run run = {.op = op, .request = MPI_REQUEST_NULL};
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
    run.send = pages((size_t)run.ranks * LARGEST);
    run.receive = pages((size_t)run.ranks * LARGEST);
    run.counts = pages(sizeof(int) * run.ranks);
    run.places = pages(sizeof(int) * run.ranks);
    run.types = pages(sizeof(MPI_Datatype) * run.ranks);
    if (run.rank == 0)
        printf("# %s\n%-10s %18s\n", call->name, "# Size", "Avg Latency(us)");
    int last = call->result == NOTHING ? 1 : LARGEST;
    for (int bytes = 1; bytes <= last; bytes *= 2)
        one_size(&run, call, form, bytes);
    free(run.send);
    free(run.receive);
    free(run.counts);
    free(run.places);
    free(run.types);
}

/* The place of the word in a list that ends with NULL, or -1. */
static int place_of(const char *word, const char *const *list)
{
    for (int i = 0; list[i]; i++)
        if (!strcmp(word, list[i]))
            return i;
    return -1;
}

int main(int argc, char **argv)
{
    static const char *const forms[] = {"blocking", "nonblocking", "persistent", NULL};
    static const char *const ops[] = {"MPI_SUM", "MPI_MAX", NULL};
    static const char *const levels[] = {"single", "funneled", "serialized", "multiple", NULL};
    static const int level_of[] = {MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED,
                                   MPI_THREAD_MULTIPLE};
    int form = BLOCKING, op = 0, level = 0, provided;
    for (int i = 2; i < argc; i++) {
        int a_form = place_of(argv[i], forms), an_op = place_of(argv[i], ops),
            a_level = place_of(argv[i], levels);
        form = a_form >= 0 ? a_form : form;
        op = an_op >= 0 ? an_op : op;
        level = a_level >= 0 ? a_level : level;
    }
    MPI_Init_thread(&argc, &argv, level_of[level], &provided);
    if (provided < level_of[level])
        fail("the library does not provide threads as in", levels[level]);
    const struct collective *call = argc > 1 ? collective_find(argv[1]) : NULL;
    if (!call)
        fail("no collective named", argc > 1 ? argv[1] : "");
    all_sizes(call, (enum form)form, op ? MPI_MAX : MPI_SUM);
    MPI_Finalize();
    return 0;
}
