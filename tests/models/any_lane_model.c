/* any-lane receives: of the arrivals in several lanes one gets the receive, and its entries are gone from all lanes before its memory is.
 *
 * Threads 0 and 1 poll a lane each, in which a message arrives; thread 2 posts a receive in both lanes, or takes it back. */
#include "p2p/match/any_lane.h"

#include "checker.h"

enum {
    LANES = 2
};

struct lane lanes[NET_LANES];
_Thread_local int lane_of_thread;

static struct match match[LANES];
static struct comm comm = {.spread = LANES, .match = {&match[0], &match[1]}};
static struct transfer transfer;
static struct posted *entry[LANES]; /* what is posted in the lane, whose lock guards it */
static bool is_posted;              /* under the locks of all lanes */
static int claims[LANES];           /* how often an arrival of the lane got the receive */

/* In place of the matching: a lane has one receive. */
bool match_post(struct match_space *space, struct posted *p, int source, int tag)
{
    int lane = space == &match[1].space[PLANE_P2P];

    CHECK(!entry[lane]);
    *p = (struct posted){.source = source, .tag = tag};
    entry[lane] = p;
    return true;
}

void match_unpost(struct match_space *space, struct posted *p)
{
    int lane = space == &match[1].space[PLANE_P2P];

    CHECK(entry[lane] == p);
    entry[lane] = NULL;
}

bool object_unref_shared(struct object *o)
{
    return lock_add_shared(&o->refs, (uint32_t)-1) == 0;
}

void comm_free_parts(struct comm *c)
{
    CHECK(c != &comm); /* the program still has it */
}

static void begin(void)
{
    lock_enabled = true;
    atomic_store_explicit(&comm.object.refs, 1, memory_order_relaxed);
    for (int i = 0; i < LANES; i++)
        list_init(&lanes[i].claimed);
    transfer.comm = &comm;
}

static void post(void)
{
    struct lane_set held = {lanes, lanes + LANES};

    for (int i = 0; i < LANES; i++)
        lane_take(&lanes[i]);
    CHECK(any_lane_post(&transfer, 0, 0) == MPI_SUCCESS);
    is_posted = true;
    while (held.end-- > held.first)
        lane_release(held.end);
}

static void begin_posted(void)
{
    begin();
    CHECK(any_lane_post(&transfer, 0, 0) == MPI_SUCCESS);
}

/* As match_recv and poll_and_release of arrive.c. */
static void poll_lane(void)
{
    int number = model_self();
    struct link claimed = LIST_INIT(claimed);
    struct transfer *t = NULL;

    lane_take(&lanes[number]);
    if (entry[number]) {
        struct posted *p = entry[number];

        entry[number] = NULL;
        t = any_lane_claim(&lanes[number], p);
    }
    list_move(&claimed, &lanes[number].claimed);
    if (t) {
        CHECK(t == &transfer && t->lane == number);
        claims[number]++;
        t->moved += 1; /* the transfer is this lane's */
    }
    lane_release(&lanes[number]);
    any_lane_unpost_claimed(&claimed);
}

/* A cancel: whoever holds all lanes sees no claim. */
static void withdraw(void)
{
    for (int i = 0; i < LANES; i++)
        lane_take(&lanes[i]);
    if (!claims[0] && !claims[1])
        any_lane_withdraw(&transfer);
    for (int i = LANES; i-- > 0;)
        lane_release(&lanes[i]);
}

static void end(void)
{
    CHECK(claims[0] + claims[1] <= 1);
    if (claims[0] + claims[1])
        CHECK(!entry[0] && !entry[1] && transfer.moved == 1);
    CHECK(list_is_empty(&lanes[0].claimed) && list_is_empty(&lanes[1].claimed));
}

static void end_withdrawn(void)
{
    end();
    CHECK(!entry[0] && !entry[1]);
}

const struct scenario scenarios[] = {
    {"two arrivals", begin_posted, {poll_lane, poll_lane}, end_withdrawn},
    {"two arrivals while it is posted", begin, {poll_lane, poll_lane, post}, end},
    {"two arrivals while it is cancelled", begin_posted, {poll_lane, poll_lane, withdraw}, end_withdrawn},
    {0}};
const char *const weakened_files[] = {"p2p/match/any_lane.c", NULL};
const struct spare spares[] = {{0}};
