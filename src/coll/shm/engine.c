#include "coll/shm/engine.h"

#include "base/copy.h"
#include "coll/shm/irregular.h"
#include "coll/shm/mailbox.h"
#include "coll/shm/shm_coll.h"
#include "coll/shm/single_copy.h"
#include "p2p/lost.h"
#include "plain/fail.h"

enum {
    ROOT_BITS = 6,
    PORTION_BYTES = 4096,    /* combined at a time: stays in the nearest cache */
    POLLS_BEFORE_HEADER = 20 /* fewer than those before a rank sleeps */
};

/* Whether this rank polls nobody. */
static bool engine_runs_ahead(const struct shm_run *run)
{
    return run->next >= run->until;
}

void engine_note(struct shm_run *run, int error)
{
    if (error && !run->error)
        run->error = error;
}

/* Whether this rank reads its contribution where it lies: not from where the result goes. */
static bool engine_input_stays(const struct shm_run *run)
{
    const struct coll_call *call = run->call;

    return run->step->keeps_own || !call->in.count ||
           (call->in.at != call->out.at &&
            !datatype_device(call->in.type, call->in.at, mailbox_kinds(run->boxes)));
}

/* Which ranks poll which. A root that polls all reads its own vector in its buffer. */
static void engine_enter(struct shm_run *run)
{
    int rank = run->boxes->rank, size = run->boxes->size;
    bool is_root = run->root == rank;

    run->polls = 0;
    run->next = 0;
    run->until = (uint8_t)size;
    run->is_published = false;
    run->is_header_published = false;
    switch (run->step->way) {
    case WAY_ALL:
        break;
    case WAY_FROM_ROOT:
        run->next = run->root;
        run->until = (uint8_t)(run->root + !is_root);
        run->is_published = !is_root;
        break;
    case WAY_TO_ROOT:
        if (!is_root)
            run->until = 0;
        run->is_published = is_root && engine_input_stays(run);
        break;
    case WAY_FROM_BELOW: /* nobody reads the last rank's */
        run->until = (uint8_t)rank;
        run->is_published = rank == size - 1 && (run->root || engine_input_stays(run));
        break;
    }
    if (run->is_irregular && irregular_is_idle(run)) {
        run->until = run->next;
        run->is_published = true;
    }
}

void engine_set_steps(struct shm_run *run, const struct shm_step *step, uint32_t steps)
{
    run->step = step;
    run->left = steps - 1;
}

static int engine_loss(const struct shm_run *run, int rank)
{
    if (run->boxes->comm->revoked)
        return fail(MPIX_ERR_REVOKED, "the communicator has been revoked");
    if (net_survives())
        return fail(MPIX_ERR_PROC_FAILED, "a rank of the communicator has failed");
    return fail(MPI_ERR_PROC_ABORTED, "rank %d, of another job, has ended", rank);
}

/* A call takes as many sequence numbers on all ranks. Where one is lost they may have different calls in turn, so each leaves. */
void engine_begin(struct shm_run *run)
{
    const struct coll_call *call = run->call;
    uint32_t op = !call->op ? 0 : call->op->code >= OP_USER ? TAG_OP_USER : call->op->code + 1u;

    run->sequence = ++run->boxes->sequence;
    run->error = mailbox_is_hit(run->boxes) ? engine_loss(run, run->boxes->rank) : MPI_SUCCESS;
    run->is_exposed = false;
    run->tag = run->tag >> TAG_NUMBER_SHIFT << TAG_NUMBER_SHIFT | op << TAG_OP_SHIFT |
               (uint32_t)(call->list->collective << ROOT_BITS | run->root) |
               (run->is_irregular ? TAG_IRREGULAR : 0);
    run->algorithm->plan(run);
    run->boxes->sequence += run->left;
    engine_enter(run);
}

void engine_copy_in(struct shm_run *run, struct coll_block in, size_t first, unsigned char *to, size_t bytes)
{
    const struct device *device;

    if (!bytes)
        return;
    device = datatype_device(in.type, in.at, mailbox_kinds(run->boxes));
    if (in.type->dense && !device)
        copy_bytes(to, (const char *)in.at + first, bytes);
    else
        engine_note(run, datatype_pack_from(device, in.type, in.at, first, to, bytes));
}

void engine_copy_part(struct shm_run *run, const void *from, struct coll_block to, size_t first, size_t bytes)
{
    const struct device *device = datatype_device(to.type, to.at, mailbox_kinds(run->boxes));

    if (to.type->dense && !device)
        copy_bytes((char *)to.at + first, from, bytes);
    else if (bytes)
        engine_note(run, datatype_unpack_to(device, to.type, to.at, first, from, bytes));
}

void engine_copy_out(struct shm_run *run, const void *from, struct coll_block to)
{
    engine_copy_part(run, from, to, 0, block_bytes(to));
}

void engine_prefetch(const unsigned char *data, size_t bytes)
{
    for (size_t at = 0; bytes <= PREFETCH_MOST && at < bytes; at += PAYLOAD_UNIT)
        __builtin_prefetch(data + at);
}

void engine_keep_block(struct shm_run *run, struct coll_block from, struct coll_block to)
{
    if (from.at != to.at || from.type != to.type)
        engine_note(run, block_copy(from, to, mailbox_kinds(run->boxes)));
}

static uint32_t engine_tag(const struct shm_run *run)
{
    if (!run->error)
        return run->tag;
    return lost_is_cause(run->error) ? TAG_LEFT : TAG_FAILED;
}

void engine_put(struct shm_run *run, size_t bytes)
{
    mailbox_publish(run->boxes, run->sequence, run->payload, bytes, engine_tag(run));
    if (run->step->way == WAY_TO_ROOT && !run->error)
        mailbox_wake(run->boxes, run->root, run->root);
    else
        mailbox_wake(run->boxes, 0, run->boxes->size - 1);
    if (engine_runs_ahead(run))
        mailbox_prefetch(run->boxes, run->sequence);
    run->is_published = run->is_header_published = true;
}

bool engine_reserve(struct shm_run *run, size_t *bytes, uint32_t later)
{
    if (*bytes > run->boxes->shape.segment)
        *bytes = 0;
    run->payload =
        mailbox_reserve(run->boxes, run->sequence, *bytes, run->sequence + later, engine_runs_ahead(run));
    return run->payload;
}

void engine_check_sent(struct shm_run *run, size_t bytes, size_t due)
{
    if (bytes != due)
        engine_note(run, fail(MPI_ERR_TRUNCATE, "%zu bytes are sent, where %zu are received", bytes,
                              run->call->bytes));
}

bool engine_put_block(struct shm_run *run, struct coll_block in, size_t first, size_t bytes, uint32_t later)
{
    size_t fitting = bytes;

    if (!engine_reserve(run, &fitting, later))
        return false;
    if (fitting && !run->error)
        engine_copy_in(run, in, first, run->payload, fitting);
    engine_put(run, fitting);
    return true;
}

bool engine_put_input(struct shm_run *run)
{
    size_t bytes = block_bytes(run->call->in);

    if (!engine_put_block(run, run->call->in, 0, bytes, 0))
        return false;
    engine_check_sent(run, bytes, run->call->bytes);
    return true;
}

bool engine_put_nothing(struct shm_run *run)
{
    return engine_put_block(run, run->call->in, 0, 0, 0);
}

size_t engine_due_nothing(const struct shm_run *run, int rank)
{
    (void)run;
    (void)rank;
    return 0;
}

/* There is no room, and those who would make it may have left since a rank is lost: then this rank leaves without a line, and others that
 * wait for it see that it has completed the call (engine_is_awaited). */
static bool engine_gives_up(struct shm_run *run)
{
    if (run->is_exposed || !mailbox_is_hit(run->boxes))
        return false;
    engine_note(run, engine_loss(run, run->boxes->rank));
    mailbox_leave(run->boxes, run->sequence);
    run->is_published = run->is_header_published = true;
    return true;
}

bool engine_publish(struct shm_run *run)
{
    return run->is_published || run->step->put(run) || engine_gives_up(run);
}

/* A rank that contributes nothing publishes its header while it waits: others that wait for it see which collective it has called. */
static void engine_publish_header(struct shm_run *run)
{
    unsigned char *place =
        run->is_header_published ? NULL : mailbox_reserve(run->boxes, run->sequence, 0, run->sequence, false);

    if (!place)
        return;
    mailbox_publish(run->boxes, run->sequence, place, 0, run->tag);
    run->is_header_published = true;
}

/* This rank has failed. False: its line cannot be written yet; it never can be where those that would make room have left since a rank is
 * lost. */
static bool engine_publish_failure(struct shm_run *run)
{
    if (run->is_header_published) {
        mailbox_wake(run->boxes, 0, run->boxes->size - 1); /* who reads its line finds the error as well */
        return true;
    }
    run->payload = mailbox_reserve(run->boxes, run->sequence, 0, run->sequence, false);
    if (!run->payload && !mailbox_is_hit(run->boxes))
        return false;
    if (run->payload)
        engine_put(run, 0);
    else
        mailbox_leave(run->boxes, run->sequence);
    return true;
}

static size_t engine_expected(const struct shm_run *run, int rank)
{
    return run->step->due ? run->step->due(run, rank) : run->call->bytes;
}

static int engine_other_call(int rank)
{
    return fail(MPI_ERR_OTHER, "rank %d has called another collective, or with another root or operation",
                rank);
}

/* The line of a rank does not fit this call. */
static int engine_mismatch(const struct shm_run *run, int rank, const struct mailbox_line *line)
{
    uint32_t tag = mailbox_tag(line);

    if (tag == TAG_LEFT)
        return lost_fail_left(run->boxes->comm, rank);
    if (tag == TAG_FAILED)
        return fail(MPI_ERR_OTHER, "rank %d could not do its part of a collective", rank);
    if ((tag ^ run->tag) >> TAG_NUMBER_SHIFT)
        return fail(MPI_ERR_OTHER,
                    "rank %d has started another persistent collective than this rank, and "
                    "mpi_assert_strict_persistent_collective_ordering promises one order "
                    "on all ranks",
                    rank);
    if (tag != run->tag)
        return engine_other_call(rank);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d has %u bytes for this collective, where %zu are due: "
                "the counts or types of the "
                "ranks do not fit together",
                rank, (unsigned)line->head.bytes, engine_expected(run, rank));
}

static void engine_check(struct shm_run *run, int rank)
{
    const struct mailbox_line *line = mailbox_line(run->boxes, rank, run->sequence);
    uint32_t tag = mailbox_tag(line);

    if (run->is_irregular && tag == (run->tag | TAG_MESSAGES))
        irregular_expect(run, rank);
    else if (tag != run->tag || (!run->is_irregular && line->head.bytes != engine_expected(run, rank)))
        engine_note(run, engine_mismatch(run, rank, line));
}

/* Where the job survives, a loss of any rank ends the call, since ranks that learn of it before they call do not come. But while
 * others may access this rank's buffers, which they do once all have called, it waits for each of them. */
static bool engine_has_lost(const struct shm_run *run, int rank)
{
    return mailbox_has_lost(run->boxes, rank) ||
           (!run->is_exposed && !run->is_irregular && mailbox_is_hit(run->boxes));
}

/* Whether `rank` may still publish, or has completed this operation without that, which is looked at now and then, or has ended. */
static bool engine_is_awaited(struct shm_run *run, int rank)
{
    struct mailboxes *s = run->boxes;

    if (engine_has_lost(run, rank) && !mailbox_poll(s, rank, run->sequence)) {
        engine_note(run, engine_loss(run, rank));
        return false;
    }
    if (++run->polls % POLLS_BEFORE_HEADER)
        return true;
    engine_publish_header(run);
    if (!mailbox_is_past(s, rank, run->sequence))
        return true;
    engine_note(run, mailbox_has_left(s, rank, run->sequence) ? lost_fail_left(s->comm, rank)
                                                              : engine_other_call(rank));
    return false;
}

/* Whether all that this rank needs is published; also when it has failed. */
static bool engine_is_ready(struct shm_run *run)
{
    struct mailboxes *s = run->boxes;

    for (; run->next < run->until; run->next++) {
        if (run->error && !run->is_exposed && !run->is_irregular)
            break; /* others may access this rank's buffers only then, or send it
                messages */
        if (run->next == s->rank)
            continue;
        if (mailbox_poll(s, run->next, run->sequence))
            engine_check(run, run->next);
        else if (engine_is_awaited(run, run->next))
            return false;
    }
    return true;
}

/* The contribution of a rank. This rank's own is read where it lies, if that can be. */
static const unsigned char *engine_vector(const struct shm_run *run, int rank)
{
    return rank == run->boxes->rank && engine_input_stays(run)
               ? run->call->in.at
               : mailbox_data(run->boxes, rank, run->sequence);
}

void engine_combine(struct shm_run *run, int last, MPI_Count first, struct coll_block out,
                    unsigned char *shared)
{
    _Alignas(16) unsigned char apart[PORTION_BYTES];
    size_t item = (size_t)out.type->size;
    MPI_Count portion = out.count ? PORTION_BYTES / out.type->size : 0;
    bool is_apart = datatype_device(out.type, out.at, mailbox_kinds(run->boxes));

    for (MPI_Count at = 0; at < out.count && last >= 0; at += portion) {
        struct coll_block part = block_slice(out, at, portion);
        size_t offset = (size_t)(first + at) * item;
        void *sum = is_apart ? apart : part.at;

        copy_bytes(sum, engine_vector(run, last) + offset, block_bytes(part));
        for (int r = last - 1; r >= 0; r--)
            op_apply(run->call->op, engine_vector(run, r) + offset, sum, part.count, part.type);
        if (shared)
            copy_bytes(shared + offset, sum, block_bytes(part));
        if (is_apart)
            engine_copy_out(run, sum, part);
    }
}

void engine_combine_all(struct shm_run *run)
{
    engine_combine(run, run->boxes->size - 1, 0, run->call->out, NULL);
}

void engine_take_block(struct shm_run *run, int rank, size_t from, struct coll_block to)
{
    const unsigned char *data = mailbox_data(run->boxes, rank, run->sequence) + from;

    if (rank != run->boxes->rank)
        engine_prefetch(data, block_bytes(to));
    engine_copy_out(run, data, to);
}

void engine_take_result(struct shm_run *run)
{
    if (run->root != run->boxes->rank)
        engine_copy_out(run, mailbox_data(run->boxes, run->root, run->sequence), run->call->out);
}

void engine_take_nothing(struct shm_run *run)
{
    (void)run;
}

/* All that this rank needs is published. */
static void engine_conclude(struct shm_run *run)
{
    if (run->step->way != WAY_TO_ROOT || run->root == run->boxes->rank)
        run->step->take(run);
}

/* A root that has not waited finds most likely that the others have published the next call's as well: the cache lines come while this
 * call ends. Where ranks wait for each other, or for a root, this would take lines from those that write them. */
static void engine_fetch_next(const struct shm_run *run)
{
    if (run->polls || run->step->way != WAY_TO_ROOT || run->left || run->is_exposed)
        return;
    for (int r = 0; r < run->until; r++)
        __builtin_prefetch(mailbox_line(run->boxes, r, run->sequence + 1));
}

bool engine_waits_for_done(const struct shm_run *run)
{
    return !run->is_published || run->error;
}

/* The next step; a portion is as its last one. */
static void engine_go_on(struct shm_run *run)
{
    run->sequence++;
    run->left--;
    run->step += !run->step->is_portion;
    engine_enter(run);
}

bool engine_advance(struct shm_run *run)
{
    while (engine_publish(run) && engine_is_ready(run)) { /* a waiter comes often */
        if (!run->error) {
            engine_fetch_next(run);
            engine_conclude(run);
        } else if (!engine_publish_failure(run))
            return false;
        mailbox_end(run->boxes, run->sequence);
        if (!run->left) {
            single_copy_end(run);
            return true;
        }
        engine_go_on(run);
    }
    return false;
}
