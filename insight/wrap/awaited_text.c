#include "insight/wrap/wrap.h"

#include "insight/checks/message/message_check.h"
#include "insight/findings/finding.h"
#include "insight/objects/request_record.h"

#include <stdio.h>
#include <string.h>

enum {
    REQUESTS = 2 /* that are described */
};

/* "rank 3", of MPI_COMM_WORLD, or "any rank" */
static const char *name_peer(const struct comm_record *comm, int rank, char text[32])
{
    if (rank == MPI_ANY_SOURCE)
        return "any rank";
    snprintf(text, 32, "rank %d", comm_check_world(comm, rank));
    return text;
}

static const char *name_tag(int tag, char text[32])
{
    if (tag == MPI_ANY_TAG)
        return "any tag";
    snprintf(text, 32, "tag %d", tag);
    return text;
}

/* "\n    MPI_Irecv from rank 1 with tag 7, posted at solve.c:41 (solve)" */
static size_t describe_request(const struct request_record *r, char *text, size_t size)
{
    const struct comm_record *comm = comm_check_find(r->comm);
    char peer[32], tag[32], place[64];
    void *posted_at = r->started_at ? r->started_at : r->base.site;
    bool receives = r->source != MPI_PROC_NULL && r->posted, sends = r->dest != MPI_PROC_NULL && !receives;

    if (!comm || !comm->world)
        return 0;
    finding_place_text(finding_place(posted_at), place, sizeof place);
    if (receives || sends)
        return (size_t)snprintf(text, size, "\n    %s %s %s with %s, posted at %s", r->base.maker->name,
                                receives ? "from" : "to",
                                name_peer(comm, receives ? r->source : r->dest, peer),
                                name_tag(receives ? r->recvtag : r->tag, tag), place);
    return (size_t)snprintf(text, size, "\n    %s, posted at %s", r->base.maker->name, place);
}

/* A message that has come, and none of the receives under way takes. */
struct waiting_message {
    int from; /* in MPI_COMM_WORLD */
    int tag;
    bool is_of_comm; /* of the communicator that was asked for */
    struct call_place place;
};

/* Of those that one rank has sent. */
static const struct unmatched *find_unexpected_from(const struct comm_record *comm, int from, int tag)
{
    const struct unmatched *other = NULL;

    if (!message_channel_drain(from))
        return NULL;
    for (const struct unmatched *u = message_channel_unmatched[from]; u; u = u->next) {
        if (message_check_is_wanted(&u->envelope))
            continue;
        if (u->envelope.comm == comm->number && u->envelope.tag != tag && tag != MPI_ANY_TAG)
            return u;
        if (u->envelope.comm != comm->number && !other)
            other = u;
    }
    return other;
}

/* The first that waits for a receive of that source but with another tag, or, if there is none, on another communicator; false: none. */
static bool find_unexpected(const struct comm_record *comm, int source, int tag,
                            struct waiting_message *found)
{
    for (int i = 0; i < comm->targets; i++) {
        int from = comm_check_world(comm, i);
        const struct unmatched *u = from >= 0 && (source == MPI_ANY_SOURCE || source == i)
                                        ? find_unexpected_from(comm, from, tag)
                                        : NULL;

        if (!u)
            continue;
        *found = (struct waiting_message){from, u->envelope.tag, u->envelope.comm == comm->number,
                                          message_channel_place(&u->envelope)};
        return true;
    }
    return false;
}

static size_t describe_unexpected(const struct comm_record *comm, int source, int tag, char *text,
                                  size_t size)
{
    struct waiting_message m;
    char place[64];

    if (!comm || !comm->world || source == MPI_PROC_NULL || !find_unexpected(comm, source, tag, &m))
        return 0;
    finding_place_text(m.place, place, sizeof place);
    return (size_t)snprintf(text, size,
                            "\n    a message from rank %d with tag %d%s is unexpected there, sent at %s",
                            m.from, m.tag, m.is_of_comm ? "" : " of another communicator", place);
}

static size_t describe_wait(const struct request_record *r, char *text, size_t size)
{
    size_t used;

    if (!r || !r->is_active || (r->posted && r->posted->is_done))
        return 0;
    used = describe_request(r, text, size);
    if (used < size && r->posted)
        used +=
            describe_unexpected(comm_check_find(r->comm), r->source, r->recvtag, text + used, size - used);
    return used;
}

static void describe_waits(const struct intercept *call, char *text, size_t size)
{
    const MPI_Request *request = (MPI_Request *)(intptr_t)call->many;
    size_t used = 0;
    int named = 0;

    for (int64_t i = 0; request && i < intercept_argument(call, AT_TOTAL) && named < REQUESTS && used < size;
         i++) {
        size_t more = describe_wait(request_check_find(request[i]), text + used, size - used);

        used += more;
        named += more > 0;
    }
}

void awaited_text_describe(const struct intercept *call, char *text, size_t size)
{
    text[0] = '\0';
    switch (call->procedure->family) {
    case FAMILY_WAIT:
        describe_wait(request_check_find((MPI_Request)(intptr_t)call->saved[0]), text, size);
        break;
    case FAMILY_WAITALL:
    case FAMILY_WAITANY:
    case FAMILY_WAITSOME:
        describe_waits(call, text, size);
        break;
    case FAMILY_RECV:
    case FAMILY_PROBE:
    case FAMILY_SENDRECV:
        describe_unexpected(comm_check_of(call), (int)intercept_argument(call, AT_SOURCE),
                            (int)intercept_argument(call, AT_RECVTAG), text, size);
        break;
    default:
        break;
    }
}
