#include "coll/shm/irregular.h"

#include "base/fail.h"
#include "coll/shm/mailbox.h"

void irregular_begin(struct comm *comm, struct coll_call *call)
{
    call->places->comm = comm;
    call->places->number = schedule_next_tag(comm_whole(comm));
    call->places->senders = 0;
    if (!comm_is_inter(comm))
        return;
    call->is_idle = call->root == MPI_PROC_NULL;
    if (call->root == MPI_ROOT)
        call->root = comm_whole_local(comm, comm->rank);
    else
        call->root = call->is_idle ? 0 : comm_whole_remote(comm, call->root);
}

/* The root of a scatterv has a block for each rank. */
static int irregular_blocks(const struct coll_call *call)
{
    return call->list->collective == COLL_SCATTER ? call->boxes->size : 1;
}

static size_t irregular_table_bytes(const struct coll_call *call)
{
    return call->list->collective == COLL_SCATTER ? (size_t)call->boxes->size * sizeof(uint32_t) : 0;
}

static struct coll_block irregular_block(const struct coll_call *call, int r)
{
    if (call->list->collective != COLL_SCATTER)
        return call->in;
    return r == call->root ? block_empty() : block_place_of(&call->places->from, r);
}

/* How many bytes go through a mailbox: more where they are for several ranks. */
static size_t irregular_most(const struct coll_call *call)
{
    bool has_one_reader = call->list->collective == COLL_GATHER ||
                          (call->list->collective == COLL_BCAST && call->places->comm->remote->size == 1);

    return has_one_reader ? SMALL_MOST : call->boxes->shape.segment;
}

/* Of the contribution, its table included. False: they are too many for a mailbox. */
static bool irregular_fits(const struct coll_call *call, size_t *bytes)
{
    size_t most = irregular_most(call);

    *bytes = irregular_table_bytes(call);
    for (int r = 0; r < irregular_blocks(call); r++) {
        size_t of_rank = block_bytes(irregular_block(call, r));

        if (of_rank > most - *bytes)
            return false;
        *bytes += of_rank;
    }
    return true;
}

static void irregular_pack(struct coll_call *call, unsigned char *to)
{
    uint32_t *end = (uint32_t *)(void *)to, at = 0;

    to += irregular_table_bytes(call);
    for (int r = 0; r < irregular_blocks(call); r++) {
        struct coll_block block = irregular_block(call, r);

        engine_copy_in(call, block, 0, to + at, block_bytes(block));
        at += (uint32_t)block_bytes(block);
        if (call->list->collective == COLL_SCATTER)
            end[r] = at;
    }
}

bool irregular_put(struct coll_call *call)
{
    size_t bytes;

    call->has_messages = !irregular_fits(call, &bytes);
    if (call->has_messages)
        bytes = 0;
    call->payload = mailbox_reserve(call->boxes, call->sequence, bytes, call->sequence, true);
    if (!call->payload)
        return false;
    if (call->has_messages)
        call->tag |= TAG_MESSAGES;
    else
        irregular_pack(call, call->payload);
    engine_put(call, bytes);
    return true;
}

void irregular_expect(struct coll_call *call, int r)
{
    call->has_messages = true;
    call->places->senders |= (uint64_t)1 << r;
}

/* Copies what rank `r` has published for this one. */
static int irregular_take_from(struct coll_call *call, int r, struct coll_block to)
{
    const unsigned char *data = mailbox_data(call->boxes, r, call->sequence);
    size_t begin = 0, end = mailbox_line(call->boxes, r, call->sequence)->head.bytes;

    if (call->list->collective == COLL_SCATTER) {
        const uint32_t *ends = (const void *)data;
        int mine = call->boxes->rank;

        begin = mine ? ends[mine - 1] : 0;
        end = ends[mine];
    }
    if (end - begin != block_bytes(to))
        return fail(MPI_ERR_TRUNCATE,
                    "rank %d has %zu bytes for this one, where %zu are due: the counts or types of the ranks "
                    "do not fit together",
                    r, end - begin, block_bytes(to));
    data += irregular_table_bytes(call) + begin;
    engine_prefetch(data, end - begin);
    engine_copy_out(call, data, to);
    return MPI_SUCCESS;
}

static bool irregular_is_sender(const struct coll_call *call, int r)
{
    return call->places->senders >> r & 1;
}

void irregular_take(struct coll_call *call)
{
    const struct places *to = &call->places->to;
    bool is_root = call->root == call->boxes->rank;

    if (call->is_idle)
        return;
    if (call->list->collective == COLL_GATHER) {
        if (!is_root)
            return;
        for (int r = 0; r < call->boxes->size; r++)
            if (r != call->root && !irregular_is_sender(call, r))
                engine_note(call, irregular_take_from(call, r, block_place_of(to, r)));
        engine_keep_block(call, call->in, block_place_of(to, call->root));
    } else if (call->has_messages) {
        return; /* its schedule has all that is left to do */
    } else if (!is_root) {
        engine_note(call, irregular_take_from(call, call->root, call->out));
    } else if (call->list->collective == COLL_SCATTER) {
        engine_keep_block(call, block_place_of(&call->places->from, call->root), call->out);
    }
}

/* The root of a gatherv receives from some ranks. Otherwise all take the steps that they would without
 * mailboxes. */
static void irregular_build(struct schedule *s, const struct coll_call *call)
{
    const struct coll_places *places = call->places;
    const struct choice_list *list = call->list;
    coll_build *build = list->algorithm[list->algorithms - 1].build;
    struct coll_call again = *call;

    if (call->list->collective == COLL_GATHER && call->root == call->boxes->rank) {
        for (int r = 0; r < call->boxes->size; r++)
            if (irregular_is_sender(call, r))
                schedule_recv(s, block_place_of(&places->to, r), r);
        return;
    }
    if (comm_is_inter(places->comm)) {
        build = list->inter;
        again.root =
            call->root == call->boxes->rank ? MPI_ROOT : call->root - comm_whole_remote(places->comm, 0);
    }
    build(s, &again);
}

static int irregular_send(struct coll_call *call, enum form form)
{
    struct schedule *s;
    int error = schedule_open_as(call->places->comm, form, NULL, call->places->number, &s);

    if (error)
        return error;
    irregular_build(s, call);
    return schedule_close(s, &call->messages);
}

int irregular_finish(struct coll_call *call)
{
    if (call->has_messages)
        engine_note(call, irregular_send(call, FORM_BLOCKING));
    return call->error;
}

bool irregular_advance(struct coll_call *call)
{
    if (!call->has_messages)
        return true;
    if (!call->messages)
        engine_note(call, irregular_send(call, FORM_NONBLOCKING));
    if (call->messages && !request_is_done(call->messages))
        return false;
    if (call->messages) {
        engine_note(call, request_wait(call->messages));
        if (!call->messages->immortal)
            request_unref(call->messages);
    }
    return true;
}
