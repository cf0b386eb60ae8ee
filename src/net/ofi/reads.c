#include "net/ofi/reads.h"

#include "base/log.h"
#include "hint/hint.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdlib.h>

/* One message; or an operation of no message any more, whose end may still be told. */
struct reading {
    struct operation operation; /* of the part that is being read */
    struct link link;           /* in one of the lists below */
    struct message done;
    const struct link_to *from;
    struct fid_mr *mr; /* of `to` for the operation; NULL: the provider does not ask for it */
    char *to;
    uint64_t address, key;
    size_t left, part; /* bytes to read; of them under way */
};

static struct link under_way = LIST_INIT(under_way), waiting = LIST_INIT(waiting) /* for room */,
                   finished = LIST_INIT(finished), dropped = LIST_INIT(dropped);

static bool is_on(void)
{
    return hint_process.value[HINT_OFI_RMA] && fabric.info->caps & FI_RMA;
}

/* On the wire a key is one more, so that it is never 0. */
struct window *reads_expose(const void *memory, size_t bytes, uint64_t *key)
{
    struct fid_mr *mr = NULL;

    if (!is_on() || fabric_register((void *)(uintptr_t)memory, bytes, FI_REMOTE_READ, &mr))
        return NULL;
    if (fi_mr_key(mr) == FI_KEY_NOTAVAIL) {
        fi_close(&mr->fid);
        return NULL;
    }
    *key = fi_mr_key(mr) + 1;
    return (struct window *)mr;
}

void reads_conceal(struct window *window)
{
    fi_close(&((struct fid_mr *)window)->fid);
}

static void move(struct reading *r, struct link *list)
{
    list_remove(&r->link);
    list_add(list, &r->link);
}

static void unregister(struct reading *r)
{
    if (r->mr)
        fi_close(&r->mr->fid);
    r->mr = NULL;
}

static void finish(struct reading *r, int error)
{
    unregister(r);
    r->done.tag = error;
    move(r, &finished);
}

/* As libfabric returns it. */
static ssize_t post(struct reading *r)
{
    size_t most = fabric.info->ep_attr->max_msg_size;

    if (!fabric.reader && fabric_open_reader())
        return -FI_EOTHER;
    r->part = r->left < most ? r->left : most;
    if (!r->mr && fabric_register(r->to, r->part, FI_READ, &r->mr))
        return -FI_EOTHER;
    return fi_read(fabric.reader, r->to, r->part, fabric_descriptor(r->mr), r->from->address, r->address,
                   r->key, &r->operation);
}

/* False: the provider has no room now. */
static bool try_to_post(struct reading *r)
{
    ssize_t code = r->from->is_lost ? -FI_ENOTCONN : post(r);

    if (code == -FI_EAGAIN)
        return false;
    if (code)
        finish(r, MPI_ERR_OTHER);
    else
        move(r, &under_way);
    return true;
}

/* Nobody rings when there is room. */
static void post_or_wait(struct reading *r)
{
    if (try_to_post(r))
        return;
    move(r, &waiting);
    progress_stay_awake(1);
}

void reads_post(void)
{
    while (!list_is_empty(&waiting) && try_to_post(LIST_ENTRY(waiting.next, struct reading, link)))
        progress_stay_awake(-1);
}

bool reads_begin(const struct link_to *from, void *to, uint64_t address, uint64_t key, size_t bytes,
                 const struct message *done)
{
    bool is_virtual = fabric.info->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    struct reading *r = is_on() ? malloc(sizeof *r) : NULL;

    if (!r)
        return false;
    *r = (struct reading){.operation.kind = OPERATION_READ,
                          .done = *done,
                          .from = from,
                          .to = to,
                          .address = is_virtual ? address : 0, /* else counted from where the window begins */
                          .key = key - 1,
                          .left = bytes};
    list_init(&r->link);
    post_or_wait(r);
    return true;
}

void reads_finish(struct operation *operation, int error)
{
    struct reading *r = (struct reading *)(void *)operation;

    unregister(r);
    r->to += r->part;
    r->address += r->part;
    r->left -= r->part;
    if (error || r->left == 0)
        finish(r, error);
    else
        post_or_wait(r);
}

static bool is_reading_of(const struct link_to *from)
{
    for (struct link *l = under_way.next; l != &under_way; l = l->next)
        if (LIST_ENTRY(l, struct reading, link)->from == from)
            return true;
    return false;
}

static void unregister_all(struct link *list)
{
    for (struct link *l = list->next; l != list; l = l->next)
        unregister(LIST_ENTRY(l, struct reading, link));
}

/* The end of its operation may lie in the completion queue: that memory stays. */
static void begin_anew(struct reading *r)
{
    struct reading *again = malloc(sizeof *again);

    if (!again)
        log_die("no memory to read a message of %zu bytes again", r->left);
    *again = *r; /* once more, or to find out that the peer is lost */
    list_init(&again->link);
    move(r, &dropped);
    r->operation.kind = OPERATION_DROPPED;
    post_or_wait(again);
}

void reads_lose(const struct link_to *from)
{
    struct link stopped;

    if (!is_reading_of(from))
        return;
    unregister_all(&under_way);
    unregister_all(&waiting);
    fabric_close_reader();
    list_move(&stopped, &under_way);
    while (!list_is_empty(&stopped))
        begin_anew(LIST_ENTRY(stopped.next, struct reading, link));
}

bool reads_take(struct message *done, int *process)
{
    struct reading *r;

    if (list_is_empty(&finished))
        return false;
    r = LIST_ENTRY(finished.next, struct reading, link);
    *done = r->done;
    *process = r->from->process;
    list_remove(&r->link);
    free(r);
    return true;
}

static void free_all(struct link *list)
{
    while (!list_is_empty(list)) {
        struct reading *r = LIST_ENTRY(list->next, struct reading, link);

        list_remove(&r->link);
        free(r);
    }
}

void reads_close(void)
{
    for (struct link *l = waiting.next; l != &waiting; l = l->next)
        progress_stay_awake(-1);
    unregister_all(&under_way);
    unregister_all(&waiting);
    fabric_close_reader();
    free_all(&under_way);
    free_all(&waiting);
    free_all(&finished);
    free_all(&dropped);
}
