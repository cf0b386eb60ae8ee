#include "net/ucx/reads.h"

#include "net/ucx/controls.h"
#include "net/ucx/direct.h"
#include "net/ucx/own_memory.h"
#include "plain/fail.h"
#include "plain/keyed_hash.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 256 * 1024, /* bytes over tcp: a receive buffer holds them and the headers (ucx_library.c) */
    EAGER_ANSWER = 128 * 1024 /* in one piece, at most: UCX's own rendezvous would cost another trip */
};

/* What is asked, and refused. */
struct question {
    uint64_t key, offset, bytes;
    uint64_t number; /* the reader's */
};

/* The header of an answer, or of a piece of it. */
struct piece_head {
    uint64_t number, offset; /* of the question; of the piece in what was asked for */
};

struct pending_read {
    struct link link; /* in one of the lists below */
    struct ucx_peer *peer;
    struct message done;
    struct question question;
    char *to;
    size_t come; /* bytes, of all pieces */
    int error;
};

/* A piece that UCX has not done with. */
struct piece {
    struct piece_head head;
    struct memory_region *from;
};

static struct link asked = LIST_INIT(asked), coming = LIST_INIT(coming), finished = LIST_INIT(finished);
static struct link drained = LIST_INIT(drained); /* regions, of which somebody is to be told */
/* Whether answers go in pieces. Each travels over one device: not where there are better ones than tcp, or the user wants several
 * for a message. Constant while the network is open. */
static bool is_in_pieces;

struct memory_region *reads_expose(const void *memory, size_t bytes)
{
    return own_memory_new(memory, bytes, EXPOSED_MESSAGE);
}

static struct memory_region *find_exposed(const struct question *q)
{
    struct memory_region *r = own_memory_find(q->key, EXPOSED_MESSAGE);

    return r && q->bytes && q->offset <= r->bytes && q->bytes <= r->bytes - q->offset ? r : NULL;
}

bool reads_drain(struct network_peer *peer, struct memory_region *r, const struct message *done)
{
    own_memory_hide(r);
    if (!r->leaving)
        return false;
    r->drains_to = ucx_peer_of(peer);
    r->drained = *done;
    return true;
}

static void reads_move(struct link *l, struct link *list)
{
    list_remove(l);
    list_add(list, l);
}

bool reads_begin(const struct network_copy *copy)
{
    struct pending_read *r = copy->is_write || copy->peer->is_lost ? NULL : malloc(sizeof *r);

    if (!r)
        return false;
    *r = (struct pending_read){.peer = ucx_peer_of(copy->peer),
                               .done = *copy->done,
                               .question = {copy->there->key, copy->offset, copy->bytes, 0},
                               .to = copy->here};
    if (keyed_number_make(&r->question.number)) {
        free(r);
        return false;
    }
    list_init(&r->link);
    list_add(&asked, &r->link);
    controls_send(r->peer, READ_ASKED, &r->question, sizeof r->question);
    return true;
}

static void finish_read(struct pending_read *r, int error)
{
    r->error = error;
    reads_move(&r->link, &finished);
}

static struct pending_read *find_read(uint64_t number)
{
    for (struct link *l = asked.next; l != &asked; l = l->next) {
        struct pending_read *r = LIST_ENTRY(l, struct pending_read, link);

        if (r->question.number == number)
            return r;
    }
    return NULL;
}

static void on_read_data(void *request, ucs_status_t status, size_t length, void *user_data)
{
    struct pending_read *r = user_data;

    (void)length;
    r->peer->under_way--;
    if (request)
        ucx.ucp_request_free(request);
    if (status != UCS_OK)
        ucx_fail_peer(r->peer, status);
    finish_read(r, status == UCS_OK ? MPI_SUCCESS : MPI_ERR_OTHER);
}

static ucs_status_t receive_data(struct pending_read *r, void *descriptor)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK |
                                                     UCP_OP_ATTR_FIELD_USER_DATA |
                                                     UCP_OP_ATTR_FLAG_NO_IMM_CMPL,
                                     .cb.recv_am = on_read_data,
                                     .user_data = r};
    void *request;

    r->peer->under_way++;
    reads_move(&r->link, &coming);
    request = ucx.ucp_am_recv_data_nbx(ucx_worker, descriptor, r->to, r->question.bytes, &how);
    if (!UCS_PTR_IS_PTR(request))
        on_read_data(NULL, UCS_PTR_STATUS(request), 0, r);
    return UCS_INPROGRESS;
}

static bool is_part_of(const struct question *q, uint64_t offset, size_t length)
{
    return offset <= q->bytes && length <= q->bytes - offset;
}

static ucs_status_t on_answer(void *unused, const void *header, size_t header_length, void *data,
                              size_t length, const ucp_am_recv_param_t *param)
{
    bool is_rendezvous = param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV;
    struct pending_read *r;
    struct piece_head a;

    (void)unused;
    if (header_length != sizeof a)
        return UCS_OK;
    memcpy(&a, header, sizeof a);
    r = find_read(a.number);
    if (!r || !is_part_of(&r->question, a.offset, length) || (is_rendezvous && length != r->question.bytes)) {
        network_drop("no answer to what was asked");
        return UCS_OK;
    }
    if (is_rendezvous)
        return receive_data(r, data);
    memcpy(r->to + a.offset, data, length);
    r->come += length;
    if (r->come == r->question.bytes)
        finish_read(r, MPI_SUCCESS);
    return UCS_OK;
}

static void piece_has_left(struct memory_region *r)
{
    if (--r->leaving)
        return;
    if (r->is_freed)
        free(r);
    else if (r->drains_to)
        list_add(&drained, &r->link);
}

static void on_answered(void *request, ucs_status_t status, void *piece)
{
    (void)status; /* the handler of the endpoint reports it */
    piece_has_left(((struct piece *)piece)->from);
    free(piece);
    ucx.ucp_request_free(request);
}

/* False: there is no memory, and nothing has been sent. */
static bool send_piece(struct ucx_peer *to, struct memory_region *from, const char *data, size_t bytes,
                       struct piece_head head)
{
    struct piece *piece = malloc(sizeof *piece); /* until the message has left */
    const ucp_request_param_t how = {
        .op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA | UCP_OP_ATTR_FIELD_FLAGS,
        .flags = is_in_pieces || bytes <= EAGER_ANSWER ? UCP_AM_SEND_FLAG_EAGER : 0,
        .cb.send = on_answered,
        .user_data = piece};
    void *request;

    if (!piece)
        return false;
    *piece = (struct piece){head, from};
    request = ucx.ucp_am_send_nbx(to->ep, AM_ANSWER, &piece->head, sizeof piece->head, data, bytes, &how);
    if (UCS_PTR_IS_PTR(request))
        from->leaving++;
    else
        free(piece);
    if (UCS_PTR_IS_ERR(request))
        ucx_fail_peer(to, UCS_PTR_STATUS(request));
    return true;
}

static bool answer_question(struct ucx_peer *to, struct memory_region *r, const struct question *q)
{
    size_t most = is_in_pieces ? PIECE : q->bytes, bytes;

    for (uint64_t at = 0; at < q->bytes; at += bytes) {
        bytes = q->bytes - at < most ? q->bytes - at : most;
        if (!send_piece(to, r, r->memory + q->offset + at, bytes, (struct piece_head){q->number, at}))
            return false;
    }
    return true;
}

static void on_refusal(const struct ucx_peer *from, const struct question *q)
{
    struct pending_read *r = find_read(q->number);

    if (r && r->peer == from)
        finish_read(r, MPI_ERR_OTHER);
}

static void on_question(struct ucx_peer *from, const struct question *q)
{
    struct memory_region *r = find_exposed(q);

    if (!r || !answer_question(from, r, q))
        controls_send(from, READ_REFUSED, q, sizeof *q);
}

void reads_control(struct ucx_peer *from, const struct message *head, const void *payload)
{
    struct question q;

    if (head->length != sizeof q)
        return;
    memcpy(&q, payload, sizeof q);
    if (head->kind == READ_ASKED)
        on_question(from, &q);
    else
        on_refusal(from, &q);
}

static bool take_read(struct message *done, int *process)
{
    bool is_told = false;

    while (!list_is_empty(&finished) && !is_told) {
        struct pending_read *r = LIST_ENTRY(finished.next, struct pending_read, link);

        *done = r->done;
        done->tag = r->error;
        *process = r->peer->base.process;
        is_told = !r->peer->base.is_lost;
        list_remove(&r->link);
        free(r);
    }
    return is_told;
}

static bool take_drained(struct message *done, int *process)
{
    bool is_told = false;

    while (!list_is_empty(&drained) && !is_told) {
        struct memory_region *r = LIST_ENTRY(drained.next, struct memory_region, link);

        own_memory_hide(r);
        *done = r->drained;
        *process = r->drains_to->base.process;
        is_told = !r->drains_to->base.is_lost;
    }
    return is_told;
}

bool reads_take(struct message *done, int *process)
{
    return take_read(done, process) || take_drained(done, process);
}

static void forget_reads(struct link *list, const struct ucx_peer *peer)
{
    struct link *next;

    for (struct link *l = list->next; l != list; l = next) {
        struct pending_read *r = LIST_ENTRY(l, struct pending_read, link);

        next = l->next;
        if (peer && r->peer != peer)
            continue;
        list_remove(l);
        free(r);
    }
}

void reads_lose(const struct ucx_peer *peer)
{
    forget_reads(&asked, peer);
}

int reads_open(void)
{
    const ucp_am_handler_param_t handler = {.field_mask = UCP_AM_HANDLER_PARAM_FIELD_ID |
                                                          UCP_AM_HANDLER_PARAM_FIELD_FLAGS |
                                                          UCP_AM_HANDLER_PARAM_FIELD_CB,
                                            .id = AM_ANSWER,
                                            .flags = UCP_AM_FLAG_WHOLE_MSG,
                                            .cb = on_answer};
    ucs_status_t status = ucx.ucp_worker_set_am_recv_handler(ucx_worker, &handler);

    is_in_pieces = !direct_has_device() && !getenv("UCX_MAX_EAGER_RAILS");
    return status == UCS_OK
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER, "UCX has no active messages here: %s", ucx.ucs_status_string(status));
}

void reads_close(void)
{
    forget_reads(&asked, NULL);
    forget_reads(&coming, NULL);
    forget_reads(&finished, NULL);
}
