#include "coll/shm/host_tree_making.h"

#include "base/round.h"
#include "coll/algo/host_groups.h"
#include "coll/sched/exchange.h"
#include "plain/log.h"

#include <stdlib.h>

enum {
    CALLS_BEFORE = 4, /* that could have used a tree before it is made */
    LINES = 16,       /* of eight calls */
    REQUEST_LINES = 8,
    SEGMENTS = 4 /* so that a call never waits for what it has itself in one */
};

/* Of a communicator. */
struct host_trees {
    struct schedule_team team; /* the ranks of this host */
    bool is_one_host;          /* which are all */
    bool is_possible;
    bool has_shape, is_made; /* or it was tried */
    int calls;
    struct tree_edge *edge; /* owned, as the next; NULL: there is no shape */
    struct tree_span *span;
    int member[TREE_CHILDREN_MOST + 2], count, self;
    struct host_tree *form[FORM_PERSISTENT];
    struct link persistent;
};

static void free_tree(struct host_tree *t)
{
    if (!t)
        return;
    mailbox_free(t->boxes);
    free(t);
}

/* Those of requests that are gone; all at the end. */
static void sweep_trees(struct host_trees *trees, bool all)
{
    struct link *next;

    for (struct link *l = trees->persistent.next; l != &trees->persistent; l = next) {
        struct host_tree *t = LIST_ENTRY(l, struct host_tree, link);

        next = l->next; /* acquire: pairs with the release in schedule_free */
        if (!all && !atomic_load_explicit(&t->is_over, memory_order_acquire))
            continue;
        list_remove(l);
        free_tree(t);
    }
}

static void free_trees(struct host_trees *trees)
{
    for (int form = 0; form < FORM_PERSISTENT; form++)
        free_tree(trees->form[form]);
    sweep_trees(trees, true);
    free(trees->edge);
    free(trees->span);
    free(trees);
}

static bool shares_host(const struct comm *comm, const struct schedule_team *team)
{
    int r = 0;

    while (r < team->size && net_shares_host(&comm->process[schedule_team_at(team, r)], 1))
        r++;
    return r == team->size;
}

/* Made on first use. Without memory the job ends: a rank that does not count along would choose otherwise than the others. */
static struct host_trees *trees_of(struct comm *comm)
{
    struct host_trees *trees = comm->host_trees;

    if (trees)
        return trees;
    trees = calloc(1, sizeof *trees);
    if (!trees)
        log_die("no memory to keep account of the trees of a communicator");
    list_init(&trees->persistent);
    trees->is_one_host = !comm_is_inter(comm) && !host_groups_are_several(comm);
    trees->team = trees->is_one_host ? (struct schedule_team){.size = comm->size, .me = comm->rank}
                                     : host_groups_local(host_groups_of(comm), comm->rank);
    trees->is_possible = !comm_is_inter(comm) && trees->team.size > 1 && trees->team.size <= TREE_RANKS &&
                         shares_host(comm, &trees->team);
    comm->host_trees = trees;
    comm->host_trees_free = free_trees;
    return trees;
}

/* Of the longest line. */
static size_t line_bytes(const struct comm *comm, const struct coll_call *call)
{
    enum collective c = call->list->collective;
    size_t bytes = call->bytes;

    if ((c == COLL_GATHER || c == COLL_SCATTER || c == COLL_ALLGATHER || c == COLL_SCAN) &&
        __builtin_mul_overflow(bytes, (size_t)comm->size, &bytes))
        return SIZE_MAX;
    return bytes;
}

bool host_tree_may(struct comm *comm, const struct coll_call *call)
{
    const struct datatype *type = call->in.type;
    struct host_trees *trees;

    if (line_bytes(comm, call) > HOST_TREE_MOST || call->is_irregular || comm->size == 1 || net_survives())
        return false;
    trees = trees_of(comm);
    return trees->is_one_host && trees->is_possible &&
           (!call->op || (type->dense && type->representation != REP_NONE));
}

/* This rank's children, itself and its parent. */
static void host_tree_find_neighbours(struct host_trees *trees)
{
    int rank = trees->team.me;

    trees->self = tree_children(trees->edge, trees->team.size, rank, trees->member);
    trees->member[trees->self] = rank;
    trees->count = trees->self + 1;
    if (trees->edge[rank].parent >= 0)
        trees->member[trees->count++] = trees->edge[rank].parent;
}

/* Where the ranks are, and so the shape. */
static void make_shape(struct comm *comm, struct host_trees *trees)
{
    size_t size = (size_t)trees->team.size;
    struct machine_place mine = machine_place_mine(), *place = malloc(size * sizeof *place);

    trees->has_shape = true;
    trees->edge = calloc(size, sizeof *trees->edge);
    trees->span = calloc(size, sizeof *trees->span);
    if (!place || !trees->edge || !trees->span)
        log_die("no memory to agree on a tree of %zu ranks", size);
    /* after an error, which is that of a rank that has ended, the exchanges of the mailboxes fail too */
    region_agreed(exchange_bytes_in(comm, trees->team, &mine, place, sizeof mine));
    if (trees->is_possible && !(tree_shape(place, trees->team.size, trees->edge) &&
                                tree_spans(trees->edge, trees->team.size, trees->span)))
        log_die("no memory for a tree of %zu ranks", size);
    free(place);
    if (trees->is_possible)
        host_tree_find_neighbours(trees);
}

/* Ranks that cannot have one take part as well: all of comm exchange at the same time. */
static struct host_tree *host_tree_make(struct comm *comm, const struct host_trees *trees,
                                        struct mailbox_shape shape)
{
    struct host_tree *t = trees->is_possible ? calloc(1, sizeof *t) : NULL;
    struct region_team team = {trees->team, trees->member, trees->count, trees->self};
    struct mailboxes *boxes = mailbox_new_in(comm, shape, &team, t != NULL);

    if (!boxes) {
        free(t);
        return NULL;
    }
    *t = (struct host_tree){.boxes = boxes,
                            .edge = trees->edge,
                            .span = trees->span,
                            .member = trees->member,
                            .size = trees->team.size,
                            .rank = trees->team.me};
    list_init(&t->link);
    return t;
}

static struct host_tree *make_persistent(struct comm *comm, struct host_trees *trees, size_t bytes)
{
    struct mailbox_shape shape = {.lines = REQUEST_LINES, .segments = SEGMENTS, .segment = LINE_BYTES};
    struct host_tree *t;

    if (bytes > LINE_BYTES)
        shape.segment = round_up(bytes, PAYLOAD_UNIT);
    else
        shape.segments = 0;
    sweep_trees(trees, false);
    if (!trees->has_shape)
        make_shape(comm, trees);
    t = host_tree_make(comm, trees, shape);
    if (t)
        list_add(&trees->persistent, &t->link);
    return t;
}

struct host_tree *host_tree_find(struct comm *comm, enum form form, size_t bytes)
{
    static const struct mailbox_shape shape = {LINES, SEGMENTS, HOST_TREE_MOST};
    struct host_trees *trees;

    /* inkling simulate has no processes; where ranks may die, the neighbours of others do not learn of it in a tree */
    if (bytes > HOST_TREE_MOST || !comm->process || net_survives())
        return NULL;
    trees = trees_of(comm);
    if (form == FORM_PERSISTENT)
        return make_persistent(comm, trees, bytes);
    if (!trees->is_made && ++trees->calls > CALLS_BEFORE && form == FORM_BLOCKING) {
        trees->is_made = true;
        if (!trees->has_shape)
            make_shape(comm, trees);
        for (int f = 0; f < FORM_PERSISTENT; f++)
            trees->form[f] = host_tree_make(comm, trees, shape);
    }
    return trees->form[form];
}
