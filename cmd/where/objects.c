#include "cmd/where/objects.h"

#include "cmd/where/stack.h"
#include "p2p/p2p.h"
#include "request/request.h"
#include "win/win.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SLOTS_MOST = 1 << 16,   /* of a pool that are looked at */
    RECORDS_MOST = 1 << 16, /* of unexpected messages */
    OBJECT_MOST = 1 << 16   /* bytes of an object */
};

/* A walk over the objects in use of a pool. The objects of a chunk lie one after the other and are read together. */
struct pool_walk {
    const struct traced *t;
    uint64_t chunks;
    uint32_t size, used, next;
    unsigned char *chunk; /* owned */
    bool is_here;         /* the chunk of `next` could be read */
    bool is_whole;        /* so far all could */
    uint64_t chunk_at;
};

static void walk_begin(struct pool_walk *w, const struct traced *t, const void *pool)
{
    uint64_t at = (uint64_t)(uintptr_t)pool;

    *w = (struct pool_walk){.t = t,
                            .chunks = traced_word(t, at + t->table.of_pool.chunks),
                            .size = (uint32_t)traced_word(t, at + t->table.of_pool.object_size),
                            .used = traced_half(t, at + t->table.of_pool.used),
                            .is_whole = true};
    if (w->size > OBJECT_MOST || w->size < sizeof(uint64_t))
        w->used = 0;
    if (w->used > SLOTS_MOST)
        w->used = SLOTS_MOST;
    w->chunk = malloc((size_t)t->table.of_pool.chunk_objects * (w->used ? w->size : 1));
    if (!w->chunk)
        w->used = 0;
}

static void read_chunk(struct pool_walk *w)
{
    uint32_t per_chunk = w->t->table.of_pool.chunk_objects, left = w->used - w->next;

    w->chunk_at = traced_word(w->t, w->chunks + w->next / per_chunk * sizeof(uint64_t));
    w->is_here = w->chunk_at && traced_read(w->t, w->chunk_at, w->chunk,
                                            (size_t)w->size * (left < per_chunk ? left : per_chunk));
    w->is_whole = w->is_whole && w->is_here;
}

static uint64_t field_word(const unsigned char *object, uint32_t offset)
{
    uint64_t word;

    memcpy(&word, object + offset, sizeof word);
    return word;
}

static int field_int(const unsigned char *object, uint32_t offset)
{
    int number;

    memcpy(&number, object + offset, sizeof number);
    return number;
}

/* The next object that is referenced, and its address; NULL: there is no more, and the walk is over. */
static const unsigned char *walk_next(struct pool_walk *w, uint64_t *address)
{
    uint32_t per_chunk = w->t->table.of_pool.chunk_objects;

    for (; w->next < w->used; w->next++) {
        uint32_t place = w->next % per_chunk;
        unsigned char *object = w->chunk + (size_t)place * w->size;

        if (place == 0)
            read_chunk(w);
        if (!w->is_here || !field_int(object, w->t->table.of_object.references))
            continue;
        *address = w->chunk_at + (uint64_t)place * w->size;
        w->next++;
        return object;
    }
    free(w->chunk);
    w->chunk = NULL;
    return NULL;
}

static void copy_name(char *to, const unsigned char *from, size_t bytes)
{
    snprintf(to, OBJECTS_NAME, "%.*s", (int)bytes, (const char *)from);
    for (; *to; to++)
        if ((unsigned char)*to < ' ' || *to == 127)
            *to = '?';
}

static bool keep_comm(const struct traced *t, struct objects *o, const unsigned char *c, uint64_t at)
{
    const struct where_table *w = &t->table;
    struct object_comm *comm = &o->comm[o->comms];
    uint64_t remote = field_word(c, w->of_comm.remote);
    int own = field_int(c, w->of_comm.count);

    if (o->comms == OBJECTS_COMMS)
        return true;
    *comm = (struct object_comm){.at = at,
                                 .context = field_word(c, w->of_comm.context),
                                 .rank = field_int(c, w->of_comm.rank),
                                 .count = own,
                                 .is_hidden = field_word(c, w->of_object.handle) == 0,
                                 .is_inter = remote != 0,
                                 .process = field_word(c, w->of_comm.process)};
    if (comm->is_inter)
        comm->count = (int)traced_half(t, remote + w->of_group.count);
    copy_name(comm->name, c + w->of_comm.name, w->of_comm.name_size);
    if (own < 0 || comm->count < 0 || comm->rank >= own)
        return false;
    o->comms++;
    return true;
}

static bool read_comms(const struct traced *t, struct objects *o)
{
    const void *fixed[] = {t->table.comm_world, t->table.comm_self};
    unsigned char object[OBJECT_MOST];
    const unsigned char *c;
    bool is_plausible = t->table.of_comm.size <= sizeof object;
    struct pool_walk walk;
    uint64_t at;

    for (int i = 0; i < 2 && is_plausible; i++)
        if (traced_read(t, (uint64_t)(uintptr_t)fixed[i], object, t->table.of_comm.size) &&
            field_int(object, t->table.of_object.references))
            is_plausible = keep_comm(t, o, object, (uint64_t)(uintptr_t)fixed[i]);
    walk_begin(&walk, t, t->table.comm_pool);
    while ((c = walk_next(&walk, &at)) != NULL)
        is_plausible = keep_comm(t, o, c, at) && is_plausible;
    return is_plausible && walk.is_whole;
}

const struct object_comm *objects_comm(const struct objects *o, uint64_t at)
{
    for (int i = 0; i < o->comms; i++)
        if (o->comm[i].at == at)
            return &o->comm[i];
    return NULL;
}

static bool has_message(int kind)
{
    return kind == REQUEST_SEND || kind == REQUEST_RECV;
}

static void take_places(const struct traced *t, const unsigned char *r, struct object_request *request)
{
    const struct where_table *w = &t->table;
    uint64_t posted = field_word(r, w->of_request.posted);

    if (!r[w->of_request.persistent]) {
        request->posted = posted;
    } else if (posted) {
        request->posted = traced_word(t, posted + w->of_request_places.started);
        request->made = traced_word(t, posted + w->of_request_places.made);
    }
}

/* Requests that are under way. */
static bool keep_request(const struct traced *t, struct objects *o, const unsigned char *r, uint64_t at)
{
    const struct where_table *w = &t->table;
    struct object_request *request = &o->request[o->requests];
    const unsigned char *space = r + w->of_request.space;
    int kind = r[w->of_request.kind];
    uint64_t peer;

    if (!r[w->of_request.active] || r[w->of_request.done] || r[w->of_request.immortal])
        return true;
    if (kind > REQUEST_MULTI)
        return false;
    if (o->requests == OBJECTS_REQUESTS) {
        o->requests_left++;
        return true;
    }
    *request = (struct object_request){
        .at = at, .kind = kind, .comm = field_word(r, w->of_request.owner), .process = -1};
    take_places(t, r, request);
    if (has_message(kind)) {
        peer = field_word(space, w->of_transfer.peer);
        request->comm = field_word(space, w->of_transfer.comm);
        request->source = field_int(space, w->of_transfer.source);
        request->tag = field_int(space, w->of_transfer.tag);
        request->bytes = field_word(space, w->of_transfer.bytes);
        request->plane = space[w->of_transfer.plane];
        if (field_word(space, w->of_transfer.on_done))
            request->parent = field_word(space, w->of_transfer.context);
        request->is_posted = kind == REQUEST_RECV && space[w->of_transfer.is_posted];
        if (peer && kind == REQUEST_SEND)
            request->process = (int)traced_half(t, peer + w->of_peer.process);
        if (request->plane >= PLANE_COUNT || !objects_comm(o, request->comm))
            return false;
    }
    o->requests++;
    return true;
}

const struct object_request *objects_request(const struct objects *o, uint64_t at)
{
    for (int i = 0; at && i < o->requests; i++)
        if (o->request[i].at == at)
            return &o->request[i];
    return NULL;
}

const struct object_request *objects_part(const struct objects *o, const struct object_request *r)
{
    const struct object_request *part = NULL;

    for (int i = 0; i < o->requests; i++)
        if (o->request[i].parent == r->at) {
            if (part)
                return NULL;
            part = &o->request[i];
        }
    return part;
}

static bool read_requests(const struct traced *t, struct objects *o)
{
    bool is_plausible = true;
    const unsigned char *r;
    struct pool_walk walk;
    uint64_t at;

    walk_begin(&walk, t, t->table.request_pool);
    while ((r = walk_next(&walk, &at)) != NULL)
        is_plausible = keep_request(t, o, r, at) && is_plausible;
    return is_plausible && walk.is_whole;
}

/* The messages of a communicator without a receive in one lane. */
static bool read_messages_of(const struct traced *t, struct objects *o, const struct object_comm *comm,
                             uint64_t match)
{
    const struct where_table *w = &t->table;
    uint64_t record = traced_word(t, match + w->of_match.record);
    uint32_t used = traced_half(t, match + w->of_match.used);
    unsigned char u[256];

    if (!record || !traced_half(t, match + w->of_match.live))
        return true;
    if (w->of_unexpected.size > sizeof u)
        return false;
    for (uint32_t i = 1; i < used && i < RECORDS_MOST; i++) {
        if (!traced_read(t, record + (uint64_t)i * w->of_unexpected.size, u, w->of_unexpected.size))
            return false;
        if (!u[w->of_unexpected.waits])
            continue;
        if (o->messages == OBJECTS_MESSAGES) {
            o->messages_left++;
            continue;
        }
        o->message[o->messages++] = (struct object_message){
            .comm = comm->at,
            .source = field_int(u, w->of_unexpected.source),
            .process = objects_process(t, comm, field_int(u, w->of_unexpected.source)),
            .tag = field_int(u, w->of_unexpected.tag),
            .bytes = (uint32_t)field_int(u, w->of_unexpected.length)};
    }
    return true;
}

static bool read_messages(const struct traced *t, struct objects *o)
{
    bool is_plausible = true;

    for (int i = 0; i < o->comms; i++)
        for (uint32_t lane = 0; lane < t->table.of_comm.lanes && !o->comm[i].is_hidden; lane++) {
            uint64_t match = traced_word(t, o->comm[i].at + t->table.of_comm.match + lane * sizeof(uint64_t));

            if (match)
                is_plausible = read_messages_of(t, o, &o->comm[i], match) && is_plausible;
        }
    return is_plausible;
}

/* Which ranks this process may access as an origin. */
static bool read_access(const struct traced *t, struct object_window *w, uint64_t access)
{
    unsigned char bits[OBJECTS_RANKS];
    size_t count = (size_t)w->count < sizeof bits ? (size_t)w->count : sizeof bits;

    if (!access)
        return true;
    if (!traced_read_same(t, access, bits, count))
        return false;
    for (size_t i = 0; i < count; i++)
        if (bits[i] & (ACCESS_SHARED | ACCESS_EXCLUSIVE)) {
            if (w->locks < (int)(sizeof w->locked / sizeof *w->locked))
                w->locked[w->locks] = (int)i;
            w->locks++;
        }
    return true;
}

static bool keep_window(const struct traced *t, struct objects *o, const unsigned char *win, uint64_t at)
{
    const struct where_table *w = &t->table;
    struct object_window *window = &o->window[o->windows];

    if (o->windows == OBJECTS_WINDOWS)
        return true;
    *window = (struct object_window){
        .at = at,
        .comm = field_word(win, w->of_win.comm),
        .rank = field_int(win, w->of_win.rank),
        .count = field_int(win, w->of_win.count),
        .own_control = field_word(win, w->of_win.own_control),
        .control = field_word(win, w->of_win.control),
        .controls = field_int(win, w->of_win.controls),
        .is_open_to_all = (win[w->of_win.open_to_all] & (ACCESS_SHARED | ACCESS_EXCLUSIVE)) != 0,
        .has_started = field_word(win, w->of_win.started) != 0,
        .has_posted = field_word(win, w->of_win.posted) != 0};
    copy_name(window->name, win + w->of_win.name, w->of_comm.name_size);
    if (window->count <= 0 || window->rank < 0 || window->rank >= window->count ||
        !read_access(t, window, field_word(win, w->of_win.access)))
        return false;
    o->windows++;
    return true;
}

static bool read_windows(const struct traced *t, struct objects *o)
{
    bool is_plausible = true;
    const unsigned char *win;
    struct pool_walk walk;
    uint64_t at;

    walk_begin(&walk, t, t->table.win_pool);
    while ((win = walk_next(&walk, &at)) != NULL)
        is_plausible = keep_window(t, o, win, at) && is_plausible;
    return is_plausible && walk.is_whole;
}

static bool read_files(const struct traced *t, struct objects *o)
{
    const unsigned char *f;
    struct pool_walk walk;
    uint64_t at;

    walk_begin(&walk, t, t->table.file_pool);
    while ((f = walk_next(&walk, &at)) != NULL)
        if (o->files < OBJECTS_FILES) {
            struct object_file *file = &o->file[o->files++];

            file->comm = field_word(f, t->table.of_file.comm);
            traced_text(t, field_word(f, t->table.of_file.name), file->name, sizeof file->name);
        }
    return walk.is_whole;
}

bool objects_read(const struct traced *t, struct objects *o)
{
    asked_renew();
    memset(o, 0, sizeof *o); /* two of them are compared as bytes */
    return read_comms(t, o) && read_requests(t, o) && read_messages(t, o) && read_windows(t, o) &&
           read_files(t, o);
}

void objects_name(const struct objects *o, uint64_t at, char *to, size_t room)
{
    const struct object_comm *c = objects_comm(o, at);

    for (int i = 0; i < o->files; i++)
        if (o->file[i].comm == at) {
            snprintf(to, room, "file '%s'", o->file[i].name);
            return;
        }
    for (int i = 0; i < o->windows; i++)
        if (o->window[i].comm == at) {
            if (*o->window[i].name)
                snprintf(to, room, "window '%s'", o->window[i].name);
            else
                snprintf(to, room, "a window of %d ranks", o->window[i].count);
            return;
        }
    if (c && *c->name)
        snprintf(to, room, "'%s'", c->name);
    else if (c)
        snprintf(to, room, "a communicator of %d ranks without a name", c->count);
    else
        snprintf(to, room, "a communicator");
}

int objects_process(const struct traced *t, const struct object_comm *c, int rank)
{
    int process;

    if (rank < 0 || rank >= c->count ||
        !traced_read_same(t, c->process + (uint64_t)rank * sizeof process, &process, sizeof process))
        return -1;
    return process;
}

int objects_rank(const struct traced *t, const struct object_comm *c, int process)
{
    int number[OBJECTS_RANKS];
    int count = c->count < OBJECTS_RANKS ? c->count : OBJECTS_RANKS;

    if (process < 0 || !traced_read_same(t, c->process, number, (size_t)count * sizeof *number))
        return -1;
    for (int i = 0; i < count; i++)
        if (number[i] == process)
            return i;
    return -1;
}

void objects_members(const struct traced *t, const struct object_comm *c, bool *has, int size)
{
    int number[OBJECTS_RANKS];
    int count = c->count < OBJECTS_RANKS ? c->count : OBJECTS_RANKS;

    if (!traced_read_same(t, c->process, number, (size_t)count * sizeof *number))
        return;
    for (int i = 0; i < count; i++)
        if (number[i] >= 0 && number[i] < size)
            has[number[i]] = true;
}
