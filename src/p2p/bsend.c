/* Buffered sends (MPI-5.0 section 3.6).
 *
 * A message lies in its buffer, behind a struct bsend_entry, until it has been sent. The entries of a buffer are
 * listed in order of their addresses, and a new one takes the gap behind the one placed last, else the first
 * gap that is large enough. An entry needs at most its bytes + sizeof(struct bsend_entry) + 15 for alignment, far
 * below MPI_BSEND_OVERHEAD. An automatic buffer (MPI_BUFFER_AUTOMATIC) takes entries from the heap.
 *
 * Lock: all of it belongs to the holder of buffers_lock, which is taken inside the lock of a lane, and held
 * while a flush is completed.
 */
#include "base/live.h"
#include "p2p/multi_request.h"
#include "p2p/p2p.h"
#include "plain/fail.h"
#include "progress/progress.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 16
};

struct bsend_buffer {
    bool attached, automatic;
    void *memory; /* as attached */
    MPI_Count size;
    unsigned char *begin, *end; /* the aligned part of it */
    struct link entries;
    struct link *last;   /* entry placed last, or the head */
    struct link flushes; /* requests of MPI_Buffer_iflush that wait */
    uint64_t next_stamp; /* of the next entry */
    int count;           /* entries */
};

struct bsend_entry {
    struct link link;
    struct bsend_buffer *buffer;
    size_t bytes; /* with this head */
    uint64_t stamp;
    _Alignas(ALIGNMENT) unsigned char payload[];
};

/* Lives in the request->space of a flush: it waits for the entries with a lower stamp. */
struct bsend_flush {
    struct multi_request multi_request;
    struct link link;
    uint64_t stamp;
};

_Static_assert(sizeof(struct bsend_entry) + 2 * ALIGNMENT <= MPI_BSEND_OVERHEAD,
               "an entry's head is in the overhead");
_Static_assert(sizeof(struct bsend_flush) <= REQUEST_SPACE, "a flush fits into its request");

static struct lock buffers_lock = LOCK_INIT;
static struct bsend_buffer of_process;
static struct bsend_buffer of_library = {.automatic = true,
                                         .attached = true,
                                         .entries = LIST_INIT(of_library.entries),
                                         .last = &of_library.entries,
                                         .flushes = LIST_INIT(of_library.flushes)};

static struct bsend_entry *entry_at(struct link *l)
{
    return LIST_ENTRY(l, struct bsend_entry, link);
}

static unsigned char *end_of(struct bsend_buffer *b, struct link *l)
{
    return l == &b->entries ? b->begin : (unsigned char *)entry_at(l) + entry_at(l)->bytes;
}

static size_t gap_behind(struct bsend_buffer *b, struct link *l)
{
    unsigned char *end = l->next == &b->entries ? b->end : (unsigned char *)entry_at(l->next);

    return (size_t)(end - end_of(b, l));
}

/* The entry (or head) behind which there are so many bytes; NULL: nowhere. */
static struct link *find_gap(struct bsend_buffer *b, size_t bytes)
{
    struct link *l = &b->entries;

    if (gap_behind(b, b->last) >= bytes)
        return b->last;
    do {
        if (gap_behind(b, l) >= bytes)
            return l;
        l = l->next;
    } while (l != &b->entries);
    return NULL;
}

static struct bsend_entry *place_entry(struct bsend_buffer *b, size_t payload)
{
    size_t bytes = (sizeof(struct bsend_entry) + payload + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct link *before = b->automatic ? b->last : find_gap(b, bytes);
    struct bsend_entry *e;

    if (!before || bytes < payload)
        return NULL;
    e = b->automatic ? malloc(bytes) : (void *)end_of(b, before);
    if (!e)
        return NULL;
    *e = (struct bsend_entry){.buffer = b, .bytes = bytes, .stamp = b->next_stamp++};
    list_add(before->next, &e->link);
    b->last = &e->link;
    b->count++;
    live_add(LIVE_BUFFERED, 1);
    return e;
}

static void count_in_flushes(struct bsend_buffer *b, uint64_t stamp)
{
    struct link *next;

    for (struct link *l = b->flushes.next; l != &b->flushes; l = next) {
        struct bsend_flush *f = LIST_ENTRY(l, struct bsend_flush, link);

        next = l->next;
        if (stamp >= f->stamp)
            continue;
        /* relaxed: counted under the buffer's lock alone */
        if (atomic_load_explicit(&f->multi_request.pending, memory_order_relaxed) == 1)
            list_remove(l);
        multi_request_count(LIST_ENTRY((unsigned char *)f, struct request, space));
    }
}

static void entry_remove(struct bsend_entry *e)
{
    struct bsend_buffer *b = e->buffer;
    uint64_t stamp = e->stamp;

    if (b->last == &e->link)
        b->last = e->link.prev;
    list_remove(&e->link);
    b->count--;
    live_add(LIVE_BUFFERED, -1);
    if (b->automatic)
        free(e);
    count_in_flushes(b, stamp);
}

static void entry_sent(struct request *r, void *entry)
{
    request_unref(r);
    lock_take(&buffers_lock);
    entry_remove(entry);
    lock_release(&buffers_lock);
}

static struct bsend_entry *try_place_entry(struct bsend_buffer *b, size_t bytes)
{
    struct bsend_entry *e;

    lock_take(&buffers_lock);
    e = place_entry(b, bytes);
    lock_release(&buffers_lock);
    return e;
}

static int no_room(const struct bsend_buffer *b, size_t bytes)
{
    if (b->automatic)
        return fail(MPI_ERR_NO_MEM, "no memory to copy a message of %zu bytes", bytes);
    if (!b->attached)
        return fail(MPI_ERR_BUFFER,
                    "no buffer is attached for a message of %zu bytes: see MPI_Buffer_attach, or attach "
                    "MPI_BUFFER_AUTOMATIC",
                    bytes);
    return fail(
        MPI_ERR_BUFFER,
        "no room for a message of %zu bytes + MPI_BSEND_OVERHEAD in the attached buffer of %lld bytes, "
        "which holds %d messages that were not received yet",
        bytes, (long long)b->size, b->count);
}

/* A message that finds no room looks once more after what has arrived meanwhile. */
static int entry_new(struct bsend_buffer *b, size_t bytes, struct bsend_entry **entry)
{
    struct bsend_entry *e = b->attached ? try_place_entry(b, bytes) : NULL;

    if (!e && b->attached) {
        progress_poll();
        e = try_place_entry(b, bytes);
    }
    if (!e)
        return no_room(b, bytes);
    *entry = e;
    return MPI_SUCCESS;
}

/* Sends what is in an entry, which goes when it has been sent. */
static int send_entry(struct bsend_entry *e, size_t bytes, const struct envelope *to)
{
    struct request *r;
    int error = p2p_isend(e->payload, (MPI_Count)bytes, datatype_predefined(MPI_BYTE), to->peer, to->tag,
                          to->comm, to->plane, SEND_STANDARD, &r);

    if (!error)
        transfer_on_done(r, entry_sent, e);
    return error;
}

static int send_from(struct bsend_buffer *b, const struct user_buffer *from, const struct envelope *to)
{
    struct bsend_entry *e = NULL;
    size_t bytes = 0;
    int error;

    if (to->peer == MPI_PROC_NULL)
        return MPI_SUCCESS;
    error = datatype_bytes(from->type, from->count, &bytes);
    if (!error)
        error = entry_new(b, bytes, &e);
    if (error)
        return error;
    error = datatype_copy_kinds(from->at, from->count, from->type, e->payload, (MPI_Count)bytes,
                                datatype_predefined(MPI_BYTE), hint_buffer_kinds(&to->comm->hints));
    if (!error)
        error = send_entry(e, bytes, to);
    if (!error)
        return MPI_SUCCESS;
    lock_take(&buffers_lock);
    entry_remove(e);
    lock_release(&buffers_lock);
    return error;
}

int p2p_send_copy(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum plane plane)
{
    struct user_buffer from = {(void *)(uintptr_t)buf, count, type};

    return send_from(&of_library, &from, &(struct envelope){dest, tag, comm, plane});
}

static bool is_attached(const struct bsend_buffer *b)
{
    return b && b->attached;
}

int p2p_bsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm)
{
    struct user_buffer from = {(void *)(uintptr_t)buf, count, type};
    struct bsend_buffer *b = &of_process;

    if (comm->session && is_attached(comm->session->buffer))
        b = comm->session->buffer;
    if (is_attached(comm->buffer))
        b = comm->buffer;
    return send_from(b, &from, &(struct envelope){dest, tag, comm, PLANE_P2P});
}

int p2p_ibsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
               struct request **request)
{
    int error = p2p_bsend(buf, count, type, dest, tag, comm);

    if (!error)
        *request = request_of_done_send();
    return error;
}

static const char *name_of(const struct object *of)
{
    if (!of)
        return "the process";
    return of->kind == OBJECT_COMM ? "the communicator" : "the session";
}

/* Where an object keeps its buffer. */
static struct bsend_buffer **bsend_slot_of(struct object *of)
{
    return of->kind == OBJECT_COMM ? &((struct comm *)of)->buffer : &((struct session *)of)->buffer;
}

static struct bsend_buffer *buffer_of(struct object *of)
{
    struct bsend_buffer **slot;

    if (!of)
        return &of_process;
    slot = bsend_slot_of(of);
    if (!*slot)
        *slot = calloc(1, sizeof **slot);
    return *slot;
}

static int check_memory(const void *memory, MPI_Count size)
{
    if (memory == MPI_BUFFER_AUTOMATIC)
        return MPI_SUCCESS;
    if (size < 0)
        return fail(MPI_ERR_ARG, "the size %lld of the buffer is negative", (long long)size);
    return memory || !size ? MPI_SUCCESS
                           : fail(MPI_ERR_BUFFER, "the buffer of %lld bytes is NULL", (long long)size);
}

static void init_buffer(struct bsend_buffer *b, void *memory, MPI_Count size)
{
    uintptr_t begin = ((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    uintptr_t end = (uintptr_t)memory + (uintptr_t)size;

    *b = (struct bsend_buffer){.attached = true, .memory = memory, .size = size, .next_stamp = b->next_stamp};
    b->automatic = memory == MPI_BUFFER_AUTOMATIC;
    if (!b->automatic && begin < end) {
        b->begin = (unsigned char *)begin;
        b->end = (unsigned char *)end;
    }
    list_init(&b->entries);
    list_init(&b->flushes);
    b->last = &b->entries;
}

int bsend_attach(struct object *of, void *memory, MPI_Count size)
{
    struct bsend_buffer *b = buffer_of(of);
    int error = check_memory(memory, size);

    if (error)
        return error;
    if (!b)
        return fail(MPI_ERR_NO_MEM, "no memory to attach a buffer");
    if (b->attached)
        return fail(MPI_ERR_BUFFER, "%s has a buffer already: detach it first", name_of(of));
    lock_take(&buffers_lock);
    init_buffer(b, memory, size);
    lock_release(&buffers_lock);
    return MPI_SUCCESS;
}

static int find_attached(struct object *of, struct bsend_buffer **b)
{
    *b = of ? *bsend_slot_of(of) : &of_process;
    return is_attached(*b) ? MPI_SUCCESS : fail(MPI_ERR_BUFFER, "%s has no buffer attached", name_of(of));
}

static void flush_release(struct request *r)
{
    if (r->owner && r->owner->kind == OBJECT_SESSION)
        session_unref((struct session *)r->owner);
    multi_request_release(r);
}

static const struct request_ops flush_ops = {.release = flush_release};

/* A request whose errors concern the object, which it keeps alive. */
static int flush_new(struct object *of, struct request **r)
{
    struct comm *comm = of && of->kind == OBJECT_COMM ? (struct comm *)of : NULL;
    int error = multi_request_new(REQUEST_MULTI, &flush_ops, comm, r);

    if (!error && of && of->kind == OBJECT_SESSION) {
        session_ref((struct session *)of);
        (*r)->owner = of;
    }
    return error;
}

int bsend_iflush(struct object *of, struct request **request)
{
    struct bsend_buffer *b;
    struct request *r;
    struct bsend_flush *f;
    int count, error = find_attached(of, &b);

    if (!error)
        error = flush_new(of, &r);
    if (error)
        return error;
    f = (struct bsend_flush *)(void *)r->space;
    r->active = true;
    progress_poll(); /* what has been received may be known now */
    lock_take(&buffers_lock);
    f->stamp = b->next_stamp;
    count = b->count;
    list_init(&f->link);
    if (count) {
        multi_request_start(r, count);
        list_add(&b->flushes, &f->link);
    }
    lock_release(&buffers_lock);
    if (!count)
        multi_request_start(r, 0);
    *request = r;
    return MPI_SUCCESS;
}

int bsend_flush(struct object *of)
{
    struct request *r;
    int error = bsend_iflush(of, &r);

    if (error)
        return error;
    error = request_wait(r);
    request_unref(r);
    return error;
}

int bsend_detach(struct object *of, void *memory, MPI_Count *size)
{
    struct bsend_buffer *b;
    int error = bsend_flush(of);

    if (!error)
        error = find_attached(of, &b);
    if (error)
        return error;
    *(void **)memory = b->memory;
    *size = b->automatic ? 0 : b->size;
    b->attached = false;
    return MPI_SUCCESS;
}

int p2p_comm_attach_buffer(struct comm *comm, void *memory, MPI_Count size)
{
    return bsend_attach(&comm->object, memory, size);
}

int p2p_comm_detach_buffer(struct comm *comm, void *memory, MPI_Count *size)
{
    return bsend_detach(&comm->object, memory, size);
}

int p2p_comm_flush_buffer(struct comm *comm)
{
    return bsend_flush(&comm->object);
}

int p2p_comm_iflush_buffer(struct comm *comm, struct request **request)
{
    return bsend_iflush(&comm->object, request);
}

int p2p_session_attach_buffer(struct session *session, void *memory, MPI_Count size)
{
    return bsend_attach(&session->object, memory, size);
}

int p2p_session_detach_buffer(struct session *session, void *memory, MPI_Count *size)
{
    return bsend_detach(&session->object, memory, size);
}

int p2p_session_flush_buffer(struct session *session)
{
    return bsend_flush(&session->object);
}

int p2p_session_iflush_buffer(struct session *session, struct request **request)
{
    return bsend_iflush(&session->object, request);
}
