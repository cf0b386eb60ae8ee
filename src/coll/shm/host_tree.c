#include "coll/shm/host_tree.h"

#include "net/net.h"
#include "p2p/lost.h"
#include "plain/fail.h"

int host_tree_toward(const struct host_tree *t, int rank)
{
    int at = rank;

    if (rank == t->rank)
        return t->boxes->rank;
    while (at >= 0 && t->edge[at].parent != t->rank)
        at = t->edge[at].parent;
    for (int child = 0; at >= 0 && child < host_tree_children(t); child++)
        if (t->member[child] == at)
            return child;
    return t->boxes->rank + 1;
}

unsigned char *host_tree_reserve(struct host_tree *t, uint64_t call, enum tree_line line, size_t bytes)
{
    uint64_t sequence = host_tree_sequence(call, line);

    return mailbox_reserve(t->boxes, sequence, bytes, sequence, false);
}

void host_tree_publish(struct host_tree *t, uint64_t call, enum tree_line line, const unsigned char *data,
                       size_t bytes, uint32_t tag, int reader)
{
    mailbox_publish(t->boxes, host_tree_sequence(call, line), data, bytes, tag);
    mailbox_wake(t->boxes, reader < 0 ? 0 : reader, reader < 0 ? t->boxes->size - 1 : reader);
}

bool host_tree_has(struct host_tree *t, uint64_t call, enum tree_line line, int neighbour)
{
    return mailbox_poll(t->boxes, neighbour, host_tree_sequence(call, line)) ||
           mailbox_has_lost(t->boxes, neighbour);
}

/* A call and the tag of it, as a neighbour tells them. */
static uint64_t host_tree_told(uint64_t call, uint32_t tag)
{
    return call << 32 | tag;
}

/* Sequentially consistent, as the load in host_tree_differs: of two ranks that wait for each other one sees what the other has told. */
void host_tree_tell(struct host_tree *t, uint64_t call, uint32_t tag)
{
    atomic_store_explicit(&t->boxes->mine->told, host_tree_told(call, tag), memory_order_seq_cst);
}

static int host_tree_mismatch(const struct host_tree *t, int neighbour)
{
    return fail(MPI_ERR_OTHER,
                "rank %d of this host has called another collective, or with another root or operation",
                t->member[neighbour]);
}

bool host_tree_differs(struct host_tree *t, uint64_t call, enum tree_line line, int neighbour, uint32_t tag,
                       int *error)
{
    uint64_t other = host_tree_sequence(call, line == LINE_UP ? LINE_DOWN : LINE_UP);
    uint64_t told = atomic_load_explicit(&t->boxes->peer[neighbour].mailbox->told, memory_order_seq_cst);
    uint32_t theirs = tag;

    if (mailbox_poll(t->boxes, neighbour, other))
        theirs = mailbox_tag(mailbox_line(t->boxes, neighbour, other));
    if (theirs == LINE_FAILED || theirs == LINE_LEFT) /* its other line will say so too */
        theirs = tag;
    if (theirs == tag && (told >> 32 != (call & UINT32_MAX) || (uint32_t)told == tag))
        return false;
    mailbox_wake(t->boxes, neighbour, neighbour); /* it sees what this one has told */
    *error = (uint32_t)told == LINE_LEFT ? lost_fail_left(t->boxes->comm, t->member[neighbour])
                                         : host_tree_mismatch(t, neighbour);
    return true;
}

static int describe_line(const struct host_tree *t, const struct mailbox_line *line, int neighbour,
                         uint32_t tag, size_t bytes)
{
    uint32_t theirs = mailbox_tag(line);
    int rank = t->member[neighbour];

    if (theirs == LINE_LEFT)
        return lost_fail_left(t->boxes->comm, rank);
    if (theirs == LINE_FAILED)
        return fail(MPI_ERR_OTHER, "rank %d of this host could not do its part of a collective", rank);
    if (theirs != tag)
        return host_tree_mismatch(t, neighbour);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d of this host has %u bytes for this collective, where %zu are due: the counts or "
                "types of the ranks "
                "do not fit together",
                rank, (unsigned)line->head.bytes, bytes);
}

const unsigned char *host_tree_data(struct host_tree *t, uint64_t call, enum tree_line which, int neighbour,
                                    uint32_t tag, size_t bytes, int *error)
{
    uint64_t sequence = host_tree_sequence(call, which);
    const struct mailbox_line *line = mailbox_line(t->boxes, neighbour, sequence);

    if (!mailbox_poll(t->boxes, neighbour, sequence))
        *error = fail(net_loss_class(), "rank %d of this host has ended", t->member[neighbour]);
    else if (mailbox_tag(line) == tag && line->head.bytes == bytes)
        return mailbox_data(t->boxes, neighbour, sequence);
    else
        *error = describe_line(t, line, neighbour, tag, bytes);
    host_tree_tell(t, call, tag); /* it may wait for a line that is not part of this rank's call */
    mailbox_wake(t->boxes, neighbour, neighbour);
    return NULL;
}

void host_tree_end(struct host_tree *t, uint64_t call)
{
    uint64_t done = t->boxes->peer[t->boxes->rank].done, before = done;

    t->ended |= (uint64_t)1 << ((call - done) / 2 - 1);
    for (; t->ended & 1; t->ended >>= 1)
        done += 2;
    if (done != before)
        mailbox_end(t->boxes, done);
}
