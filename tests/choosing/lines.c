/* lines: what a rank does in a collective of 8 bytes along a tree of mailboxes, counted from the steps of its schedule, which are what runs:
 * cache lines that it reads after another rank has written them, lines that it writes for others, and steps. INKLING_X=mailbox_tree and
 * INKLING_TOPOLOGY say how. Rank 0 replays the schedules of all in a model: a rank reads a line in one unit of time, and a line goes to one
 * reader after the other, to the one with most ranks behind it first. It holds that against the least that is possible in this model: in k
 * units no rank can know of more than 2^k ranks, and no more than 2^k ranks of one. */
#include "coll/sched/lines.h"
#include "check.h"
#include "request/request.h"

enum {
    STEPS_MOST = 200,
    RANKS_MOST = 256
};

/* A line that is read or written. */
struct touch {
    int kind, line, rank;
};

struct record {
    int touches, steps; /* steps: all, copies and reductions too */
    struct touch touch[STEPS_MOST];
};

static int rank, ranks, packages, cores; /* cores: of a package */
static struct record mine, *all;

static void record_step(const struct schedule *s, const struct step *step)
{
    mine.steps++;
    CHECK(step->kind != STEP_SEND && step->kind != STEP_RECV && step->kind != STEP_WAIT);
    if (step->kind == STEP_PUBLISH || step->kind == STEP_TAKE || step->kind == STEP_FOLD)
        mine.touch[mine.touches++] = (struct touch){
            step->kind, step->line, step->kind == STEP_PUBLISH ? rank : s->tree->member[step->peer]};
}

static uint64_t in, out, every_in[RANKS_MOST], every_out[RANKS_MOST];

/* Of 8 bytes of each rank. */
static MPI_Request init_request(const char *name)
{
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Info none = MPI_INFO_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    int error = MPI_ERR_OTHER;

    if (!strcmp(name, "barrier"))
        error = MPI_Barrier_init(comm, none, &request);
    else if (!strcmp(name, "bcast"))
        error = MPI_Bcast_init(&in, 1, MPI_UINT64_T, 0, comm, none, &request);
    else if (!strcmp(name, "allreduce"))
        error = MPI_Allreduce_init(&in, &out, 1, MPI_UINT64_T, MPI_SUM, comm, none, &request);
    else if (!strcmp(name, "gather"))
        error = MPI_Gather_init(&in, 1, MPI_UINT64_T, every_out, 1, MPI_UINT64_T, 0, comm, none, &request);
    else if (!strcmp(name, "scatter"))
        error = MPI_Scatter_init(every_in, 1, MPI_UINT64_T, &out, 1, MPI_UINT64_T, 0, comm, none, &request);
    else if (!strcmp(name, "allgather"))
        error = MPI_Allgather_init(&in, 1, MPI_UINT64_T, every_out, 1, MPI_UINT64_T, comm, none, &request);
    else if (!strcmp(name, "scan"))
        error = MPI_Scan_init(&in, &out, 1, MPI_UINT64_T, MPI_SUM, comm, none, &request);
    else if (!strcmp(name, "reduce_scatter"))
        error = MPI_Reduce_scatter_block_init(every_in, &out, 1, MPI_UINT64_T, MPI_SUM, comm, none, &request);
    CHECK_EQ(error, MPI_SUCCESS);
    return request;
}

static bool is_one_of(const char *name, const char *other, const char *another)
{
    return !strcmp(name, other) || !strcmp(name, another);
}

static void check_result(const char *name)
{
    CHECK(strcmp(name, "allreduce") != 0 || out == (uint64_t)ranks);
    CHECK(strcmp(name, "scan") != 0 || out == (uint64_t)rank + 1);
    CHECK(strcmp(name, "scatter") != 0 || out == (uint64_t)rank * 3);
    CHECK(strcmp(name, "reduce_scatter") != 0 || out == (uint64_t)rank * 3 * (uint64_t)ranks);
    for (int r = 0; r < ranks && (!strcmp(name, "allgather") || (!strcmp(name, "gather") && rank == 0)); r++)
        CHECK_EQ(every_out[r], 1);
    memset(every_out, 0, sizeof every_out);
}

static void record_steps(const char *name)
{
    MPI_Request request = init_request(name);
    struct schedule *s;

    s = *(struct schedule **)(void *)request_find(request)->space;
    CHECK(s->tree != NULL);
    memset(&mine, 0, sizeof mine);
    for (int i = 0; i < s->steps; i++)
        record_step(s, &s->step[i]);
    in = 1;
    out = 0;
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    check_result(name);
    CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

/* Whose line of this kind a rank reads; -1: none. Of those up there are several. */
static int source_of(int r)
{
    for (int i = 0; i < all[r].touches; i++)
        if (all[r].touch[i].kind != STEP_PUBLISH && all[r].touch[i].line == LINE_DOWN)
            return all[r].touch[i].rank;
    return -1;
}

/* turn[r]: rank r is the first, second ... that its source's line goes to. */
static void find_turns(int *turn)
{
    static int behind[RANKS_MOST];

    memset(behind, 0, sizeof behind);
    for (int r = 0; r < ranks; r++)
        for (int at = r; at >= 0; at = source_of(at))
            behind[at]++;
    for (int r = 0; r < ranks; r++) {
        turn[r] = 1;
        for (int other = 0; other < ranks; other++)
            turn[r] += source_of(other) == source_of(r) &&
                       (behind[other] > behind[r] || (behind[other] == behind[r] && other < r));
    }
}

/* Goes on with a rank as far as it can. Returns whether it did anything. */
static bool replay_rank(int r, const int *turn, int *next, int *clock, int there[][2])
{
    bool has_done = false;

    for (; next[r] < all[r].touches; next[r]++, has_done = true) {
        const struct touch *t = &all[r].touch[next[r]];
        int came = there[t->rank][t->line] + (t->line == LINE_DOWN ? turn[r] : 1);

        if (t->kind == STEP_PUBLISH) {
            there[r][t->line] = clock[r];
            continue;
        }
        if (there[t->rank][t->line] < 0)
            break;
        clock[r] = clock[r] + 1 > came ? clock[r] + 1 : came;
    }
    return has_done;
}

/* Units of time until all ranks are done. */
static int replay_all(void)
{
    static int next[RANKS_MOST], clock[RANKS_MOST], there[RANKS_MOST][2], turn[RANKS_MOST];
    bool goes_on = true;
    int last = 0;

    memset(next, 0, sizeof next);
    memset(clock, 0, sizeof clock);
    memset(there, -1, sizeof there);
    find_turns(turn);
    while (goes_on) {
        goes_on = false;
        for (int r = 0; r < ranks; r++)
            goes_on = replay_rank(r, turn, next, clock, there) || goes_on;
    }
    for (int r = 0; r < ranks; r++) {
        CHECK_EQ(next[r], all[r].touches);
        last = clock[r] > last ? clock[r] : last;
    }
    return last;
}

static int log_up(int n)
{
    int log = 0;

    while (1 << log < n)
        log++;
    return log;
}

/* Whether they are in different packages: the ranks of each are one behind the other. */
static int is_far(int a, int b)
{
    return a / cores != b / cores;
}

static void check_costs(const char *name)
{
    int reads = 0, writes = 0, steps = 0, every = 0, far = 0,
        ways = is_one_of(name, "bcast", "scatter") || !strcmp(name, "gather") ? 1 : 2;
    int least = ways * log_up(ranks), units = replay_all();

    for (int r = 0; r < ranks; r++) {
        int own[2] = {0};

        for (int i = 0; i < all[r].touches; i++) {
            own[all[r].touch[i].kind == STEP_PUBLISH]++;
            far += is_far(r, all[r].touch[i].rank);
        }
        every += own[0];
        reads = own[0] > reads ? own[0] : reads;
        writes = own[1] > writes ? own[1] : writes;
        steps = all[r].steps > steps ? all[r].steps : steps;
    }
    printf("%-9s %3d ranks: the busiest rank reads %d lines, writes %d, takes %d steps; %d units of time, at "
           "least %d\n",
           name, ranks, reads, writes, steps, units, least);
    CHECK(units * 10 <= least * 13);
    CHECK(reads <= log_up(ranks) + 4); /* each level of the machine may add one, and the parent's line */
    CHECK(writes <= 2);
    /* copies the input, and the result if that is one vector; the end */
    CHECK(steps <= reads + writes + 3 + (is_one_of(name, "scatter", "scan") ? ranks : 0));
    CHECK_EQ(every, ways * (ranks - 1)); /* every rank is heard of once: fewer lines do not do */
    CHECK_EQ(far, ways * (packages - 1));
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"barrier", "bcast",     "allreduce", "gather",
                                        "scatter", "allgather", "scan",      "reduce_scatter"};
    int caches;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &ranks), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(sscanf(getenv("INKLING_TOPOLOGY"), "%dx%dx%d", &packages, &caches, &cores), 3);
    cores *= caches;
    for (int r = 0; r < ranks; r++)
        every_in[r] = (uint64_t)r * 3;
    all = calloc(rank ? 0 : (size_t)ranks, sizeof *all);
    CHECK((rank || all) && ranks <= RANKS_MOST);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        record_steps(names[i]);
        CHECK_EQ(MPI_Gather(&mine, sizeof mine, MPI_BYTE, all, sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD),
                 MPI_SUCCESS);
        if (rank == 0)
            check_costs(names[i]);
    }
    free(all);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
