/* Buffered sends (MPI-5.0 section 3.6).
 *
 * A message lies in its buffer, behind a struct entry, until it has been sent. The entries of a buffer are
 * listed in order of their addresses, and a new one takes the gap behind the one placed last, else the first
 * gap that is large enough. An entry needs at most its bytes + sizeof(struct entry) + 15 for alignment, far
 * below MPI_BSEND_OVERHEAD. An automatic buffer (MPI_BUFFER_AUTOMATIC) takes entries from the heap.
 *
 * Lock: all of it belongs to the holder of `buffers`, which is taken inside the lock of a lane, and held
 * while a flush is completed.
 */
#include "base/fail.h"
#include "base/live.h"
#include "p2p/multi_request.h"
#include "progress/progress.h"

#include <stdlib.h>

enum {
    ALIGNMENT = 16
};

struct buffer {
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

struct entry {
    struct link link;
    struct buffer *buffer;
    size_t bytes; /* with this head */
    uint64_t stamp;
    _Alignas(ALIGNMENT) unsigned char payload[];
};

/* Lives in the request->space of a flush: it waits for the entries with a lower stamp. */
struct flush {
    struct multi_request multi_request;
    struct link link;
    uint64_t stamp;
};

_Static_assert(sizeof(struct entry) + 2 * ALIGNMENT <= MPI_BSEND_OVERHEAD,
               "an entry's head is in the overhead");
_Static_assert(sizeof(struct flush) <= REQUEST_SPACE, "a flush fits into its request");

static struct lock buffers = LOCK_INIT;
static struct buffer of_process;
static struct buffer of_library = {.automatic = true,
                                   .attached = true,
                                   .entries = LIST_INIT(of_library.entries),
                                   .last = &of_library.entries,
                                   .flushes = LIST_INIT(of_library.flushes)};

static struct entry *entry_at(struct link *l)
{
    return LIST_ENTRY(l, struct entry, link);
}

static unsigned char *end_of(struct buffer *b, struct link *l)
{
    return l == &b->entries ? b->begin : (unsigned char *)entry_at(l) + entry_at(l)->bytes;
}

static size_t gap_behind(struct buffer *b, struct link *l)
{
    unsigned char *end = l->next == &b->entries ? b->end : (unsigned char *)entry_at(l->next);

    return (size_t)(end - end_of(b, l));
}

/* The entry (or head) behind which there are so many bytes; NULL: nowhere. */
static struct link *find_gap(struct buffer *b, size_t bytes)
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

static struct entry *place(struct buffer *b, size_t payload)
{
    size_t bytes = (sizeof(struct entry) + payload + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
    struct link *before = b->automatic ? b->last : find_gap(b, bytes);
    struct entry *e;

    if (!before || bytes < payload)
        return NULL;
    e = b->automatic ? malloc(bytes) : (void *)end_of(b, before);
    if (!e)
        return NULL;
    *e = (struct entry){.buffer = b, .bytes = bytes, .stamp = b->next_stamp++};
    list_add(before->next, &e->link);
    b->last = &e->link;
    b->count++;
    live_add(LIVE_BUFFERED, 1);
    return e;
}

static void tell_flushes(struct buffer *b, uint64_t stamp)
{
    struct link *next;

    for (struct link *l = b->flushes.next; l != &b->flushes; l = next) {
        struct flush *f = LIST_ENTRY(l, struct flush, link);

        next = l->next;
        if (stamp >= f->stamp)
            continue;
        if (f->multi_request.pending == 1)
            list_remove(l);
        multi_request_count(LIST_ENTRY((unsigned char *)f, struct request, space));
    }
}

static void entry_remove(struct entry *e)
{
    struct buffer *b = e->buffer;
    uint64_t stamp = e->stamp;

    if (b->last == &e->link)
        b->last = e->link.prev;
    list_remove(&e->link);
    b->count--;
    live_add(LIVE_BUFFERED, -1);
    if (b->automatic)
        free(e);
    tell_flushes(b, stamp);
}

static void sent(struct request *r, void *entry)
{
    request_unref(r);
    lock_take(&buffers);
    entry_remove(entry);
    lock_release(&buffers);
}

static struct entry *try_place(struct buffer *b, size_t bytes)
{
    struct entry *e;

    lock_take(&buffers);
    e = place(b, bytes);
    lock_release(&buffers);
    return e;
}

static int no_room(const struct buffer *b, size_t bytes)
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
static int entry_new(struct buffer *b, size_t bytes, struct entry **entry)
{
    struct entry *e = b->attached ? try_place(b, bytes) : NULL;

    if (!e && b->attached) {
        progress_poll();
        e = try_place(b, bytes);
    }
    if (!e)
        return no_room(b, bytes);
    *entry = e;
    return MPI_SUCCESS;
}

/* Sends what is in an entry, which goes when it has been sent. */
static int send_entry(struct entry *e, size_t bytes, int dest, int tag, struct comm *comm, enum plane plane)
{
    struct request *r;
    int error = p2p_isend(e->payload, (MPI_Count)bytes, datatype_predefined(MPI_BYTE), dest, tag, comm, plane,
                          SEND_STANDARD, &r);

    if (!error)
        transfer_then(r, sent, e);
    return error;
}

static int send_from(struct buffer *b, const void *buf, MPI_Count count, struct datatype *type, int dest,
                     int tag, struct comm *comm, enum plane plane)
{
    struct entry *e = NULL;
    size_t bytes = 0;
    int error;

    if (dest == MPI_PROC_NULL)
        return MPI_SUCCESS;
    error = datatype_bytes(type, count, &bytes);
    if (!error)
        error = entry_new(b, bytes, &e);
    if (error)
        return error;
    error = datatype_copy_kinds(buf, count, type, e->payload, (MPI_Count)bytes, datatype_predefined(MPI_BYTE),
                                hint_buffer_kinds(&comm->hints));
    if (!error)
        error = send_entry(e, bytes, dest, tag, comm, plane);
    if (!error)
        return MPI_SUCCESS;
    lock_take(&buffers);
    entry_remove(e);
    lock_release(&buffers);
    return error;
}

int p2p_send_copy(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag,
                  struct comm *comm, enum plane plane)
{
    return send_from(&of_library, buf, count, type, dest, tag, comm, plane);
}

static bool is_attached(const struct buffer *b)
{
    return b && b->attached;
}

int p2p_bsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm)
{
    struct buffer *b = &of_process;

    if (comm->session && is_attached(comm->session->buffer))
        b = comm->session->buffer;
    if (is_attached(comm->buffer))
        b = comm->buffer;
    return send_from(b, buf, count, type, dest, tag, comm, PLANE_P2P);
}

int p2p_ibsend(const void *buf, MPI_Count count, struct datatype *type, int dest, int tag, struct comm *comm,
               struct request **request)
{
    int error = p2p_bsend(buf, count, type, dest, tag, comm);

    if (!error)
        *request = request_done_send();
    return error;
}

static const char *name_of(const struct object *of)
{
    if (!of)
        return "the process";
    return of->kind == OBJECT_COMM ? "the communicator" : "the session";
}

/* Where an object keeps its buffer. */
static struct buffer **slot_of(struct object *of)
{
    return of->kind == OBJECT_COMM ? &((struct comm *)of)->buffer : &((struct session *)of)->buffer;
}

static struct buffer *buffer_of(struct object *of)
{
    struct buffer **slot;

    if (!of)
        return &of_process;
    slot = slot_of(of);
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

static void set_up(struct buffer *b, void *memory, MPI_Count size)
{
    uintptr_t begin = ((uintptr_t)memory + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
    uintptr_t end = (uintptr_t)memory + (uintptr_t)size;

    *b = (struct buffer){.attached = true, .memory = memory, .size = size, .next_stamp = b->next_stamp};
    b->automatic = memory == MPI_BUFFER_AUTOMATIC;
    if (!b->automatic && begin < end) {
        b->begin = (unsigned char *)begin;
        b->end = (unsigned char *)end;
    }
    list_init(&b->entries);
    list_init(&b->flushes);
    b->last = &b->entries;
}

int buffer_attach(struct object *of, void *memory, MPI_Count size)
{
    struct buffer *b = buffer_of(of);
    int error = check_memory(memory, size);

    if (error)
        return error;
    if (!b)
        return fail(MPI_ERR_NO_MEM, "no memory to attach a buffer");
    if (b->attached)
        return fail(MPI_ERR_BUFFER, "%s has a buffer already: detach it first", name_of(of));
    lock_take(&buffers);
    set_up(b, memory, size);
    lock_release(&buffers);
    return MPI_SUCCESS;
}

static int find_attached(struct object *of, struct buffer **b)
{
    *b = of ? *slot_of(of) : &of_process;
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

int buffer_iflush(struct object *of, struct request **request)
{
    struct buffer *b;
    struct request *r;
    struct flush *f;
    int count, error = find_attached(of, &b);

    if (!error)
        error = flush_new(of, &r);
    if (error)
        return error;
    f = (struct flush *)(void *)r->space;
    r->active = true;
    progress_poll(); /* what has been received may be known now */
    lock_take(&buffers);
    f->stamp = b->next_stamp;
    count = b->count;
    list_init(&f->link);
    if (count) {
        multi_request_start(r, count);
        list_add(&b->flushes, &f->link);
    }
    lock_release(&buffers);
    if (!count)
        multi_request_start(r, 0);
    *request = r;
    return MPI_SUCCESS;
}

int buffer_flush(struct object *of)
{
    struct request *r;
    int error = buffer_iflush(of, &r);

    if (error)
        return error;
    error = request_wait(r);
    request_unref(r);
    return error;
}

int buffer_detach(struct object *of, void *memory, MPI_Count *size)
{
    struct buffer *b;
    int error = buffer_flush(of);

    if (!error)
        error = find_attached(of, &b);
    if (error)
        return error;
    *(void **)memory = b->memory;
    *size = b->automatic ? 0 : b->size;
    b->attached = false;
    return MPI_SUCCESS;
}
