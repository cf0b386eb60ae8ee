#include "net/ucx/direct.h"

#include "hint/hint.h"
#include "net/ucx/controls.h"
#include "net/ucx/own_memory.h"
#include "plain/adapter.h"

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

/* The choices of HINT_WIN_RMA, in their order. */
enum {
    DIRECT_AUTO,
    DIRECT_TRUE
};

/* The key of a peer's window. */
struct remote_key {
    struct link link; /* in its peer's list */
    uint64_t key;
    ucp_rkey_h rkey;     /* NULL: asked for, and not told yet */
    struct link waiting; /* copies; for that */
};

/* A put or get. */
struct direct_copy {
    struct link link; /* in a list of its key, of its peer, or below */
    struct ucx_peer *peer;
    struct message done;
    bool is_write;
    void *here;
    uint64_t address;
    size_t bytes;
};

/* Who has been told the key of a region. */
struct key_reader {
    struct link link;
    struct ucx_peer *peer;
};

static struct link moving = LIST_INIT(moving), finished = LIST_INIT(finished);
static struct link unflushed_peers = LIST_INIT(unflushed_peers); /* with writes that no flush counts yet */
static struct link met = LIST_INIT(met);                         /* peers */

/* UCX over tcp alone needs no device. */
static bool look_for_device(void)
{
    const char *transports = getenv("UCX_TLS");
    struct fabric_port device;

    return !(transports && strncmp(transports, "tcp", 3) == 0) && adapter_find_fabric("/sys", &device) &&
           strcmp(device.network, "ucx") == 0 && ucx_has_device_transport();
}

bool direct_has_device(void)
{
    static enum {
        UNKNOWN,
        NO,
        YES
    } has; /* written while the network is opened */

    if (has == UNKNOWN)
        has = look_for_device() ? YES : NO;
    return has == YES;
}

bool direct_is_wanted(void)
{
    if (hint_process.value[HINT_WIN_RMA] != DIRECT_AUTO)
        return hint_process.value[HINT_WIN_RMA] == DIRECT_TRUE;
    return direct_has_device();
}

struct memory_region *direct_expose(const void *memory, size_t bytes)
{
    const ucp_mem_map_params_t params = {.field_mask =
                                             UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH,
                                         .address = (void *)(uintptr_t)memory,
                                         .length = bytes};
    struct memory_region *r = direct_is_wanted() ? own_memory_new(memory, bytes, EXPOSED_WINDOW) : NULL;

    if (r && ucx.ucp_mem_map(ucx_context, &params, &r->mapped) != UCS_OK) {
        own_memory_free(r);
        r = NULL;
    }
    return r;
}

void direct_conceal(struct memory_region *r)
{
    while (!list_is_empty(&r->readers)) {
        struct key_reader *k = LIST_ENTRY(r->readers.next, struct key_reader, link);

        controls_send(k->peer, KEY_ENDED, &r->key, sizeof r->key);
        list_remove(&k->link);
        free(k);
    }
    ucx.ucp_mem_unmap(ucx_context, r->mapped);
}

static bool note_reader(struct memory_region *r, struct ucx_peer *peer)
{
    struct key_reader *k = malloc(sizeof *k);

    if (!k)
        return false;
    k->peer = peer;
    list_init(&k->link);
    list_add(&r->readers, &k->link);
    return true;
}

/* KEY_TOLD: the number of the key and UCX's key. */
static void tell_key(struct ucx_peer *to, const struct memory_region *r)
{
    unsigned char *told;
    void *packed;
    size_t size;
    ucs_status_t status = ucx.ucp_rkey_pack(ucx_context, r->mapped, &packed, &size);

    if (status != UCS_OK) {
        ucx_fail_peer(to, status);
        return;
    }
    told = malloc(sizeof r->key + size);
    if (told) {
        memcpy(told, &r->key, sizeof r->key);
        memcpy(told + sizeof r->key, packed, size);
        controls_send(to, KEY_TOLD, told, sizeof r->key + size);
    } else {
        ucx_fail_peer(to, UCS_ERR_NO_MEMORY);
    }
    free(told);
    ucx.ucp_rkey_buffer_release(packed);
}

static void on_key_asked(struct ucx_peer *from, uint64_t key)
{
    struct memory_region *r = own_memory_find(key, EXPOSED_WINDOW);

    if (r && note_reader(r, from))
        tell_key(from, r);
    else
        controls_send(from, KEY_ENDED, &key, sizeof key);
}

/* The last that was used comes first. */
static struct remote_key *find_remote_key(struct ucx_peer *peer, uint64_t key)
{
    struct link *keys = &peer->direct.keys;

    for (struct link *l = keys->prev; l != keys; l = l->prev) {
        struct remote_key *k = LIST_ENTRY(l, struct remote_key, link);

        if (k->key != key)
            continue;
        list_remove(l);
        list_add(keys, l);
        return k;
    }
    return NULL;
}

static struct remote_key *ask_for_key(struct ucx_peer *peer, uint64_t key)
{
    struct remote_key *k = malloc(sizeof *k);

    if (!k)
        return NULL;
    *k = (struct remote_key){.key = key};
    list_init(&k->link);
    list_init(&k->waiting);
    list_add(&peer->direct.keys, &k->link);
    controls_send(peer, KEY_ASKED, &key, sizeof key);
    return k;
}

static void move_copy(struct direct_copy *c, struct link *list)
{
    list_remove(&c->link);
    list_add(list, &c->link);
}

static void drop_copies(struct link *list)
{
    while (!list_is_empty(list)) {
        struct link *l = list->next;

        list_remove(l);
        free(LIST_ENTRY(l, struct direct_copy, link));
    }
}

/* The loss of the peer is reported in place of what fails. */
static void on_copied(void *request, ucs_status_t status, void *copy)
{
    struct direct_copy *c = copy;
    struct ucx_peer *peer = c->peer;

    peer->under_way--;
    if (request)
        ucx.ucp_request_free(request);
    if (status != UCS_OK || peer->base.is_lost) {
        list_remove(&c->link);
        free(c);
        if (!peer->base.is_lost)
            ucx_fail_peer(peer, status);
        return;
    }
    if (!c->is_write) {
        move_copy(c, &finished);
        return;
    }
    move_copy(c, &peer->direct.unflushed);
    list_remove(&peer->direct.unflushed_link);
    list_add(&unflushed_peers, &peer->direct.unflushed_link);
}

static void direct_begin_copy(struct direct_copy *c, ucp_rkey_h rkey)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                     .cb.send = on_copied,
                                     .user_data = c};
    ucp_ep_h ep = c->peer->ep;
    void *request;

    c->peer->under_way++;
    move_copy(c, &moving);
    request = c->is_write ? ucx.ucp_put_nbx(ep, c->here, c->bytes, c->address, rkey, &how)
                          : ucx.ucp_get_nbx(ep, c->here, c->bytes, c->address, rkey, &how);
    if (!UCS_PTR_IS_PTR(request))
        on_copied(NULL, UCS_PTR_STATUS(request), c);
}

static void on_flushed(void *request, ucs_status_t status, void *to)
{
    struct ucx_peer *peer = to;

    peer->under_way--;
    if (request)
        ucx.ucp_request_free(request);
    if (status != UCS_OK && !peer->base.is_lost)
        ucx_fail_peer(peer, status);
    if (status != UCS_OK || peer->base.is_lost)
        drop_copies(&peer->direct.flushing);
    while (!list_is_empty(&peer->direct.flushing))
        move_copy(LIST_ENTRY(peer->direct.flushing.next, struct direct_copy, link), &finished);
}

static void flush(struct ucx_peer *peer)
{
    const ucp_request_param_t how = {.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA,
                                     .cb.send = on_flushed,
                                     .user_data = peer};
    void *request;

    list_remove(&peer->direct.unflushed_link);
    list_move(&peer->direct.flushing, &peer->direct.unflushed);
    peer->under_way++;
    request = ucx.ucp_ep_flush_nbx(peer->ep, &how);
    if (!UCS_PTR_IS_PTR(request))
        on_flushed(NULL, UCS_PTR_STATUS(request), peer);
}

/* One flush at a time to each peer. */
void direct_post(void)
{
    struct link *next;

    for (struct link *l = unflushed_peers.next; l != &unflushed_peers; l = next) {
        struct ucx_peer *peer = LIST_ENTRY(l, struct ucx_peer, direct.unflushed_link);

        next = l->next;
        if (list_is_empty(&peer->direct.flushing))
            flush(peer);
    }
}

bool direct_is_quiet(void)
{
    for (struct link *l = unflushed_peers.next; l != &unflushed_peers; l = l->next)
        if (list_is_empty(&LIST_ENTRY(l, struct ucx_peer, direct.unflushed_link)->direct.flushing))
            return false;
    return true;
}

bool direct_begin(const struct network_copy *copy)
{
    struct ucx_peer *peer = ucx_peer_of(copy->peer);
    struct direct_copy *c = direct_is_wanted() ? malloc(sizeof *c) : NULL;
    struct remote_key *k;

    if (!c || peer->base.is_lost) {
        free(c);
        return false;
    }
    *c = (struct direct_copy){.peer = peer,
                              .done = *copy->done,
                              .is_write = copy->is_write,
                              .here = copy->here,
                              .address = copy->there->address + copy->offset,
                              .bytes = copy->bytes};
    list_init(&c->link);
    k = find_remote_key(peer, copy->there->key);
    if (!k)
        k = ask_for_key(peer, copy->there->key);
    if (!k) {
        free(c);
        return false;
    }
    if (k->rkey)
        direct_begin_copy(c, k->rkey);
    else
        list_add(&k->waiting, &c->link);
    direct_post();
    return true;
}

bool direct_take(struct message *done, int *process)
{
    bool is_told = false;

    while (!list_is_empty(&finished) && !is_told) {
        struct direct_copy *c = LIST_ENTRY(finished.next, struct direct_copy, link);

        *done = c->done;
        done->tag = MPI_SUCCESS;
        *process = c->peer->base.process;
        is_told = !c->peer->base.is_lost;
        list_remove(&c->link);
        free(c);
    }
    return is_told;
}

static void forget_key(struct remote_key *k)
{
    drop_copies(&k->waiting);
    if (k->rkey)
        ucx.ucp_rkey_destroy(k->rkey);
    list_remove(&k->link);
    free(k);
}

static void on_key_told(struct ucx_peer *from, struct remote_key *k, const void *packed)
{
    ucs_status_t status = k->rkey ? UCS_OK : ucx.ucp_ep_rkey_unpack(from->ep, packed, &k->rkey);

    if (status != UCS_OK) {
        k->rkey = NULL;
        ucx_fail_peer(from, status);
    }
    while (k->rkey && !list_is_empty(&k->waiting))
        direct_begin_copy(LIST_ENTRY(k->waiting.next, struct direct_copy, link), k->rkey);
}

/* The program accesses a window that is gone, if copies wait for the key. */
static void on_key_ended(struct ucx_peer *from, struct remote_key *k)
{
    if (!list_is_empty(&k->waiting))
        ucx_fail_peer(from, UCS_ERR_REJECTED);
    forget_key(k);
}

void direct_control(struct ucx_peer *from, const struct message *head, const void *payload)
{
    struct remote_key *k;
    uint64_t key;

    if (head->length < sizeof key)
        return;
    memcpy(&key, payload, sizeof key);
    if (head->kind == KEY_ASKED) {
        on_key_asked(from, key);
        return;
    }
    k = find_remote_key(from, key);
    if (k && head->kind == KEY_TOLD)
        on_key_told(from, k, (const char *)payload + sizeof key);
    else if (k)
        on_key_ended(from, k);
}

void direct_meet(struct ucx_peer *peer)
{
    list_init(&peer->direct.keys);
    list_init(&peer->direct.unflushed);
    list_init(&peer->direct.flushing);
    list_init(&peer->direct.unflushed_link);
    list_init(&peer->direct.link);
    list_add(&met, &peer->direct.link);
}

void direct_lose(struct ucx_peer *peer)
{
    while (!list_is_empty(&peer->direct.keys))
        forget_key(LIST_ENTRY(peer->direct.keys.next, struct remote_key, link));
    drop_copies(&peer->direct.unflushed);
    drop_copies(&peer->direct.flushing);
    list_remove(&peer->direct.unflushed_link);
    list_remove(&peer->direct.link);
}

void direct_drop_keys(void)
{
    while (!list_is_empty(&met))
        direct_lose(LIST_ENTRY(met.next, struct ucx_peer, direct.link));
}

void direct_close(void)
{
    drop_copies(&moving);
    drop_copies(&finished);
}
