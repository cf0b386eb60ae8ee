/* Random operations on windows, against a sequential reference that each rank works out alone.
 *
 * A seed gives every rank the same plan (plan.h): a few windows, each made in one of five ways with hints of
 * its own (windows.h), and rounds of operations in one kind of epoch: fence, post-start-complete-wait over a
 * random graph, locks, exclusive locks, lock_all with flushes. Layouts of the origin's buffers, the forms of
 * the calls and when requests complete differ. After each round every byte of memory and every result that is
 * determined is compared; of the others what their use promises. What is complete at its origin sooner is looked at
 * then, and its buffer overwritten.
 *
 * WIN_SEED=N repeats a run, also as the first argument; OPERATIONS=N, or the second one, is how many operations
 * all ranks together do, about. WIN_THREADS=1: under MPI_THREAD_MULTIPLE. */
#include "windows.h"

#include <time.h>

enum {
    WINDOWS = 3,
    ROUNDS_OF_FILLING = 4,
    ROUNDS_OF_WINDOW = 40,
    DEFAULT_OPERATIONS = 60000,
    BUFFER = 2 * SLOT
};

static struct tested windows[WINDOWS];
static struct plan plan;
static unsigned char origin[OPERATIONS][BUFFER], result[OPERATIONS][BUFFER];
static MPI_Request requests[OPERATIONS];
static int open_requests, number_of[OPERATIONS]; /* the operation of each request */
static uint64_t own_state, seed;

static int draw_own(int below)
{
    own_state = own_state * 6364136223846793005u + 1442695040888963407u;
    return (int)((own_state >> 33) % (unsigned)below);
}

/* Where item i of an origin's buffer lies. */
static int item_at(const struct operation *o, int i)
{
    return o->origin_layout == 0 ? i : o->origin_layout == 1 ? 2 * i : 2 * (o->count - 1 - i);
}

static void spread(const struct operation *o, unsigned char *buffer, const unsigned char *dense)
{
    int bytes = item_types[o->type].bytes;

    for (int i = 0; i < o->count; i++)
        memcpy(buffer + item_at(o, i) * bytes, dense + i * bytes, (size_t)bytes);
}

static void collect(const struct operation *o, const unsigned char *buffer, unsigned char *dense)
{
    int bytes = item_types[o->type].bytes;

    for (int i = 0; i < o->count; i++)
        memcpy(dense + i * bytes, buffer + item_at(o, i) * bytes, (size_t)bytes);
}

/* A datatype and its count, for one side of an operation. */
struct side {
    MPI_Datatype type;
    int count;
    bool is_own;
};

static struct side origin_side(const struct operation *o)
{
    struct side s = {item_types[o->type].type, o->count, false};
    int at[PER_SLOT];

    if (o->origin_layout == 0)
        return s;
    for (int i = 0; i < o->count; i++)
        at[i] = item_at(o, i);
    if (o->origin_layout == 1)
        OK(MPI_Type_vector(o->count, 1, 2, s.type, &s.type));
    else
        OK(MPI_Type_create_indexed_block(o->count, 1, at, s.type, &s.type));
    OK(MPI_Type_commit(&s.type));
    return (struct side){s.type, 1, true};
}

/* Address 0 for *at, and the items at addresses of their own. */
static struct side absolute_side(const struct operation *o, MPI_Aint *at)
{
    struct side s = {item_types[o->type].type, 1, true};
    MPI_Aint item[PER_SLOT];

    for (int i = 0; i < o->count; i++)
        item[i] = MPI_Aint_add(*at, i * o->step * item_types[o->type].bytes);
    OK(MPI_Type_create_hindexed_block(o->count, 1, item, s.type, &s.type));
    OK(MPI_Type_commit(&s.type));
    *at = 0;
    return s;
}

static struct side target_side(const struct tested *t, const struct operation *o, MPI_Aint *at)
{
    struct side s = {item_types[o->type].type, o->count, false};

    if (t->way == DYNAMIC && o->is_absolute)
        return absolute_side(o, at);
    if (o->step == 1)
        return s;
    OK(MPI_Type_vector(o->count, 1, o->step, s.type, &s.type));
    OK(MPI_Type_commit(&s.type));
    return (struct side){s.type, 1, true};
}

#if MPI_VERSION >= 4
#define FORM(o, X, ...) ((o)->is_large ? MPI_##X##_c(__VA_ARGS__) : MPI_##X(__VA_ARGS__))
#else
#define FORM(o, X, ...) MPI_##X(__VA_ARGS__)
#endif

static void move(const struct tested *t, const struct operation *o, int number)
{
    MPI_Aint at = tested_at(t, o->target, o->slot, o->first * item_types[o->type].bytes);
    struct side a = origin_side(o), b = target_side(t, o, &at);
    MPI_Request *r = &requests[open_requests];
    unsigned char *out = origin[number], *in = result[number];
    int to = o->target;

    if (o->kind == PUT && o->is_request)
        OK(FORM(o, Rput, out, a.count, a.type, to, at, b.count, b.type, t->win, r));
    else if (o->kind == PUT)
        OK(FORM(o, Put, out, a.count, a.type, to, at, b.count, b.type, t->win));
    else if (o->kind == GET && o->is_request)
        OK(FORM(o, Rget, in, a.count, a.type, to, at, b.count, b.type, t->win, r));
    else if (o->kind == GET)
        OK(FORM(o, Get, in, a.count, a.type, to, at, b.count, b.type, t->win));
    else if (o->kind == ACCUMULATE && o->is_request)
        OK(FORM(o, Raccumulate, out, a.count, a.type, to, at, b.count, b.type, o->op, t->win, r));
    else if (o->kind == ACCUMULATE)
        OK(FORM(o, Accumulate, out, a.count, a.type, to, at, b.count, b.type, o->op, t->win));
    else if (o->is_request)
        OK(FORM(o, Rget_accumulate, out, a.count, a.type, in, a.count, a.type, to, at, b.count, b.type, o->op,
                t->win, r));
    else
        OK(FORM(o, Get_accumulate, out, a.count, a.type, in, a.count, a.type, to, at, b.count, b.type, o->op,
                t->win));
    if (o->is_request)
        number_of[open_requests++] = number;
    if (a.is_own)
        OK(MPI_Type_free(&a.type));
    if (b.is_own)
        OK(MPI_Type_free(&b.type));
}

/* Under an exclusive lock: three calls that only together are one. */
static void increment(const struct tested *t, const struct operation *o, int number)
{
    MPI_Aint at = tested_at(t, o->target, o->slot, 0);
    MPI_Datatype type = item_types[o->type].type;
    uint64_t value = 0;

    OK(MPI_Get(result[number], 1, type, o->target, at, 1, type, t->win));
    OK(MPI_Win_flush(o->target, t->win));
    memcpy(&value, result[number], (size_t)item_types[o->type].bytes);
    value++;
    memcpy(origin[number], &value, sizeof value);
    OK(MPI_Put(origin[number], 1, type, o->target, at, 1, type, t->win));
    OK(MPI_Win_flush(o->target, t->win));
}

static void wrong_result(const struct tested *t, const struct operation *o, const char *what)
{
    fprintf(stderr,
            "window: %s; sync %d, kind %d, use %d: target %d, slot %d, items %d + %d * %d of %d bytes\n",
            t->description, (int)plan.sync, (int)o->kind, (int)o->use, o->target, o->slot, o->first, o->count,
            o->step, item_types[o->type].bytes);
    check_failed(__FILE__, __LINE__, what, "");
}

static bool has_result(const struct operation *o)
{
    return o->kind != PUT && o->kind != ACCUMULATE;
}

/* What an operation fetched; and nothing lies between its items, or where nothing is fetched. */
static void check_result(const struct tested *t, int number)
{
    const struct operation *o = &plan.operation[number];
    size_t bytes = (size_t)(o->count * item_types[o->type].bytes);
    unsigned char got[SLOT], due[BUFFER];

    collect(o, result[number], got);
    if (has_result(o) && o->is_known && memcmp(got, o->want, bytes) != 0)
        wrong_result(t, o, "what was fetched is not what was there");
    memset(due, 0xcc, BUFFER);
    if (has_result(o))
        spread(o, due, got);
    if (memcmp(result[number], due, BUFFER) != 0)
        wrong_result(t, o, "something else was written than what is fetched");
}

/* Its buffers are the program's again. */
static void end_locally(const struct tested *t, int number)
{
    check_result(t, number);
    memset(origin[number], 0xee, BUFFER);
}

static void end_all_to(const struct tested *t, int target, int last)
{
    for (int i = 0; i <= last; i++)
        if (plan.operation[i].origin == t->rank && plan.operation[i].target == target)
            end_locally(t, i);
}

static void end_requests(const struct tested *t)
{
    for (int i = 0; i < open_requests; i++)
        end_locally(t, number_of[i]);
    open_requests = 0;
}

static void wait_some(const struct tested *t)
{
    int index, flag = 0;

    if (!open_requests)
        return;
    if (draw_own(2)) {
        OK(MPI_Waitany(open_requests, requests, &index, MPI_STATUS_IGNORE));
        if (index != MPI_UNDEFINED)
            end_locally(t, number_of[index]);
        return;
    }
    while (!flag)
        OK(MPI_Testall(open_requests, requests, &flag, MPI_STATUSES_IGNORE));
    end_requests(t);
}

static void wait_for_all(const struct tested *t)
{
    OK(MPI_Waitall(open_requests, requests, MPI_STATUSES_IGNORE));
    end_requests(t);
}

static void run(const struct tested *t, const struct operation *o, int number)
{
    MPI_Aint at = tested_at(t, o->target, o->slot, o->first * item_types[o->type].bytes);
    MPI_Datatype type = item_types[o->type].type;

    memset(result[number], 0xcc, BUFFER);
    spread(o, origin[number], o->data);
    if (o->flush_first)
        OK(draw_own(2) ? MPI_Win_flush(o->target, t->win) : MPI_Win_flush_all(t->win));
    if (o->kind == INCREMENT)
        increment(t, o, number);
    else if (o->kind == COMPARE_AND_SWAP)
        OK(MPI_Compare_and_swap(origin[number], o->compare, result[number], type, o->target, at, t->win));
    else if (o->kind == FETCH_AND_OP)
        OK(MPI_Fetch_and_op(origin[number], result[number], type, o->target, at, o->op, t->win));
    else
        move(t, o, number);
    if (plan.sync < LOCK)
        return;
    if (draw_own(8) == 0)
        wait_some(t);
    if (draw_own(16) == 0) {
        OK(MPI_Win_flush_local(o->target, t->win));
        end_all_to(t, o->target, number);
    }
    if (draw_own(32) == 0)
        OK(MPI_Win_sync(t->win));
}

/* All of this rank's operations, with its neighbours' messages among them where nobody waits for a lock. */
static void run_all(const struct tested *t)
{
    int locked = -1, type = plan.sync == LOCK ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, token = t->rank;
    int to = (t->rank + 1) % size, from = (t->rank + size - 1) % size;

    for (int i = 0; i < plan.count; i++) {
        const struct operation *o = &plan.operation[i];

        if (i == plan.count / 2 && plan.variant & 1 && plan.sync != LOCK_EXCLUSIVE && plan.sync != LOCK)
            OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, to, 0, from, 0, t->comm, MPI_STATUS_IGNORE));
        if (o->origin != t->rank)
            continue;
        if ((plan.sync == LOCK || plan.sync == LOCK_EXCLUSIVE) && o->target != locked) {
            wait_for_all(t);
            if (locked >= 0)
                OK(MPI_Win_unlock(locked, t->win));
            locked = o->target;
            OK(MPI_Win_lock(type, locked, 0, t->win));
        }
        run(t, o, i);
    }
    wait_for_all(t);
    if (locked >= 0)
        OK(MPI_Win_unlock(locked, t->win));
}

static MPI_Group members(const struct tested *t, bool are_targets)
{
    MPI_Group all, some;
    int list[RANKS], count = 0;

    for (int r = 0; r < size; r++)
        if (are_targets ? plan.reaches[t->rank][r] : plan.reaches[r][t->rank])
            list[count++] = r;
    OK(MPI_Win_get_group(t->win, &all));
    OK(MPI_Group_incl(all, count, list, &some));
    OK(MPI_Group_free(&all));
    return some;
}

static void run_between_posts(const struct tested *t)
{
    MPI_Group targets = members(t, true), origins = members(t, false);
    int check = plan.variant & 2 ? MPI_MODE_NOCHECK : 0, flag = 0;

    OK(MPI_Win_post(origins, check, t->win));
    if (check)
        OK(MPI_Barrier(t->comm));
    OK(MPI_Win_start(targets, check, t->win));
    OK(MPI_Group_free(&targets));
    OK(MPI_Group_free(&origins));
    run_all(t);
    OK(MPI_Win_complete(t->win));
    if (draw_own(2))
        while (!flag)
            OK(MPI_Win_test(t->win, &flag));
    else
        OK(MPI_Win_wait(t->win));
}

static void run_between_fences(const struct tested *t)
{
    OK(MPI_Win_fence(plan.variant & 2 ? MPI_MODE_NOPRECEDE : 0, t->win));
    run_all(t);
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED | (plan.variant & 4 ? MPI_MODE_NOSTORE : 0), t->win));
}

static void run_epoch(const struct tested *t)
{
    if (plan.sync == FENCE) {
        run_between_fences(t);
    } else if (plan.sync == PSCW) {
        run_between_posts(t);
    } else if (plan.sync == LOCK_ALL) {
        OK(MPI_Win_lock_all(plan.variant & 2 ? MPI_MODE_NOCHECK : 0, t->win));
        run_all(t);
        OK(MPI_Win_unlock_all(t->win));
    } else {
        run_all(t);
    }
    OK(MPI_Barrier(t->comm));
}

/* Tickets: how often each was given, by element. */
static int given[4][TICKETS_MAX];

/* Of numbers of so many bytes, where the first one may be negative. */
static uint64_t difference(uint64_t value, uint64_t first, int bytes)
{
    return (value - first) & (UINT64_MAX >> (64 - 8 * bytes));
}

static void take_tickets(const struct tested *t, const struct operation *o, const unsigned char *got)
{
    int bytes = item_types[o->type].bytes;

    for (int i = 0; i < o->count; i++) {
        uint64_t value = 0, first = 0;

        memcpy(&value, got + i * bytes, (size_t)bytes);
        memcpy(&first, &t->model.before[o->target][o->slot * SLOT + (o->first + i) * bytes], (size_t)bytes);
        value = difference(value, first, bytes);
        if (value >= TICKETS_MAX)
            wrong_result(t, o, "a ticket that cannot be");
        given[o->first + i][value]++;
    }
}

/* Each ticket once, up to the last. */
static void check_tickets(const struct tested *t)
{
    const struct slot *slot = &t->model.slot[plan.ticket_target][plan.ticket_slot];
    int bytes = item_types[slot->type].bytes;

    OK(MPI_Allreduce(MPI_IN_PLACE, given, 4 * TICKETS_MAX, MPI_INT, MPI_SUM, t->comm));
    for (int i = 0; i < 4; i++) {
        uint64_t last = 0, first = 0;
        int at = plan.ticket_slot * SLOT + i * bytes;

        memcpy(&last, &t->model.memory[plan.ticket_target][at], (size_t)bytes);
        memcpy(&first, &t->model.before[plan.ticket_target][at], (size_t)bytes);
        for (uint64_t k = 0; k < TICKETS_MAX; k++)
            CHECK_EQ(given[i][k], k < difference(last, first, bytes));
    }
}

static void check_results(const struct tested *t)
{
    memset(given, 0, sizeof given);
    for (int i = 0; i < plan.count; i++) {
        const struct operation *o = &plan.operation[i];
        unsigned char got[SLOT];

        if (o->origin != t->rank)
            continue;
        check_result(t, i);
        collect(o, result[i], got);
        if (o->use == TICKETS)
            take_tickets(t, o, got);
    }
    if (plan.has_tickets)
        check_tickets(t);
}

static void check_memory(const struct tested *t)
{
    if (!t->without_locks)
        OK(MPI_Win_lock(MPI_LOCK_SHARED, t->rank, 0, t->win));
    tested_check(t);
    if (!t->without_locks)
        OK(MPI_Win_unlock(t->rank, t->win));
    OK(MPI_Barrier(t->comm));
}

static void play(uint64_t round)
{
    struct tested *t = &windows[draw(WINDOWS)];

    if (round % ROUNDS_OF_WINDOW == 0) {
        tested_close(t);
        tested_open(t);
    } else if (round % ROUNDS_OF_FILLING == 0) {
        plan_fill(&t->model, t->units);
        tested_fill(t);
    }
    plan_round(&plan, &t->model, 1 + draw(OPERATIONS), t->without_locks);
    run_epoch(t);
    check_memory(t);
    check_results(t);
}

static void choose_seed(const char *wanted)
{
    seed = wanted ? strtoull(wanted, NULL, 0) : (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();
    OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("WIN_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    plan_seed(seed);
    own_state = seed * 31 + (uint64_t)rank;
}

int main(int argc, char **argv)
{
    const char *given_seed = argc > 1 ? argv[1] : getenv("WIN_SEED");
    const char *most = argc > 2 ? argv[2] : getenv("OPERATIONS");
    uint64_t operations = most ? strtoull(most, NULL, 0) : DEFAULT_OPERATIONS, done = 0;
    int provided;

    OK(MPI_Init_thread(&argc, &argv, getenv("WIN_THREADS") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                       &provided));
    CHECK(!getenv("WIN_THREADS") || provided == MPI_THREAD_MULTIPLE);
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
    CHECK(size <= RANKS);
    choose_seed(given_seed);
    for (int i = 0; i < WINDOWS; i++)
        tested_open(&windows[i]);
    for (uint64_t round = 1; done < operations; round++) {
        play(round);
        done += (uint64_t)plan.count;
    }
    for (int i = 0; i < WINDOWS; i++)
        tested_close(&windows[i]);
    MPI_Finalize();
    return 0;
}
