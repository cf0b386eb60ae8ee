#include "net/ofi/rma.h"

#include "base/clock.h"
#include "hint/hint.h"
#include "net/ofi/crowd.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>

enum {
    PART = 256 * 1024, /* bytes of one read operation */
    UNDER_WAY = 3,     /* most parts at a time: more would only fill the network's buffers, and no cache holds
                        * those */
    TRIES = 1000,      /* polls for the end of reads from a lost peer, */
    PATIENCE_NS = 20 * 1000 * 1000 /* and for at least this long */
};

/* One message that is read in parts. */
struct reading {
    struct link link; /* in one of the lists of messages */
    struct message done;
    struct ofi_peer *from;
    struct fid_mr *mr; /* of `to`; NULL: not registered, or the provider does not ask for it */
    char *to;
    uint64_t address, key;
    size_t bytes, posted; /* posted: bytes whose reads have begun */
    int under_way;        /* parts */
    int error;
};

/* One read operation of the provider. */
struct rma_part {
    struct operation operation;
    struct link link;        /* in a list of parts */
    struct reading *message; /* NULL: none any more */
};

/* Messages with parts left to post, with all parts under way, and finished. */
static struct link waiting = LIST_INIT(waiting), posted = LIST_INIT(posted), finished = LIST_INIT(finished);
/* Parts. */
static struct link under_way = LIST_INIT(under_way), unused = LIST_INIT(unused);
static int parts;       /* under way */
static bool is_blocked; /* the provider has no room, and will not signal when it has */

static bool rma_is_on(void)
{
    return hint_process.value[HINT_OFI_RMA] && fabric.info->caps & FI_RMA;
}

/* The key on the wire is libfabric's plus one, so that it is never 0. */
struct window *rma_expose(const void *memory, size_t bytes, uint64_t *key)
{
    struct fid_mr *mr = NULL;

    if (!rma_is_on() || fabric_register((void *)(uintptr_t)memory, bytes, FI_REMOTE_READ, &mr))
        return NULL;
    if (fi_mr_key(mr) == FI_KEY_NOTAVAIL) {
        fi_close(&mr->fid);
        return NULL;
    }
    *key = fi_mr_key(mr) + 1;
    return (struct window *)mr;
}

void rma_conceal(struct window *window)
{
    fi_close(&((struct fid_mr *)window)->fid);
}

static void move(struct link *l, struct link *list)
{
    list_remove(l);
    list_add(list, l);
}

static void unregister(struct reading *r)
{
    if (r->mr)
        fi_close(&r->mr->fid);
    r->mr = NULL;
}

static void set_blocked(bool is)
{
    if (is != is_blocked)
        progress_stay_awake(is ? 1 : -1);
    is_blocked = is;
}

static struct rma_part *rma_take_part(struct reading *r)
{
    struct rma_part *p =
        list_is_empty(&unused) ? malloc(sizeof *p) : LIST_ENTRY(unused.next, struct rma_part, link);

    if (!p)
        return NULL;
    if (list_is_empty(&unused))
        list_init(&p->link);
    move(&p->link, &under_way);
    p->operation.kind = OPERATION_READ;
    p->message = r;
    parts++;
    r->under_way++;
    return p;
}

static void rma_give_back(struct rma_part *p)
{
    p->message->under_way--;
    parts--;
    move(&p->link, &unused);
}

/* Returns libfabric's code. */
static ssize_t begin_part(struct reading *r, struct rma_part *p, size_t bytes)
{
    if (!fabric.rma.ep && fabric_open_rma())
        return crowd_is_heavy() ? -FI_EMFILE : -FI_EOTHER;
    if (!r->mr && fabric_register(r->to, r->bytes, FI_READ, &r->mr))
        return -FI_EOTHER;
    return fi_read(fabric.rma.ep, r->to + r->posted, bytes, fabric_descriptor(r->mr), r->from->address,
                   r->address + r->posted, r->key, &p->operation);
}

/* Posts the next part of the message. False: the provider has no room now. */
static bool rma_post_one(struct reading *r)
{
    size_t most = fabric.info->ep_attr->max_msg_size < PART ? fabric.info->ep_attr->max_msg_size : PART;
    size_t bytes = r->bytes - r->posted < most ? r->bytes - r->posted : most;
    struct rma_part *p = r->from->is_lost ? NULL : rma_take_part(r);
    ssize_t code = p ? crowd_excuse(begin_part(r, p, bytes), &r->from->short_since) : -FI_EOTHER;

    if (code && p)
        rma_give_back(p);
    if (code == -FI_EAGAIN)
        return false;
    if (code)
        r->error = MPI_ERR_OTHER;
    else
        r->posted += bytes;
    return true;
}

/* Moves a message to the list of its state. */
static void rma_settle(struct reading *r)
{
    bool is_posted = r->error || r->posted == r->bytes;

    if (is_posted && r->under_way == 0)
        unregister(r);
    move(&r->link, !is_posted ? &waiting : r->under_way ? &posted : &finished);
}

void rma_post(void)
{
    bool has_room = true;

    while (!list_is_empty(&waiting) && parts < UNDER_WAY && has_room) {
        struct reading *r = LIST_ENTRY(waiting.next, struct reading, link);

        has_room = rma_post_one(r);
        if (r->error || r->posted == r->bytes)
            rma_settle(r);
    }
    set_blocked(!has_room);
}

bool rma_begin(struct ofi_peer *from, void *to, uint64_t address, uint64_t key, size_t bytes,
               const struct message *done)
{
    bool is_virtual = fabric.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct reading *r = rma_is_on() ? malloc(sizeof *r) : NULL;

    if (!r)
        return false;
    *r = (struct reading){.done = *done,
                          .from = from,
                          .to = to,
                          .address = is_virtual ? address : 0, /* else an offset in the window */
                          .key = key - 1,
                          .bytes = bytes};
    list_init(&r->link);
    rma_settle(r);
    rma_post();
    return true;
}

bool rma_are_under_way(void)
{
    return parts > 0;
}

void rma_finish(struct operation *operation, int error)
{
    struct rma_part *p = (struct rma_part *)(void *)operation;
    struct reading *r = p->message;

    rma_give_back(p);
    if (error)
        r->error = error;
    if (r->error || r->posted == r->bytes)
        rma_settle(r);
    rma_post();
}

static bool is_reading_of(const struct ofi_peer *from)
{
    for (struct link *l = under_way.next; l != &under_way; l = l->next)
        if (LIST_ENTRY(l, struct rma_part, link)->message->from == from)
            return true;
    return false;
}

/* No part of the message is under way any more: reads all of it again. */
static void begin_anew(struct reading *r)
{
    unregister(r);
    r->posted = 0;
    r->under_way = 0;
}

static void rma_read_queue(void)
{
    struct fi_cq_data_entry done;
    struct fi_cq_err_entry failed = {0};
    ssize_t count = fi_cq_read(fabric.rma.cq, &done, 1);

    if (count == 1)
        rma_finish(ofi_operation_of(done.op_context), MPI_SUCCESS);
    else if (count == -FI_EAVAIL && fi_cq_readerr(fabric.rma.cq, &failed, 0) == 1 && failed.op_context)
        rma_finish(ofi_operation_of(failed.op_context), MPI_ERR_OTHER);
}

/* Waits for the end of the reads from this peer. False: the provider did not notice that the connection has
 * ended, or has none. */
static bool come_to_an_end(const struct ofi_peer *from)
{
    uint64_t end = clock_ns() + PATIENCE_NS;

    for (int tries = 0; is_reading_of(from) && (tries < TRIES || clock_ns() < end); tries++)
        rma_read_queue();
    return !is_reading_of(from);
}

void rma_lose(const struct ofi_peer *from)
{
    if (come_to_an_end(from))
        return;
    for (struct link *l = waiting.next; l != &waiting; l = l->next)
        begin_anew(LIST_ENTRY(l, struct reading, link));
    while (!list_is_empty(&posted)) {
        begin_anew(LIST_ENTRY(posted.next, struct reading, link));
        rma_settle(LIST_ENTRY(posted.next, struct reading, link));
    }
    fabric_close_rma();
    while (!list_is_empty(&under_way))
        move(under_way.next, &unused);
    parts = 0;
    rma_post();
}

bool rma_take(struct message *done, int *process)
{
    struct reading *r;

    if (list_is_empty(&finished))
        return false;
    r = LIST_ENTRY(finished.next, struct reading, link);
    *done = r->done;
    done->tag = r->error;
    *process = r->from->process;
    list_remove(&r->link);
    free(r);
    return true;
}

static void free_messages(struct link *list)
{
    while (!list_is_empty(list)) {
        struct reading *r = LIST_ENTRY(list->next, struct reading, link);

        unregister(r);
        list_remove(&r->link);
        free(r);
    }
}

static void free_parts(struct link *list)
{
    while (!list_is_empty(list)) {
        struct rma_part *p = LIST_ENTRY(list->next, struct rma_part, link);

        list_remove(&p->link);
        free(p);
    }
}

void rma_close(void)
{
    set_blocked(false);
    free_messages(&waiting);
    free_messages(&posted);
    free_messages(&finished);
    fabric_close_rma();
    free_parts(&under_way);
    free_parts(&unused);
    parts = 0;
}
