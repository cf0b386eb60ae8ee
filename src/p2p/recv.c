/* Nonblocking receives: look for an unexpected message, or post. MPI_Recv is recv_blocking.c. What is done once message and receive have
 * met is here too, for whoever matches them. */
#include "metric/event.h"
#include "p2p/assert_check.h"
#include "p2p/failure.h"
#include "p2p/lost.h"
#include "p2p/match/any_lane.h"
#include "p2p/rndv/claim.h"
#include "p2p/rndv/recv_advert.h"
#include "p2p/rndv/rndv.h"
#include "plain/fail.h"

/* The error of a receive that got more or less than its room. */
__attribute__((noinline)) static int check_length(const struct transfer *t, const struct message *message,
                                                  size_t sent)
{
    if (t->plane == PLANE_P2P)
        hint_count(&t->comm->hints, COUNTED_LENGTH);
    if (sent < t->bytes && t->is_exact)
        return assert_check_fail_length(t->comm, t->plane, message->source, message->tag, sent, t->bytes);
    if (sent < t->bytes)
        return MPI_SUCCESS;
    return fail(MPI_ERR_TRUNCATE, "%zu bytes arrived from rank %d with tag %d for a receive of %zu bytes",
                sent, message->source, message->tag, t->bytes);
}

/* In line where messages begin: most are small. */
__attribute__((always_inline)) static inline int set_status(struct transfer *t, const struct message *message,
                                                            size_t sent)
{
    struct status *s = &transfer_request(t)->status;

    s->source = message->source;
    s->tag = message->tag;
    s->bytes = (MPI_Count)transfer_min(sent, t->bytes);
    transfer_count(t->comm, t->plane, (size_t)s->bytes);
    return sent == t->bytes ? MPI_SUCCESS : check_length(t, message, sent);
}

int recv_set_status(struct transfer *t, const struct message *message, size_t sent)
{
    return set_status(t, message, sent);
}

/* Not the message itself. */
static __attribute__((noinline)) void begin_otherwise(struct transfer *t, const struct message *message,
                                                      const void *payload)
{
    if (message->kind == MESSAGE_RTS)
        rndv_recv(t, message, payload);
    else
        transfer_finish(t, lost_fail_left(t->comm, message->source));
}

void recv_begin(struct transfer *t, const struct message *message, const void *payload, struct peer *from)
{
    int error;

    recv_advert_withdraw(t);
    t->peer = from;
    if (message->kind != MESSAGE_EAGER) {
        begin_otherwise(t, message, payload);
        return;
    }
    error = set_status(t, message, message->length);
    transfer_put(t, 0, payload, (size_t)transfer_request(t)->status.bytes);
    transfer_finish(t, error);
}

void recv_begin_unexpected(struct transfer *t, struct unexpected_store *s, struct unexpected *u)
{
    struct message m = unexpected_message(u);

    recv_begin(t, &m, unexpected_payload(u), u->from);
    unexpected_free(s, u);
}

static inline __attribute__((always_inline)) int recv_post_one(struct transfer *t, struct envelope e,
                                                               struct match_space *space)
{
    if (!match_post(space, &t->posted, e.peer, e.tag))
        return fail(MPI_ERR_NO_MEM, "no memory to post a receive");
    t->is_posted = true;
    if (t->bytes > (size_t)hint_value(&hint_process, HINT_EAGER_LIMIT) && recv_advert_is_on(e.comm, e.plane))
        recv_advert_post(t, space);
    return MPI_SUCCESS;
}

/* From any source, while one has failed: it is posted, but a wait does not wait for it. */
static __attribute__((noinline)) int recv_post_interrupted(struct transfer *t, struct envelope e,
                                                           struct match_space *space)
{
    int error = recv_post_one(t, e, space);

    if (!error)
        failure_interrupt(transfer_request(t));
    return error;
}

/* `space` is that of the lane, if one is held. */
static inline __attribute__((always_inline)) int recv_post(struct transfer *t, struct envelope e,
                                                           struct lane_set held, struct match_space *space)
{
    int error = lost_check_source(e.comm, e.peer, e.plane, e.tag);

    if (__builtin_expect(error != 0, 0))
        return error == MPIX_ERR_PROC_FAILED_PENDING ? recv_post_interrupted(t, e, space) : error;
    return lane_set_is_many(held) ? any_lane_post(t, e.peer, e.tag) : recv_post_one(t, e, space);
}

/* Takes the unexpected message u, or the next one if its sender has withdrawn it, or posts. */
static __attribute__((noinline)) int take_unexpected_or_post(struct transfer *t, struct envelope e,
                                                             struct lane_set held, struct match_space *space,
                                                             struct unexpected *u)
{
    int error = MPI_SUCCESS;

    while (u && !claim_take(u)) /* it is not found a second time */
        error = any_lane_find(e.comm, e.plane, held, e.peer, e.tag, &space, &u);
    if (error)
        return error;
    if (!u)
        return recv_post(t, e, held, space);
    t->lane = (uint8_t)u->from->lane;
    unexpected_take(&space->unexpected, u);
    recv_begin_unexpected(t, &space->unexpected, u);
    return MPI_SUCCESS;
}

/* The caller holds the lanes. */
static inline __attribute__((always_inline)) int match_or_post(struct transfer *t, struct envelope e,
                                                               struct lane_set held)
{
    struct match_space *space = NULL;
    struct unexpected *u;
    int error = any_lane_find(e.comm, e.plane, held, e.peer, e.tag, &space, &u);

    if (error)
        return error;
    return u ? take_unexpected_or_post(t, e, held, space, u) : recv_post(t, e, held, space);
}

static int receive_from_nobody(struct request **request)
{
    int error = request_new(REQUEST_RECV, NULL, request);

    if (error)
        return error;
    (*request)->active = true;
    (*request)->status.source = MPI_PROC_NULL;
    request_complete(*request, MPI_SUCCESS);
    return MPI_SUCCESS;
}

/* Inline in each caller: in the usual one the compiler sees that one lane is held. */
static inline __attribute__((always_inline)) int recv_in_lanes(struct user_buffer to, size_t bytes,
                                                               struct envelope e, struct lane_set held,
                                                               bool is_single_copy, struct request **request)
{
    struct request *r;
    int error = transfer_new(REQUEST_RECV, e.comm, e.plane, held.first, &r);

    if (error)
        return error;
    transfer_set_buffer(transfer_of(r), to, bytes);
    transfer_of(r)->is_exact = assert_check_is_exact(e.comm, e.plane);
    transfer_of(r)->is_single_copy = is_single_copy;
    error = match_or_post(transfer_of(r), e, held);
    if (error)
        return transfer_abandon(r, error);
    *request = r;
    return MPI_SUCCESS;
}

static __attribute__((noinline)) int recv_spread(struct user_buffer to, size_t bytes, struct envelope e,
                                                 bool is_single_copy, struct request **request)
{
    struct lane_set held = lane_take_spread(e.comm, e.tag);
    int error = recv_in_lanes(to, bytes, e, held, is_single_copy, request);

    lane_release_set(held);
    return error;
}

static inline __attribute__((always_inline)) int irecv(struct user_buffer to, struct envelope e,
                                                       bool is_single_copy, struct request **request)
{
    struct lane *lane;
    size_t bytes;
    int error;

    if (e.peer == MPI_PROC_NULL)
        return receive_from_nobody(request);
    error = assert_check(e.comm, e.peer, e.tag);
    if (!error)
        error = datatype_bytes(to.type, to.count, &bytes);
    if (error)
        return error;
    if (lane_is_spread(e.comm, e.plane))
        return recv_spread(to, bytes, e, is_single_copy, request);
    lane = lane_to(e.comm, e.plane, e.tag);
    lane_take(lane);
    error = recv_in_lanes(to, bytes, e, lane_set_of(lane), is_single_copy, request);
    lane_release(lane);
    return error;
}

int p2p_irecv(void *buf, MPI_Count count, struct datatype *type, int source, int tag, struct comm *comm,
              enum plane plane, struct request **request)
{
    return irecv((struct user_buffer){buf, count, type}, (struct envelope){source, tag, comm, plane}, false,
                 request);
}

int p2p_irecv_single_copy(void *buf, MPI_Count count, struct datatype *type, int source, int tag,
                          struct comm *comm, enum plane plane, struct request **request)
{
    return irecv((struct user_buffer){buf, count, type}, (struct envelope){source, tag, comm, plane}, true,
                 request);
}
