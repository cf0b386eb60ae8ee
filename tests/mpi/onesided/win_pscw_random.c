/* ranks: 2 3 4 6 timeout: 60 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Epochs of MPI_Win_post and MPI_Win_start between random groups, on two windows at once. No barrier comes between
 * rounds, so fast ranks are ahead of slow ones by whole epochs. All ranks draw the same plan: who accesses whom, who stores
 * before it posts, what says MPI_MODE_NOCHECK. So each knows what every epoch leaves. PSCW_SEED=... repeats a plan,
 * PSCW_ROUNDS=... makes it longer.
 *
 * Item r of a rank's memory is what rank r has put there last, item `size` what the rank itself has stored. */
#include "win.h"

#include <stdbool.h>
#include <time.h>
#include <unistd.h>

enum {
    RANKS = 6,
    WINDOWS = 2,
    DEFAULT_ROUNDS = 600,
    ROUNDS_OF_WINDOW = 60
};

struct side {
    struct window w;
    bool reaches[RANKS][RANKS]; /* origin, target */
    bool stores[RANKS];
    bool is_unchecked;
    int stored[RANKS];   /* by each rank in its own memory */
    int want[RANKS + 1]; /* in this rank's memory */
};

static struct side side[WINDOWS];
static MPI_Group world;
static uint64_t plan_state, own_state;
static int now; /* the round */

static int draw(uint64_t *state, int below)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (int)((z ^ (z >> 31)) % (unsigned)below);
}

static void dawdle(void)
{
    if (draw(&own_state, 8) == 0)
        usleep((unsigned)draw(&own_state, 300));
}

static MPI_Group members(const struct side *s, bool are_targets)
{
    int list[RANKS], count = 0;
    MPI_Group group;

    for (int r = 0; r < size; r++)
        if (are_targets ? s->reaches[rank][r] : s->reaches[r][rank])
            list[count++] = r;
    for (int i = count - 1; i > 0; i--) { /* in any order */
        int j = draw(&own_state, i + 1), other = list[j];

        list[j] = list[i];
        list[i] = other;
    }
    OK(MPI_Group_incl(world, count, list, &group));
    return group;
}

static int value_of(const struct side *s, int origin)
{
    return (now * WINDOWS + (int)(s - side)) * RANKS + origin;
}

/* Few epochs are unchecked, since these need a barrier. */
static void draw_plan(struct side *s)
{
    int share = 1 + draw(&plan_state, 4);

    for (int a = 0; a < size; a++) {
        for (int b = 0; b < size; b++)
            s->reaches[a][b] = draw(&plan_state, 4) < share;
        s->stores[a] = draw(&plan_state, 2);
        if (s->stores[a])
            s->stored[a] = value_of(s, a);
    }
    s->is_unchecked = draw(&plan_state, 16) == 0;
}

static void post(struct side *s)
{
    int asserted = s->is_unchecked ? MPI_MODE_NOCHECK : 0, count;
    MPI_Group origins = members(s, false);

    OK(MPI_Group_size(origins, &count));
    if (count == 0)
        asserted |= MPI_MODE_NOPUT;
    if (s->stores[rank])
        memcpy(s->w.base + size * (int)sizeof(int), &s->stored[rank], sizeof(int));
    else
        asserted |= MPI_MODE_NOSTORE;
    s->want[size] = s->stored[rank];
    dawdle();
    OK(MPI_Win_post(origins, asserted, s->w.win));
    OK(MPI_Group_free(&origins));
}

static void start(struct side *s)
{
    MPI_Group targets = members(s, true);

    OK(MPI_Win_start(targets, s->is_unchecked ? MPI_MODE_NOCHECK : 0, s->w.win));
    OK(MPI_Group_free(&targets));
}

/* `value` stays until the epoch ends. */
static void access_one(struct side *s, int target, const int *value, int *got)
{
    MPI_Aint to = window_at(&s->w, target, rank);

    OK(MPI_Get(got, 1, MPI_INT, target, window_at(&s->w, target, size), 1, MPI_INT, s->w.win));
    if (draw(&own_state, 2))
        OK(MPI_Put(value, 1, MPI_INT, target, to, 1, MPI_INT, s->w.win));
    else
        OK(MPI_Accumulate(value, 1, MPI_INT, target, to, 1, MPI_INT, MPI_REPLACE, s->w.win));
}

static void access_targets(struct side *s)
{
    static int got[RANKS];
    int first = draw(&own_state, size), value = value_of(s, rank);

    for (int i = 0; i < size; i++) {
        int target = (first + i) % size;

        if (!s->reaches[rank][target])
            continue;
        dawdle();
        access_one(s, target, &value, &got[target]);
    }
    OK(MPI_Win_complete(s->w.win));
    for (int target = 0; target < size; target++)
        if (s->reaches[rank][target])
            CHECK_EQ(got[target], s->stored[target]);
}

static void wait_for_origins(struct side *s)
{
    int flag = 0, value;

    dawdle();
    if (draw(&own_state, 2))
        while (!flag)
            OK(MPI_Win_test(s->w.win, &flag));
    else
        OK(MPI_Win_wait(s->w.win));
    for (int r = 0; r <= size; r++) {
        if (r < size && s->reaches[r][rank])
            s->want[r] = value_of(s, r);
        memcpy(&value, s->w.base + r * (int)sizeof value, sizeof value);
        CHECK_EQ(value, s->want[r]);
    }
}

static void open_epochs(void)
{
    int first = draw(&own_state, WINDOWS), starts_first = draw(&own_state, 2);

    for (int i = 0; i < WINDOWS; i++) {
        struct side *s = &side[(first + i) % WINDOWS];

        if (starts_first && !s->is_unchecked)
            start(s);
        post(s);
    }
    if (side[0].is_unchecked || side[1].is_unchecked)
        OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < WINDOWS; i++)
        if (!starts_first || side[i].is_unchecked)
            start(&side[i]);
}

/* Nobody waits before it has posted both windows. Only the first one's origins are waited for before both epochs are
 * complete: else ranks could wait for each other. */
static void play(void)
{
    int first = draw(&own_state, WINDOWS), waits_between = first == 0 && draw(&own_state, 2);

    for (int i = 0; i < WINDOWS; i++)
        draw_plan(&side[i]);
    open_epochs();
    access_targets(&side[first]);
    if (waits_between)
        wait_for_origins(&side[0]);
    access_targets(&side[!first]);
    wait_for_origins(&side[1]);
    if (!waits_between)
        wait_for_origins(&side[0]);
}

static void choose_seed(void)
{
    const char *wanted = getenv("PSCW_SEED");
    uint64_t seed = wanted ? strtoull(wanted, NULL, 0) : (uint64_t)time(NULL) << 16 ^ (uint64_t)clock();

    OK(MPI_Bcast(&seed, 1, MPI_UINT64_T, 0, MPI_COMM_WORLD));
    if (rank == 0)
        printf("PSCW_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    plan_state = seed;
    own_state = seed * 31 + (uint64_t)rank;
}

static void open_window(struct side *s)
{
    enum way way = (enum way)draw(&plan_state, WAYS);
    MPI_Aint bytes = (RANKS + 1) * (MPI_Aint)sizeof(int);

    memset(s, 0, sizeof *s);
    if (!window_open(&s->w, way, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
        CHECK(window_open(&s->w, ALLOCATED, bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("PSCW_ROUNDS");
    int rounds = wanted ? atoi(wanted) : DEFAULT_ROUNDS;

    set_up(&argc, &argv);
    CHECK(size <= RANKS);
    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    choose_seed();
    for (now = 1; now <= rounds; now++) {
        for (int i = 0; i < WINDOWS && now % ROUNDS_OF_WINDOW == 1; i++)
            open_window(&side[i]);
        play();
        for (int i = 0; i < WINDOWS && (now % ROUNDS_OF_WINDOW == 0 || now == rounds); i++)
            window_close(&side[i].w);
    }
    OK(MPI_Group_free(&world));
    MPI_Finalize();
    return 0;
}
