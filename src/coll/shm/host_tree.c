#include "coll/shm/host_tree.h"

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

static int describe_line(const struct host_tree *t, const struct mailbox_line *line, int neighbour,
                         uint32_t tag, size_t bytes)
{
    uint32_t theirs = mailbox_tag(line);
    int rank = t->member[neighbour];

    if (theirs == LINE_FAILED)
        return fail(MPI_ERR_OTHER, "rank %d of this host could not do its part of a collective", rank);
    if (theirs != tag)
        return fail(MPI_ERR_OTHER,
                    "rank %d of this host has called another collective, or with another root or operation",
                    rank);
    return fail(MPI_ERR_TRUNCATE,
                "rank %d of this host has %u bytes for this collective, where %zu are due: the counts or "
                "types of the ranks "
                "do not fit together",
                rank, (unsigned)line->head.bytes, bytes);
}

const unsigned char *host_tree_data(const struct host_tree *t, uint64_t call, enum tree_line which,
                                    int neighbour, uint32_t tag, size_t bytes, int *error)
{
    uint64_t sequence = host_tree_sequence(call, which);
    const struct mailbox_line *line = mailbox_line(t->boxes, neighbour, sequence);

    if (!mailbox_poll(t->boxes, neighbour, sequence))
        *error = fail(MPI_ERR_PROC_ABORTED, "rank %d of this host has ended", t->member[neighbour]);
    else if (mailbox_tag(line) != tag || line->head.bytes != bytes)
        *error = describe_line(t, line, neighbour, tag, bytes);
    else
        return mailbox_data(t->boxes, neighbour, sequence);
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
