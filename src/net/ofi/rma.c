#include "net/ofi/rma.h"

#include "hint/hint.h"
#include "net/network/crowd.h"
#include "net/network/heartbeat.h"
#include "plain/clock.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>

enum {
    PART = 256 * 1024,          /* bytes of one operation */
    BYTES_UNDER_WAY = 3 * PART, /* no part begins with more to the same peer: it would only fill the network's
                                    * buffers, and no cache holds those */
    PARTS_UNDER_WAY = 64,       /* most to one peer */
    TRIES = 1000,               /* polls for the end of copies with a lost peer, */
    PATIENCE_NS = 20 * 1000 * 1000 /* and for at least this long */
};

/* The choices of HINT_WIN_RMA, in their order. */
enum {
    WIN_RMA_AUTO,
    WIN_RMA_TRUE,
    WIN_RMA_FALSE
};

/* A read or write, which goes in parts. */
struct rma_copy {
    struct link link; /* in its peer's list of copies that wait, or in one of those below */
    struct message done;
    struct ofi_peer *peer;
    bool is_write;
    bool is_for_window;
    bool is_silent;    /* its peer is or will be lost, which is reported in its place */
    struct fid_mr *mr; /* of `here`; NULL: not registered, or the provider does not ask for it */
    char *here;
    uint64_t address, key;
    size_t bytes, posted; /* posted: bytes whose parts have begun */
    int under_way;        /* parts */
    int error;
};

/* One operation of the provider. */
struct rma_part {
    struct operation operation;
    struct link link; /* in a list of parts */
    struct rma_copy *copy;
    size_t bytes;
};

/* Peers with copies that have parts left to post. */
static struct link behind = LIST_INIT(behind);
/* Copies with all parts under way, and finished. */
static struct link posted = LIST_INIT(posted), finished = LIST_INIT(finished);
/* Parts. */
static struct link under_way = LIST_INIT(under_way), unused = LIST_INIT(unused);
static int parts;       /* under way */
static bool is_blocked; /* the provider has no room, and will not signal when it has */

static bool is_for_windows(void)
{
    switch (hint_process.value[HINT_WIN_RMA]) {
    case WIN_RMA_FALSE:
        return false;
    case WIN_RMA_TRUE:
        return fabric_has_rma(RMA_DELIVERS);
    default:
        return fabric_has_rma(RMA_DELIVERS | RMA_BY_DEVICE);
    }
}

static bool rma_is_on(enum exposure exposure)
{
    if (!(fabric.info->caps & FI_RMA))
        return false;
    return exposure == EXPOSED_WINDOW ? is_for_windows() : hint_process.value[HINT_OFI_RMA];
}

/* The key on the wire is libfabric's plus one, so that it is never 0. */
struct memory_region *rma_expose(const void *memory, size_t bytes, enum exposure exposure,
                                 struct exposed *exposed)
{
    uint64_t access = FI_REMOTE_READ | (exposure == EXPOSED_WINDOW ? FI_REMOTE_WRITE : 0);
    struct fid_mr *mr = NULL;

    if (!rma_is_on(exposure) || fabric_register((void *)(uintptr_t)memory, bytes, access, &mr))
        return NULL;
    if (fi_mr_key(mr) == FI_KEY_NOTAVAIL) {
        fi_close(&mr->fid);
        return NULL;
    }
    *exposed = (struct exposed){(uint64_t)(uintptr_t)memory, fi_mr_key(mr) + 1, exposure};
    return (struct memory_region *)mr;
}

void rma_conceal(struct memory_region *mr)
{
    fi_close(&((struct fid_mr *)mr)->fid);
}

static void move(struct link *l, struct link *list)
{
    list_remove(l);
    list_add(list, l);
}

static void unregister(struct rma_copy *c)
{
    if (c->mr)
        fi_close(&c->mr->fid);
    c->mr = NULL;
}

static void set_blocked(bool is)
{
    if (is != is_blocked)
        progress_stay_awake(is ? 1 : -1);
    is_blocked = is;
}

static struct rma_part *rma_take_part(struct rma_copy *c, size_t bytes)
{
    struct rma_part *p =
        list_is_empty(&unused) ? malloc(sizeof *p) : LIST_ENTRY(unused.next, struct rma_part, link);

    if (!p)
        return NULL;
    if (list_is_empty(&unused))
        list_init(&p->link);
    move(&p->link, &under_way);
    p->operation.kind = OPERATION_RMA;
    p->copy = c;
    p->bytes = bytes;
    parts++;
    c->under_way++;
    c->peer->rma.parts++;
    c->peer->rma.bytes += bytes;
    return p;
}

static void rma_give_back(struct rma_part *p)
{
    p->copy->under_way--;
    p->copy->peer->rma.parts--;
    p->copy->peer->rma.bytes -= p->bytes;
    parts--;
    move(&p->link, &unused);
}

/* Returns libfabric's code. */
static ssize_t write_part(struct rma_copy *c, struct rma_part *p)
{
    struct iovec here = {c->here + c->posted, p->bytes};
    struct fi_rma_iov there = {c->address + c->posted, p->bytes, c->key};
    void *descriptor = fabric_descriptor(c->mr);
    struct fi_msg_rma message = {.msg_iov = &here,
                                 .desc = &descriptor,
                                 .iov_count = 1,
                                 .addr = c->peer->address,
                                 .rma_iov = &there,
                                 .rma_iov_count = 1,
                                 .context = &p->operation};

    return fi_writemsg(fabric.rma.ep, &message, FI_COMPLETION | FI_DELIVERY_COMPLETE);
}

/* The same. */
static ssize_t begin_part(struct rma_copy *c, struct rma_part *p)
{
    if (!fabric.rma.ep && fabric_open_rma())
        return crowd_is_heavy() ? -FI_EMFILE : -FI_EOTHER;
    if (!c->mr && fabric_register(c->here, c->bytes, c->is_write ? FI_WRITE : FI_READ, &c->mr))
        return -FI_EOTHER;
    if (c->is_write)
        return write_part(c, p);
    return fi_read(fabric.rma.ep, c->here + c->posted, p->bytes, fabric_descriptor(c->mr), c->peer->address,
                   c->address + c->posted, c->key, &p->operation);
}

/* libfabric does not take a part, or could not carry it out. */
static void note_failure(struct rma_copy *c, const char *why)
{
    c->error = MPI_ERR_OTHER;
    c->is_silent = c->is_for_window;
    if (c->is_silent)
        heartbeat_lose(c->peer->base.process, why);
}

/* Posts the next part of the copy. False: the provider has no room now. */
static bool rma_post_one(struct rma_copy *c)
{
    size_t most = fabric.info->ep_attr->max_msg_size < PART ? fabric.info->ep_attr->max_msg_size : PART;
    size_t bytes = c->bytes - c->posted < most ? c->bytes - c->posted : most;
    struct rma_part *p = c->peer->base.is_lost ? NULL : rma_take_part(c, bytes);
    ssize_t code = p ? fabric_excuse(begin_part(c, p), &c->peer->short_since) : -FI_EOTHER;

    if (code && p)
        rma_give_back(p);
    if (code == -FI_EAGAIN)
        return false;
    if (code == -FI_EOTHER)
        c->error = MPI_ERR_OTHER;
    else if (code)
        note_failure(c, fabric_error(code));
    else
        c->posted += bytes;
    return true;
}

static bool is_posted(const struct rma_copy *c)
{
    return c->error || c->posted == c->bytes;
}

/* Moves a copy to the list of its state. */
static void rma_settle(struct rma_copy *c)
{
    if (is_posted(c) && c->under_way == 0)
        unregister(c);
    if (!is_posted(c)) {
        move(&c->link, &c->peer->rma.waiting);
        move(&c->peer->rma.link, &behind);
    } else {
        move(&c->link, c->under_way ? &posted : &finished);
    }
}

static bool rma_has_room(const struct ofi_peer *peer)
{
    return peer->base.is_lost || (peer->rma.bytes < BYTES_UNDER_WAY && peer->rma.parts < PARTS_UNDER_WAY);
}

/* False: the provider has no room now. */
static bool post_to(struct ofi_peer *peer)
{
    bool has_room = true;

    while (!list_is_empty(&peer->rma.waiting) && rma_has_room(peer) && has_room) {
        struct rma_copy *c = LIST_ENTRY(peer->rma.waiting.next, struct rma_copy, link);

        has_room = rma_post_one(c);
        if (is_posted(c))
            rma_settle(c);
    }
    if (list_is_empty(&peer->rma.waiting))
        list_remove(&peer->rma.link);
    return has_room;
}

void rma_post(void)
{
    bool has_room = true;
    struct link *next;

    for (struct link *l = behind.next; l != &behind; l = next) {
        next = l->next;
        has_room = post_to(LIST_ENTRY(l, struct ofi_peer, rma.link)) && has_room;
    }
    set_blocked(!has_room);
}

bool rma_begin(const struct network_copy *o)
{
    bool is_virtual = fabric.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct rma_copy *c = NULL;

    if (o->there->exposure == EXPOSED_WINDOW || rma_is_on(EXPOSED_MESSAGE))
        c = malloc(sizeof *c);
    if (!c)
        return false;
    *c = (struct rma_copy){.done = *o->done,
                           .peer = ofi_peer_of(o->peer),
                           .is_write = o->is_write,
                           .is_for_window = o->there->exposure == EXPOSED_WINDOW,
                           .here = o->here,
                           .address = (is_virtual ? o->there->address : 0) + o->offset,
                           .key = o->there->key - 1,
                           .bytes = o->bytes};
    list_init(&c->link);
    rma_settle(c);
    rma_post();
    return true;
}

bool rma_are_under_way(void)
{
    return parts > 0;
}

static void rma_end_part(struct rma_part *p)
{
    rma_give_back(p);
    if (is_posted(p->copy))
        rma_settle(p->copy);
    rma_post();
}

void rma_finish(struct operation *operation)
{
    rma_end_part((struct rma_part *)(void *)operation);
}

void rma_fail(struct operation *operation, const char *why)
{
    struct rma_part *p = (struct rma_part *)(void *)operation;

    note_failure(p->copy, why);
    rma_end_part(p);
}

void rma_meet(struct ofi_peer *peer)
{
    list_init(&peer->rma.waiting);
    list_init(&peer->rma.link);
}

static void rma_read_queue(void)
{
    struct fi_cq_data_entry done;
    struct fi_cq_err_entry failed = {0};
    ssize_t count = fi_cq_read(fabric.rma.cq, &done, 1);

    if (count == 1)
        rma_finish(ofi_operation_of(done.op_context));
    else if (count == -FI_EAVAIL && fi_cq_readerr(fabric.rma.cq, &failed, 0) == 1 && failed.op_context)
        rma_fail(ofi_operation_of(failed.op_context), fabric_error(-failed.err));
}

/* Waits for the end of the copies with this peer. False: the provider did not notice that the connection has
 * ended, or has none. */
static bool come_to_an_end(const struct ofi_peer *peer)
{
    uint64_t end = clock_ns() + PATIENCE_NS;

    for (int tries = 0; peer->rma.parts && (tries < TRIES || clock_ns() < end); tries++)
        rma_read_queue();
    return !peer->rma.parts;
}

/* Of copies with parts left to post, and with parts under way: before the endpoint is closed that it is bound to. */
static void unregister_all(void)
{
    for (struct link *b = behind.next; b != &behind; b = b->next) {
        struct ofi_peer *peer = LIST_ENTRY(b, struct ofi_peer, rma.link);

        for (struct link *l = peer->rma.waiting.next; l != &peer->rma.waiting; l = l->next)
            unregister(LIST_ENTRY(l, struct rma_copy, link));
    }
    for (struct link *l = posted.next; l != &posted; l = l->next)
        unregister(LIST_ENTRY(l, struct rma_copy, link));
}

/* A part of the copy was under way, and is no more. */
static void interrupt(struct rma_copy *c)
{
    if (c->is_write)
        c->error = MPI_ERR_OTHER;
    else
        c->posted = 0;
    if (c->under_way == 0)
        rma_settle(c);
}

void rma_lose(const struct ofi_peer *peer)
{
    if (come_to_an_end(peer))
        return;
    unregister_all();
    fabric_close_rma();
    while (!list_is_empty(&under_way)) {
        struct rma_part *p = LIST_ENTRY(under_way.next, struct rma_part, link);

        rma_give_back(p);
        interrupt(p->copy);
    }
    rma_post();
}

bool rma_take(struct message *done, int *process)
{
    bool is_told = false;

    while (!list_is_empty(&finished) && !is_told) {
        struct rma_copy *c = LIST_ENTRY(finished.next, struct rma_copy, link);

        *done = c->done;
        done->tag = c->error;
        *process = c->peer->base.process;
        is_told = !c->is_silent;
        list_remove(&c->link);
        free(c);
    }
    return is_told;
}

static void free_copies(struct link *list)
{
    while (!list_is_empty(list)) {
        struct rma_copy *c = LIST_ENTRY(list->next, struct rma_copy, link);

        unregister(c);
        list_remove(&c->link);
        free(c);
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
    while (!list_is_empty(&behind)) {
        free_copies(&LIST_ENTRY(behind.next, struct ofi_peer, rma.link)->rma.waiting);
        list_remove(behind.next);
    }
    free_copies(&posted);
    free_copies(&finished);
    fabric_close_rma();
    free_parts(&under_way);
    free_parts(&unused);
    parts = 0;
}
