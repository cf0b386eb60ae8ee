#include "net/ucx/ucx_peer.h"

#include "net/ucx/controls.h"
#include "net/ucx/direct.h"
#include "net/ucx/own_memory.h"
#include "net/ucx/packets.h"
#include "net/ucx/reads.h"
#include "plain/adapter.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/interface.h"

#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PLACE_SIZE = sizeof(struct sockaddr_in6), /* of the socket address that an address begins with */
    PATIENCE_NS = 1000 * 1000 * 1000
};

extern const struct transport ucx_transport;

static int event_fd = -1;

static int ucx_check(ucs_status_t status, const char *what)
{
    return status == UCS_OK ? MPI_SUCCESS
                            : fail(MPI_ERR_OTHER, "UCX: %s: %s", what, ucx.ucs_status_string(status));
}

static int open_context(void)
{
    const ucp_params_t params = {.field_mask = UCP_PARAM_FIELD_FEATURES,
                                 .features = UCP_FEATURE_AM | UCP_FEATURE_WAKEUP |
                                             (direct_is_wanted() ? UCP_FEATURE_RMA : 0)};
    ucp_config_t *config;
    int error = ucx_check(ucx.ucp_config_read(NULL, NULL, &config), "its settings");

    if (error)
        return error;
    error = ucx_check(ucx.ucp_init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &ucx_context),
                      "it finds no network interface here that it can use (UCX_NET_DEVICES, UCX_TLS)");
    ucx.ucp_config_release(config);
    return error;
}

static int open_worker(void)
{
    const ucp_worker_params_t params = {.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE |
                                                      UCP_WORKER_PARAM_FIELD_EVENTS,
                                        .thread_mode = UCS_THREAD_MODE_SERIALIZED,
                                        .events = UCP_WAKEUP_RX | UCP_WAKEUP_TX};
    int error = ucx_check(ucx.ucp_worker_create(ucx_context, &params, &ucx_worker), "no worker");

    return error ? error
                 : ucx_check(ucx.ucp_worker_get_efd(ucx_worker, &event_fd), "no descriptor to wait on");
}

/* A socket address of this host for heartbeats, and UCX's own. */
static int find_own_address(struct wire_address *mine)
{
    ucp_address_t *own;
    size_t length;
    int error = ucx_check(ucx.ucp_worker_get_address(ucx_worker, &own, &length), "no address");

    if (error)
        return error;
    memset(mine->bytes, 0, PLACE_SIZE);
    interface_find_address(hint_process.text[HINT_OFI_INTERFACE], mine->bytes, PLACE_SIZE);
    snprintf(mine->provider, sizeof mine->provider, "ucx");
    mine->length = PLACE_SIZE + length;
    if (mine->length > sizeof mine->bytes)
        error = fail(MPI_ERR_OTHER,
                     "UCX's address of this process has %zu bytes, more than %zu: name fewer devices in "
                     "UCX_NET_DEVICES",
                     length, sizeof mine->bytes - PLACE_SIZE);
    else
        memcpy(mine->bytes + PLACE_SIZE, own, length);
    ucx.ucp_worker_release_address(ucx_worker, own);
    return error;
}

static void ucx_close(void)
{
    if (ucx_worker) {
        packets_drop();
        direct_drop_keys();
        ucx.ucp_worker_destroy(ucx_worker);
    }
    if (ucx_context)
        ucx.ucp_cleanup(ucx_context);
    ucx_worker = NULL;
    ucx_context = NULL;
    event_fd = -1;
    packets_close();
    controls_close();
    reads_close();
    direct_close();
}

/* Unless the user has chosen. */
static void ucx_warn_of_tcp(void)
{
    struct fabric_port device;
    const char *interface = hint_process.text[HINT_OFI_INTERFACE];

    if (strcmp(getenv("UCX_TLS"), UCX_TRANSPORTS) == 0 && !(interface && *interface) &&
        !getenv("UCX_NET_DEVICES") && adapter_find_fabric("/sys", &device) && !ucx_has_device_transport())
        network_warn_of_tcp(&device, "UCX has no transport for it: is libuct_ib there, and may this process "
                                     "open /dev/infiniband? (ucx_info -d)");
}

static int ucx_open(struct wire_address *mine)
{
    int error = ucx_load();

    if (!error)
        ucx_warn_of_tcp();
    if (!error)
        error = open_context();
    if (!error)
        error = open_worker();
    if (!error)
        error = packets_open();
    if (!error)
        error = reads_open();
    return error ? error : find_own_address(mine);
}

static int ucx_wait_fd(void)
{
    return event_fd;
}

static bool ucx_is_quiet(void)
{
    return packets_are_none() && direct_is_quiet() && ucx.ucp_worker_arm(ucx_worker) == UCS_OK;
}

static void on_endpoint_error(void *peer, ucp_ep_h ep, ucs_status_t status)
{
    (void)ep;
    ucx_fail_peer(peer, status);
}

static int ucx_connect(struct network_peer *peer, const struct wire_address *address)
{
    struct ucx_peer *l = ucx_peer_of(peer);
    const ucp_ep_params_t params = {.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                                                  UCP_EP_PARAM_FIELD_ERR_HANDLER,
                                    .address = (const void *)(address->bytes + PLACE_SIZE),
                                    .err_mode = UCP_ERR_HANDLING_MODE_PEER,
                                    .err_handler = {on_endpoint_error, l}};
    ucs_status_t status =
        address->length > PLACE_SIZE ? ucx.ucp_ep_create(ucx_worker, &params, &l->ep) : UCS_ERR_INVALID_ADDR;

    if (status == UCS_OK)
        direct_meet(l);
    return status == UCS_OK
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER,
                      "UCX finds no way to process %d: %s; all hosts need a network in common (UCX_TLS, "
                      "UCX_NET_DEVICES)",
                      peer->process, ucx.ucs_status_string(status));
}

/* UCX does not touch the program's memory after that. */
static void end_operations(const struct ucx_peer *l)
{
    uint64_t end = clock_ns() + PATIENCE_NS;

    while (l->under_way && clock_ns() < end)
        ucx.ucp_worker_progress(ucx_worker);
}

static void ucx_lose(struct network_peer *peer)
{
    const ucp_request_param_t at_once = {.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS,
                                         .flags = UCP_EP_CLOSE_FLAG_FORCE};
    struct ucx_peer *l = ucx_peer_of(peer);
    void *request;

    packets_lose(l);
    if (l->ep) {
        request = ucx.ucp_ep_close_nbx(l->ep, &at_once);
        if (UCS_PTR_IS_PTR(request))
            ucx.ucp_request_free(request);
    }
    l->ep = NULL;
    end_operations(l);
    reads_lose(l);
    direct_lose(l);
}

static const void *ucx_receive(struct wire *head)
{
    controls_post();
    direct_post();
    return packets_receive(head);
}

static struct memory_region *ucx_expose(const void *memory, size_t bytes, enum exposure exposure,
                                        struct exposed *exposed)
{
    struct memory_region *r =
        exposure == EXPOSED_WINDOW ? direct_expose(memory, bytes) : reads_expose(memory, bytes);

    if (r)
        *exposed = (struct exposed){(uint64_t)(uintptr_t)memory, r->key, exposure};
    return r;
}

static void ucx_conceal(struct memory_region *r)
{
    if (r->exposure == EXPOSED_WINDOW)
        direct_conceal(r);
    own_memory_free(r);
}

static bool ucx_begin(const struct network_copy *copy)
{
    return copy->there->exposure == EXPOSED_WINDOW ? direct_begin(copy) : reads_begin(copy);
}

static bool ucx_take_copy(struct message *done, int *process)
{
    return reads_take(done, process) || direct_take(done, process);
}

static void ucx_control(struct network_peer *from, const struct wire *head, const void *payload)
{
    const struct message *m = &head->message;

    if (from->is_lost)
        return;
    if (m->kind == READ_ASKED || m->kind == READ_REFUSED)
        reads_control(ucx_peer_of(from), m, payload);
    else if (m->kind >= KEY_ASKED && m->kind <= KEY_ENDED)
        direct_control(ucx_peer_of(from), m, payload);
}

static const struct network ucx_network = {
    .transport = &ucx_transport,
    .peer_size = sizeof(struct ucx_peer),
    .limits = {.message_max = UCX_PAYLOAD_MAX, .message_best = UCX_PAYLOAD_MAX},
    .open = ucx_open,
    .close = ucx_close,
    .wait_fd = ucx_wait_fd,
    .is_quiet = ucx_is_quiet,
    .connect = ucx_connect,
    .lose = ucx_lose,
    .send = packets_send,
    .receive = ucx_receive,
    .release = packets_release,
    .control = ucx_control,
    .has_sent_all = packets_have_all_left,
    .expose = ucx_expose,
    .conceal = ucx_conceal,
    .drain = reads_drain,
    .begin = ucx_begin,
    .take_copy = ucx_take_copy,
};

static int ucx_open_for_job(void)
{
    return network_open(&ucx_network);
}

static int ucx_admit(void)
{
    return network_admit(&ucx_network);
}

static const char *ucx_lacks(void)
{
    return ucx_load() ? fail_note() : NULL;
}

const struct transport ucx_transport = {
    .name = "ucx",
    .lacks = ucx_lacks,
    .reach = REACH_NETWORK,
    .eager_limit = HINT_OFI_EAGER_LIMIT,
    .open = ucx_open_for_job,
    .close = network_close,
    .has_sent_all = network_has_sent_all,
    .admit = ucx_admit,
    .reaches = network_reaches,
    .connect = network_connect,
    .limits = network_limits,
    .send = network_send,
    .poll = network_poll,
    .release = network_release,
    .give_up = network_give_up,
    .expose = network_expose,
    .conceal = network_conceal,
    .drain = network_drain,
    .read = network_read,
    .write = network_write,
};
