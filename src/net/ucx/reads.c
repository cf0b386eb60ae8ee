#include "net/ucx/reads.h"

#include "net/ucx/packets.h"
#include "plain/fail.h"
#include "plain/keyed_hash.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

enum {
    REGION_BUCKETS = 256
};

struct memory_region {
    struct link link; /* in its bucket */
    const char *memory;
    size_t bytes;
    uint64_t key;
};

/* What is asked, and refused. */
struct question {
    uint64_t key, offset, bytes;
    uint64_t number; /* the reader's */
};

enum question_kind {
    QUESTION_ASKED = 1,
    QUESTION_REFUSED
};

struct pending_read {
    struct link link; /* in one of the lists below */
    struct ucx_peer *peer;
    struct message done;
    struct question question;
    void *to;
    int error;
};

/* A refusal that found no room. */
struct refusal {
    struct link link;
    struct ucx_peer *to;
    struct question question;
};

static struct link region[REGION_BUCKETS];
static struct link unasked = LIST_INIT(unasked), asked = LIST_INIT(asked), coming = LIST_INIT(coming),
                   finished = LIST_INIT(finished);
static struct link refusals = LIST_INIT(refusals);

static struct link *region_bucket_of(uint64_t key)
{
    return &region[key % REGION_BUCKETS];
}

struct memory_region *reads_expose(const void *memory, size_t bytes, enum exposure exposure,
                                   struct exposed *exposed)
{
    struct memory_region *r = exposure == EXPOSED_MESSAGE ? malloc(sizeof *r) : NULL;

    if (!r)
        return NULL;
    *r = (struct memory_region){.memory = memory, .bytes = bytes};
    if (keyed_number_make(&r->key) || r->key == 0) {
        free(r);
        return NULL;
    }
    list_init(&r->link);
    list_add(region_bucket_of(r->key), &r->link);
    *exposed = (struct exposed){(uint64_t)(uintptr_t)memory, r->key, exposure};
    return r;
}

void reads_conceal(struct memory_region *r)
{
    list_remove(&r->link);
    free(r);
}

static const struct memory_region *find_exposed(const struct question *q)
{
    struct link *bucket = region_bucket_of(q->key);

    for (struct link *l = bucket->next; l != bucket; l = l->next) {
        const struct memory_region *r = LIST_ENTRY(l, struct memory_region, link);

        if (r->key == q->key)
            return q->bytes && q->offset <= r->bytes && q->bytes <= r->bytes - q->offset ? r : NULL;
    }
    return NULL;
}

static void reads_move(struct link *l, struct link *list)
{
    list_remove(l);
    list_add(list, l);
}

static bool send_question(struct ucx_peer *to, enum question_kind kind, const struct question *q)
{
    const struct message m = {.length = sizeof *q, .kind = (uint8_t)kind};
    const struct wire head = network_head(WIRE_CONTROL, &m);

    return packets_send(&to->base, &head, q);
}

bool reads_begin(const struct network_copy *copy)
{
    struct pending_read *r = copy->is_write ? NULL : malloc(sizeof *r);

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
    list_add(&unasked, &r->link);
    reads_post();
    return true;
}

static void post_refusals(void)
{
    struct link *next;

    for (struct link *l = refusals.next; l != &refusals; l = next) {
        struct refusal *f = LIST_ENTRY(l, struct refusal, link);

        next = l->next;
        if (!f->to->base.is_lost && !send_question(f->to, QUESTION_REFUSED, &f->question))
            continue;
        list_remove(l);
        free(f);
    }
}

void reads_post(void)
{
    struct link *next;

    for (struct link *l = unasked.next; l != &unasked; l = next) {
        struct pending_read *r = LIST_ENTRY(l, struct pending_read, link);

        next = l->next;
        if (send_question(r->peer, QUESTION_ASKED, &r->question))
            reads_move(l, &asked);
    }
    if (!list_is_empty(&refusals))
        post_refusals();
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
    r->peer->reads--;
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

    r->peer->reads++;
    reads_move(&r->link, &coming);
    request = ucx.ucp_am_recv_data_nbx(ucx_worker, descriptor, r->to, r->question.bytes, &how);
    if (!UCS_PTR_IS_PTR(request))
        on_read_data(NULL, UCS_PTR_STATUS(request), 0, r);
    return UCS_INPROGRESS;
}

static ucs_status_t on_answer(void *unused, const void *header, size_t header_length, void *data,
                              size_t length, const ucp_am_recv_param_t *param)
{
    struct pending_read *r;
    uint64_t number;

    (void)unused;
    if (header_length != sizeof number)
        return UCS_OK;
    memcpy(&number, header, sizeof number);
    r = find_read(number);
    if (!r || length != r->question.bytes) {
        network_drop("no answer to what was asked");
        return UCS_OK;
    }
    if (param->recv_attr & UCP_AM_RECV_ATTR_FLAG_RNDV)
        return receive_data(r, data);
    memcpy(r->to, data, length);
    finish_read(r, MPI_SUCCESS);
    return UCS_OK;
}

static void on_answered(void *request, ucs_status_t status, void *number)
{
    (void)status; /* the handler of the endpoint reports it */
    free(number);
    ucx.ucp_request_free(request);
}

static bool answer_question(struct ucx_peer *to, const struct memory_region *r, const struct question *q)
{
    uint64_t *number = malloc(sizeof *number); /* until the message has left */
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                     .cb.send = on_answered,
                                     .user_data = number};
    void *request;

    if (!number)
        return false;
    *number = q->number;
    request =
        ucx.ucp_am_send_nbx(to->ep, AM_ANSWER, number, sizeof *number, r->memory + q->offset, q->bytes, &how);
    if (!UCS_PTR_IS_PTR(request))
        free(number);
    if (UCS_PTR_IS_ERR(request))
        ucx_fail_peer(to, UCS_PTR_STATUS(request));
    return true;
}

static void refuse_question(struct ucx_peer *to, const struct question *q)
{
    struct refusal *f = malloc(sizeof *f);

    if (!f) {
        ucx_fail_peer(to, UCS_ERR_NO_MEMORY);
        return;
    }
    *f = (struct refusal){.to = to, .question = *q};
    list_init(&f->link);
    list_add(&refusals, &f->link);
    post_refusals();
}

void reads_control(struct network_peer *from, const struct wire *head, const void *payload)
{
    struct ucx_peer *peer = ucx_peer_of(from);
    const struct memory_region *region_asked;
    struct pending_read *r;
    struct question q;

    if (head->message.length != sizeof q || from->is_lost)
        return;
    memcpy(&q, payload, sizeof q);
    if (head->message.kind == QUESTION_REFUSED) {
        r = find_read(q.number);
        if (r && r->peer == peer)
            finish_read(r, MPI_ERR_OTHER);
        return;
    }
    region_asked = head->message.kind == QUESTION_ASKED ? find_exposed(&q) : NULL;
    if (!region_asked || !answer_question(peer, region_asked, &q))
        refuse_question(peer, &q);
}

bool reads_take(struct message *done, int *process)
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
    forget_reads(&unasked, peer);
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

    if (!region[0].next)
        for (int i = 0; i < REGION_BUCKETS; i++)
            list_init(&region[i]);
    return status == UCS_OK
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER, "UCX has no active messages here: %s", ucx.ucs_status_string(status));
}

void reads_close(void)
{
    forget_reads(&unasked, NULL);
    forget_reads(&asked, NULL);
    forget_reads(&coming, NULL);
    forget_reads(&finished, NULL);
    while (!list_is_empty(&refusals)) {
        struct refusal *f = LIST_ENTRY(refusals.next, struct refusal, link);

        list_remove(&f->link);
        free(f);
    }
}
