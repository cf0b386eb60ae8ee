/* The transports there are: which of them are opened, for which processes. */
#include "net/net.h"

#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "hint/coll_rules.h"
#include "hint/hint.h"
#include "net/card.h"
#include "networks.h"
#include "plain/adapter.h"
#include "plain/fail.h"
#include "plain/log.h"
#include "progress/progress.h"

#include <mpi.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DECLARE_NETWORK(name, library, version, file) extern const struct transport name##_transport;
NETWORKS(DECLARE_NETWORK)

/* In the order in which a process is offered to them; networks as CMakeLists.txt lists them, which is all that knows
 * them by name. */
#define LIST_NETWORK(name, library, version, file) &name##_transport,
static const struct transport *const transports[] = {&self_transport, &shm_transport, NETWORKS(LIST_NETWORK)};
enum {
    TRANSPORTS = sizeof transports / sizeof transports[0],
    NO_NETWORK = -1
};
_Static_assert((int)TRANSPORTS <= (int)NET_TRANSPORTS, "net.c has room for them");

/* Relaxed: net_use publishes what others use. */
static _Atomic bool opened[TRANSPORTS];
static bool spans_hosts;         /* processes of this job reach each other through the network */
static int network = NO_NETWORK; /* the one of this process; chosen once, since others are told of it */

static char choice_text[300]; /* of the network: which, and why */

static struct lock lanes_lock = LOCK_INIT; /* guards this; taken before any other */
static enum lanes {
    LANES_UNTRIED,
    LANES_OPEN,
    LANES_NEAR, /* between processes of a host only */
    LANES_REFUSED
} lanes;

static bool is_opened(int transport)
{
    return atomic_load_explicit(&opened[transport], memory_order_relaxed);
}

static void note_opened(int transport, bool is)
{
    atomic_store_explicit(&opened[transport], is, memory_order_relaxed);
}

static bool has_choice(enum hint_id row, const char *choice)
{
    char now[32];

    return hint_format(&hint_process, row, now, sizeof now) && strcmp(now, choice) == 0;
}

static bool is_chosen(const char *choice)
{
    return has_choice(HINT_TRANSPORT, choice);
}

static bool net_is_wanted(const struct transport *transport)
{
    switch (transport->reach) {
    case REACH_HOST:
        return is_chosen("auto") || is_chosen(transport->name);
    case REACH_NETWORK:
        return false; /* net_open chooses one */
    default:
        return true;
    }
}

uint64_t net_host(void)
{
    for (int i = 0; i < TRANSPORTS; i++)
        if (transports[i]->reach == REACH_HOST && net_is_wanted(transports[i]))
            return host_mine();
    return 0;
}

static bool is_on_host(int process, uint64_t host)
{
    if (process == net_nobody())
        return false;
    return process < boot.size ? host_local_rank(process) >= 0 : card_of(process)->host == host;
}

bool net_shares_host(const int *process, int count)
{
    uint64_t mine = net_host();

    for (int i = 0; mine && i < count; i++)
        if (!is_on_host(process[i], mine))
            return false;
    return mine;
}

/* Whether the choice of the network is left to the library, and to what was measured. */
static bool is_open_choice(void)
{
    return is_chosen("auto") && (has_choice(HINT_NETWORK, "auto") || coll_rules_gave(HINT_NETWORK));
}

/* Whether the user allows this network. */
static bool is_allowed(int i)
{
    const char *name = transports[i]->name;

    return transports[i]->reach == REACH_NETWORK &&
           (is_chosen(name) || (is_chosen("auto") && (has_choice(HINT_NETWORK, name) || is_open_choice())));
}

static const char *lack_of(int i)
{
    return transports[i]->lacks ? transports[i]->lacks() : NULL;
}

static int find_named_network(const char *name)
{
    for (int i = 0; i < TRANSPORTS; i++)
        if (is_allowed(i) && strcmp(transports[i]->name, name) == 0)
            return i;
    return NO_NETWORK;
}

/* The first that is allowed and lacks nothing; if there is none, the first that is allowed, whose open says what it lacks. */
static int first_network(void)
{
    int first = NO_NETWORK;

    for (int i = 0; i < TRANSPORTS; i++) {
        if (!is_allowed(i))
            continue;
        if (first == NO_NETWORK)
            first = i;
        if (!lack_of(i))
            return i;
    }
    return first;
}

bool net_network_is_named(void)
{
    return !is_open_choice();
}

const char *net_choice(void)
{
    return choice_text;
}

__attribute__((format(printf, 1, 2))) static void note_choice(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    vsnprintf(choice_text, sizeof choice_text, format, list);
    va_end(list);
}

/* Takes the first network, although its lack keeps that of the device from being used. */
static void note_first(int first, const struct fabric_port *device, const char *lack)
{
    const char *name = transports[first]->name;

    if (!lack) {
        note_choice("%s, %s", name,
                    is_open_choice() ? "since this host has no device that wants another"
                                     : "as inkling_transport or inkling_network says");
        return;
    }
    log_warn("this host has %s (%s), which inkling_network=%s uses best; messages between hosts go by "
             "%s, since %s",
             device->name, device->kind, device->network, name, lack);
    note_choice("%s, although this host has %s (%s): %s", name, device->name, device->kind, lack);
}

/* The network that the file of rules names, since it was the faster one, unless it cannot be used. */
static int find_measured_network(void)
{
    const char *path, *lack;
    char name[32];
    int its;

    if (!is_open_choice() || !coll_rules_gave(HINT_NETWORK) ||
        !hint_format(&hint_process, HINT_NETWORK, name, sizeof name))
        return NO_NETWORK;
    its = find_named_network(name);
    if (its == NO_NETWORK) /* auto */
        return NO_NETWORK;
    path = coll_rules_of(&hint_process)->path;
    lack = lack_of(its);
    if (lack) {
        log_warn("%.200s names the network %s, which cannot be used here: %s", path, name, lack);
        return NO_NETWORK;
    }
    note_choice("%s, which %.80s names", name, path);
    return its;
}

/* The network of a device that this host has for messages between hosts, unless it cannot be used. */
static int prefer_network(void)
{
    struct fabric_port device;
    bool is_there = is_open_choice() && adapter_find_fabric("/sys", &device);
    int its = is_there ? find_named_network(device.network) : NO_NETWORK, first = find_measured_network();
    const char *lack = its == NO_NETWORK ? NULL : lack_of(its);

    if (first != NO_NETWORK)
        return first;
    if (its != NO_NETWORK && !lack) {
        note_choice("%s, for this host's %s (%s)", transports[its]->name, device.name, device.kind);
        return its;
    }
    first = first_network();
    if (first != NO_NETWORK)
        note_first(first, &device, first != its ? lack : NULL);
    return first;
}

/* All ranks of a job have one network. Where the user names none, rank 0 chooses, which may see other libraries or devices than the others. */
static int agree_on_network(void)
{
    static const char key[] = "inkling-network";
    char name[BOOT_KEY_SIZE];
    int error = MPI_SUCCESS;

    if (!is_open_choice()) {
        network = prefer_network();
        return MPI_SUCCESS;
    }
    if (boot.rank == 0)
        error = boot_put(key, transports[prefer_network()]->name);
    if (!error)
        error = boot_fence();
    if (!error)
        error = boot_get(0, key, name, sizeof name);
    if (error)
        return error;
    network = find_named_network(name);
    if (boot.rank)
        note_choice("%s, which rank 0 has chosen", name);
    return network != NO_NETWORK
               ? MPI_SUCCESS
               : fail(MPI_ERR_OTHER,
                      "rank 0 has chosen the network '%.20s', which this Inkling has not: use one "
                      "Inkling on all hosts",
                      name);
}

static int open_transport(int i)
{
    int error = transports[i]->open();

    if (error)
        return error;
    note_opened(i, true);
    net_use(transports[i]);
    return MPI_SUCCESS;
}

/* Connects to all processes of other hosts, since only those are asked whether they live (heartbeat.h). */
static int meet_all(void)
{
    int error = MPI_SUCCESS;

    for (int i = 0; i < boot.size && !error; i++)
        if (net_transport(i) && net_transport(i)->reach == REACH_NETWORK && !net_peer(0, i))
            error = fail_class();
    return error;
}

/* For the processes of this job, where it spans hosts or the user names a network. */
static int open_network(void)
{
    int error;

    if (boot.size == 1 || (is_chosen("auto") ? boot.all_local : first_network() == NO_NETWORK))
        return MPI_SUCCESS;
    error = agree_on_network();
    if (!error)
        error = open_transport(network);
    spans_hosts = !error;
    if (spans_hosts && net_survives())
        error = meet_all();
    return error;
}

int net_open(void)
{
    int error = MPI_SUCCESS;

    net_peers[0] = calloc((size_t)net_nobody() + 1, sizeof **net_peers); /* pages exist once touched */
    if (!net_peers[0])
        return fail(MPI_ERR_NO_MEM, "no memory for the table of %d peers", boot.size);
    card_set_host(net_host());
    progress_set_crowd(boot.local_size, (int)sysconf(_SC_NPROCESSORS_ONLN));
    for (int i = 0; i < TRANSPORTS && !error; i++)
        if (net_is_wanted(transports[i]))
            error = open_transport(i);
    if (!error)
        error = open_network();
    if (error)
        net_close();
    return error;
}

static void free_peers(int lane)
{
    struct peer **peers = net_peers[lane];

    for (int i = 0; peers && i < (lane ? boot.size : card_end()); i++) {
        if (peers[i])
            free(peers[i]->sent_counts);
        free(peers[i]);
    }
    free(peers);
    net_peers[lane] = NULL;
}

void net_close(void)
{
    for (int i = TRANSPORTS - 1; i >= 0; i--) { /* networks close first: their sleepers use shared memory's */
        if (is_opened(i))
            transports[i]->close();
        note_opened(i, false);
    }
    net_use_none();
    spans_hosts = false;
    network = NO_NETWORK;
    for (int lane = 0; lane < NET_LANES; lane++)
        free_peers(lane);
    lanes = LANES_UNTRIED;
}

/* Of the transports that lie in a host, or between hosts. */
static int open_lanes_of(bool is_network)
{
    for (int i = 0; i < TRANSPORTS; i++) {
        int error = MPI_SUCCESS;

        if (is_opened(i) && (transports[i]->reach == REACH_NETWORK) == is_network)
            error = transports[i]->open_lanes ? transports[i]->open_lanes() : MPI_ERR_UNSUPPORTED_OPERATION;
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

static enum lanes open_lanes(void)
{
    for (int lane = 1; lane < NET_LANES; lane++) {
        net_peers[lane] = calloc((size_t)boot.size, sizeof **net_peers);
        if (!net_peers[lane]) {
            fail(MPI_ERR_NO_MEM, "no memory for another table of %d peers", boot.size);
            return LANES_REFUSED;
        }
    }
    if (open_lanes_of(false))
        return LANES_REFUSED;
    return spans_hosts && open_lanes_of(true) ? LANES_NEAR : LANES_OPEN; /* other jobs have lane 0 */
}

int net_nobody(void)
{
    return boot.size + CARD_GUESTS;
}

bool net_spans_hosts(void)
{
    return spans_hosts;
}

bool net_open_lanes(bool is_near)
{
    bool are_open;

    if (net_survives())
        return false;
    lock_take(&lanes_lock);
    if (lanes == LANES_UNTRIED)
        lanes = open_lanes();
    are_open = lanes == LANES_OPEN || (is_near && lanes == LANES_NEAR);
    lock_release(&lanes_lock);
    return are_open;
}

bool net_has_sent_all(void)
{
    bool all = true;

    for (int i = 0; i < TRANSPORTS; i++)
        if (is_opened(i) && transports[i]->has_sent_all)
            all = transports[i]->has_sent_all() && all;
    return all;
}

bool net_ends_together(void)
{
    for (int i = 0; spans_hosts && i < boot.size; i++)
        if (net_peers[0][i] && net_peers[0][i]->lost)
            return false;
    return spans_hosts;
}

/* This may open the network. */
static int admit_through_network(void)
{
    char why[FAIL_NOTE_SIZE];

    if (network == NO_NETWORK)
        network = prefer_network();
    if (network == NO_NETWORK)
        return fail(MPI_ERR_UNSUPPORTED_OPERATION,
                    "the other job is not in this host's shared memory: INKLING_TRANSPORT must not be shm");
    if (transports[network]->admit() == MPI_SUCCESS) {
        if (!is_opened(network))
            net_use(transports[network]);
        note_opened(network, true);
        return MPI_SUCCESS;
    }
    snprintf(why, sizeof why, "%s", fail_note());
    return fail(MPI_ERR_UNSUPPORTED_OPERATION, "the other job is met through the network only: %s", why);
}

int net_admit(bool through_network)
{
    int error = MPI_SUCCESS;

    for (int i = 0; !error && i < TRANSPORTS; i++)
        if (transports[i]->reach != REACH_NETWORK && is_opened(i) && transports[i]->admit)
            error = transports[i]->admit();
    return error || !through_network ? error : admit_through_network();
}
