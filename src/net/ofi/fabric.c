#include "net/ofi/fabric.h"

#include "boot/boot.h"
#include "hint/hint.h"
#include "net/network/network.h"
#include "net/ofi/narrow_init.h"
#include "net/ofi/stand_in.h"
#include "plain/adapter.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "plain/interface.h"
#include "plain/keyed_hash.h"
#include "plain/privilege.h"

#include <dlfcn.h>
#include <errno.h>
#include <mpi.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define LIBRARY         "libfabric.so.1"
#define CONNECT_US      "100" /* between looks at new connections */
#define OF_A_CONNECTION "8"   /* packets, where connections do not share places */
#define INJECTED        "64"  /* bytes of a packet that ofi_rxm copies to send it: what tcp injects */
#define API             FI_VERSION(1, 17)

/* The choices of HINT_OFI_AUTH_KEY, in their order. */
enum {
    AUTH_KEY_JOB,
    AUTH_KEY_PROVIDER
};

enum doubt {
    NO_DOUBT,
    LINK,      /* other hosts of the link at most, or others have a bridge with this address, too */
    THIS_HOST, /* only this one */
    NOWHERE    /* it means nothing without the number of an interface */
};

#define CLOSED .packets.wait_fd = -1, .rma.wait_fd = -1, .wait_fd = -1

struct fabric fabric = {CLOSED};

static struct {
    __typeof__(&fi_getinfo) getinfo;
    __typeof__(&fi_freeinfo) freeinfo;
    __typeof__(&fi_dupinfo) dupinfo;
    __typeof__(&fi_fabric) fabric;
    __typeof__(&fi_strerror) strerror;
    __typeof__(&fi_version) version;
} library;

/* Whether the user gives each connection places for packets of its own (SECURITY.md says when). */
static bool user_ends_sharing(void)
{
    const char *shares = getenv("FI_OFI_RXM_USE_SRX");

    return shares && strcmp(shares, "0") == 0;
}

/* Whether ofi_rxm needs no buffers as long as packets are. From 1.18 on that is not tried, and 2.1 cuts connections then. Over verbs the
 * eager limit must be the buffers' size. */
static bool is_rxm_direct(uint32_t version)
{
    return FI_VERSION_LT(version, FI_VERSION(1, 18)) && !getenv("FI_OFI_RXM_ENABLE_DYN_RBUF") &&
           !user_ends_sharing() && !narrow_init_finds("/sys/class/infiniband/*");
}

/* ofi_rxm keeps 1,024 buffers for each of several purposes, and fills some with zeros: 16 KiB each by default. Where it is direct,
 * packets up to the eager limit leave from where they are, and land in rx.c's buffers ("dynamic" buffers), of which rx.c has
 * more than there are packets under way. Processes with and without these settings can talk. Without sharing each connection has buffers. */
static void choose_rxm_settings(size_t packet_max, uint32_t version)
{
    bool is_direct = is_rxm_direct(version);
    char bytes[24], packets[24];

    snprintf(bytes, sizeof bytes, "%zu", packet_max);
    snprintf(packets, sizeof packets, "%d", FABRIC_UNDER_WAY);
    if (is_direct) {
        setenv("FI_OFI_RXM_EAGER_LIMIT", bytes, 0);
        setenv("FI_OFI_RXM_RX_SIZE", packets, 0);
    }
    setenv("FI_OFI_RXM_BUFFER_SIZE", is_direct ? INJECTED : bytes, 0);
    setenv("FI_OFI_RXM_ENABLE_DYN_RBUF", is_direct ? "1" : "0", 0);
    setenv("FI_OFI_RXM_MSG_RX_SIZE", user_ends_sharing() ? OF_A_CONNECTION : packets, 0);
    setenv("FI_OFI_RXM_CM_PROGRESS_INTERVAL", CONNECT_US, 0);
}

/* libfabric reads these when it is initialized; the user's settings win. ofi_rxm takes one new connection every ten milliseconds if nothing
 * says otherwise, so members would wait for all strangers who came before them.
 * tcp keeps packets that find no room in the socket in memory of its own, says that they have left, and
 * sends them when it is asked for something next: who waits for others in MPI_Finalize asks for nothing. tcp of libfabric 2 fills 16 KiB
 * for each of 1,024 messages that nobody has posted a buffer for; here buffers are always posted. */
static void choose_settings(size_t packet_max, uint32_t version)
{
    choose_rxm_settings(packet_max, version);
    setenv("FI_TCP_STAGING_SBUF_SIZE", "0", 0);
    setenv("FI_TCP_MAX_RX_SIZE", "128", 0);
}

/* It stays: providers do not survive being unloaded. A library that comes with it would catch the program's signals, write a file and
 * exit. */
static void *load_libfabric(void)
{
    bool stands_in = stand_in_load("/dev");
    void *handle;

    setenv("IPATH_NO_BACKTRACE", "1", 0);
    handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (!handle && stands_in) {
        stand_in_unload();
        handle = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

/* For a provider that does not exist: initializes libfabric, and nothing else. */
static void ask_for_none(void)
{
    struct fi_info *need = library.dupinfo(NULL), *found = NULL;

    if (!need)
        return;
    need->fabric_attr->prov_name = strdup("none");
    if (need->fabric_attr->prov_name && library.getinfo(API, NULL, NULL, 0, need, &found) == 0)
        library.freeinfo(found);
    library.freeinfo(need);
}

int fabric_load(size_t packet_max)
{
    void *handle;
    int error = privilege_check_library(LIBRARY);

    if (error || library.getinfo)
        return error;
    handle = load_libfabric();
    if (!handle)
        return fail(MPI_ERR_OTHER,
                    "a job on several hosts needs libfabric (Debian: apt install libfabric1): %s", dlerror());
    library.freeinfo = (__typeof__(&fi_freeinfo))dlsym(handle, "fi_freeinfo");
    library.dupinfo = (__typeof__(&fi_dupinfo))dlsym(handle, "fi_dupinfo");
    library.fabric = (__typeof__(&fi_fabric))dlsym(handle, "fi_fabric");
    library.strerror = (__typeof__(&fi_strerror))dlsym(handle, "fi_strerror");
    library.version = (__typeof__(&fi_version))dlsym(handle, "fi_version");
    if (library.freeinfo && library.dupinfo && library.fabric && library.strerror && library.version)
        library.getinfo = (__typeof__(&fi_getinfo))dlsym(handle, "fi_getinfo");
    if (!library.getinfo)
        return fail(MPI_ERR_OTHER, LIBRARY " lacks a procedure: %s", dlerror());
    choose_settings(packet_max, library.version());
    narrow_init(ask_for_none);
    return MPI_SUCCESS;
}

const char *fabric_error(ssize_t code)
{
    return library.strerror ? library.strerror((int)-code) : "no libfabric";
}

ssize_t fabric_excuse(ssize_t code, uint64_t *since)
{
    uint64_t now, most = (uint64_t)hint_process.value[HINT_PEER_TIMEOUT];

    if (code != -FI_EMFILE) {
        *since = 0;
        return code;
    }
    now = clock_ns();
    if (*since == 0)
        *since = now;
    return most && now - *since >= most ? code : -FI_EAGAIN;
}

const char *fabric_provider(void)
{
    return fabric.info ? fabric.info->fabric_attr->prov_name : "";
}

static const char *row_text(enum hint_id id)
{
    const char *text = hint_process.text[id];

    return text && *text ? text : NULL;
}

/* What is required of a provider. `rma`: it must read peers' memory too. */
static struct fi_info *describe_need(bool rma)
{
    struct fi_info *need = library.dupinfo(NULL);

    if (!need)
        return NULL;
    need->caps = FI_MSG | FI_MULTI_RECV | (rma ? FI_RMA : 0);
    need->mode = FI_CONTEXT | FI_CONTEXT2;
    need->ep_attr->type = FI_EP_RDM;
    need->tx_attr->msg_order = need->rx_attr->msg_order = FI_ORDER_SAS;
    need->domain_attr->mr_mode =
        FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
    need->domain_attr->threading = FI_THREAD_DOMAIN;
    need->domain_attr->control_progress = FI_PROGRESS_MANUAL;
    need->domain_attr->data_progress = FI_PROGRESS_MANUAL;
    need->domain_attr->resource_mgmt = FI_RM_ENABLED;
    if (row_text(HINT_OFI_PROVIDER))
        need->fabric_attr->prov_name = strdup(row_text(HINT_OFI_PROVIDER)); /* freeinfo frees it */
    return need;
}

static bool is_loopback(const struct sockaddr *address)
{
    const void *any = address;

    return address->sa_family == AF_INET
               ? ntohl(((const struct sockaddr_in *)any)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET
               : IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)any)->sin6_addr);
}

/* How likely it is that other hosts do not find this one by the address. */
static enum doubt doubt_of(const struct fi_info *info)
{
    const struct sockaddr *address = info->src_addr;
    const char *interface = info->domain_attr->name;

    if (!address || (info->addr_format != FI_SOCKADDR_IN && info->addr_format != FI_SOCKADDR_IN6))
        return NO_DOUBT;
    if (is_loopback(address))
        return THIS_HOST;
    if (interface_is_link_local(address))
        return address->sa_family == AF_INET6 ? NOWHERE : LINK;
    return interface && interface_is_bridge_within(interface) ? LINK : NO_DOUBT;
}

static bool fabric_is_on(const struct fi_info *info, const char *interface)
{
    return !interface || (info->domain_attr->name && strcmp(info->domain_attr->name, interface) == 0);
}

static bool is_named(const struct fi_info *info, const char *provider)
{
    return strcmp(info->fabric_attr->prov_name, provider) == 0;
}

static bool is_near(const struct fi_info *info)
{
    return !info->domain_attr->name || adapter_is_near("/sys", info->domain_attr->name);
}

/* Whether both are devices of one kind and speed, for which other hosts have addresses of one kind. */
static bool fabric_is_equal(const struct fi_info *a, const struct fi_info *b)
{
    const char *one = a->domain_attr->name, *other = b->domain_attr->name;

    return one && other && is_named(a, b->fabric_attr->prov_name) && a->addr_format == b->addr_format &&
           doubt_of(a) == doubt_of(b) && adapter_speed("/sys", one) == adapter_speed("/sys", other);
}

/* The first that is equal to this one and near, after it; else itself. */
static const struct fi_info *prefer_near(const struct fi_info *best, const char *interface)
{
    for (const struct fi_info *i = best; i && !is_near(best); i = i->next)
        if (fabric_is_on(i, interface) && fabric_is_equal(i, best) && is_near(i))
            return i;
    return best;
}

/* libfabric's shm provider reaches one host only, and crashes on what is required here. */
const struct fi_info *fabric_choose(const struct fi_info *list, const char *interface)
{
    const struct fi_info *best = NULL;
    enum doubt least = NOWHERE;

    for (const struct fi_info *i = list; i; i = i->next)
        if (!is_named(i, "shm") && fabric_is_on(i, interface) && doubt_of(i) < least) {
            best = i;
            least = doubt_of(i);
        }
    return best ? prefer_near(best, interface) : NULL;
}

/* The names of the interfaces in the list, each once. */
static void name_interfaces(const struct fi_info *list, char *names, size_t size)
{
    names[0] = 0;
    for (const struct fi_info *i = list; i; i = i->next) {
        const char *name = i->domain_attr->name;
        size_t used = strlen(names);

        if (name && !strstr(names, name) && used + strlen(name) + 3 < size)
            snprintf(names + used, size - used, "%s%s", used ? ", " : "", name);
    }
}

static int fail_to_find(const struct fi_info *list, int code)
{
    const char *provider = row_text(HINT_OFI_PROVIDER), *interface = row_text(HINT_OFI_INTERFACE);
    char names[200];

    if (provider && strcmp(provider, "shm") == 0)
        return fail(MPI_ERR_OTHER, "INKLING_OFI_PROVIDER='shm' reaches this host alone; leave it out, or set "
                                   "tcp;ofi_rxm. On one host INKLING_TRANSPORT=shm is faster");
    if (list && interface) {
        name_interfaces(list, names, sizeof names);
        return fail(MPI_ERR_OTHER,
                    "INKLING_OFI_INTERFACE='%.40s' is not an interface here that libfabric can use (%s)",
                    interface, names);
    }
    if (provider)
        return fail(
            MPI_ERR_OTHER,
            "libfabric has no provider '%.60s' with reliable datagrams here (%s); INKLING_OFI_PROVIDER "
            "may be left out, or tcp;ofi_rxm",
            provider, list ? "no usable address" : fabric_error(code));
    return fail(MPI_ERR_OTHER, "libfabric finds no network with reliable datagrams here: %s",
                list ? "no usable address" : fabric_error(code));
}

static int find_provider(void)
{
    const struct fi_info *best = NULL;
    struct fi_info *list = NULL;
    int code = -FI_ENODATA, error = MPI_SUCCESS;

    for (int rma = 1; rma >= 0 && !best; rma--) {
        struct fi_info *need = describe_need(rma);

        if (list)
            library.freeinfo(list);
        list = NULL;
        if (!need)
            return fail(MPI_ERR_NO_MEM, "no memory to ask libfabric for a provider");
        code = library.getinfo(API, NULL, NULL, 0, need, &list);
        library.freeinfo(need);
        best = code == 0 ? fabric_choose(list, row_text(HINT_OFI_INTERFACE)) : NULL;
    }
    fabric.info = best ? library.dupinfo(best) : NULL;
    if (!best)
        error = fail_to_find(code == 0 ? list : NULL, code);
    else if (!fabric.info)
        error = fail(MPI_ERR_NO_MEM, "no memory for what libfabric tells of its provider");
    if (list)
        library.freeinfo(list);
    return error;
}

/* The first of the provider's that can report when a write is delivered, with the progress that it has by itself. */
static struct fi_info *find_delivering(void)
{
    struct fi_info *need = describe_need(true), *found = NULL;

    if (!need)
        return NULL;
    free(need->fabric_attr->prov_name);
    need->fabric_attr->prov_name = strdup(fabric_provider());
    need->tx_attr->op_flags = FI_DELIVERY_COMPLETE;
    need->domain_attr->control_progress = need->domain_attr->data_progress = FI_PROGRESS_UNSPEC;
    if (library.getinfo(API, NULL, NULL, 0, need, &found))
        found = NULL;
    library.freeinfo(need);
    return found;
}

bool fabric_has_rma(unsigned traits)
{
    struct fi_info *found;

    if (!fabric.rma_is_known && (found = find_delivering()) != NULL) {
        fabric.rma_traits = RMA_DELIVERS;
        if (found->domain_attr->data_progress == FI_PROGRESS_AUTO &&
            found->domain_attr->mr_mode & FI_MR_ALLOCATED)
            fabric.rma_traits |= RMA_BY_DEVICE;
        library.freeinfo(found);
    }
    fabric.rma_is_known = true;
    return (fabric.rma_traits & traits) == traits;
}

/* The providers for a kind of device. */
static const char *providers_for(const char *kind)
{
    static const char *const known[][2] = {
        {"Slingshot", "cxi"}, {"EFA", "efa"}, {"Omni-Path", "opx, psm2 or psm3"}};

    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(kind, known[i][0]) == 0)
            return known[i][1];
    return "verbs";
}

static bool is_over_ip(const char *provider)
{
    return strncmp(provider, "tcp", 3) == 0 || strncmp(provider, "udp", 3) == 0 ||
           strcmp(provider, "net") == 0 || strcmp(provider, "sockets") == 0;
}

/* Unless the user has chosen. */
static void warn_of_ip(void)
{
    struct fabric_port device;
    char missing[200];

    if (!is_over_ip(fabric_provider()) || row_text(HINT_OFI_PROVIDER) || row_text(HINT_OFI_INTERFACE) ||
        getenv("FI_PROVIDER") || !adapter_find_fabric("/sys", &device))
        return;
    snprintf(missing, sizeof missing,
             "libfabric offers none of its providers for it (%s), but %s: fi_info -l lists those it has",
             providers_for(device.kind), fabric_provider());
    network_warn_of_tcp(&device, missing);
}

static int fabric_check(int code, const char *what)
{
    if (code == 0)
        return MPI_SUCCESS;
    return fail(MPI_ERR_OTHER, "libfabric's provider %s on %s: %s: %s", fabric_provider(),
                fabric.info->domain_attr->name ? fabric.info->domain_attr->name : "?", what,
                fabric_error(code));
}

/* A queue with a descriptor to sleep on, where the provider has one. */
static int fabric_open_queue(struct channel *c)
{
    struct fi_cq_attr attr = {.size = fabric.info->tx_attr->size + fabric.info->rx_attr->size,
                              .format = FI_CQ_FORMAT_DATA,
                              .wait_obj = FI_WAIT_FD};

    if (fi_cq_open(fabric.domain, &attr, &c->cq, NULL) == 0) {
        if (fi_control(&c->cq->fid, FI_GETWAIT, &c->wait_fd) == 0)
            return MPI_SUCCESS;
        fi_close(&c->cq->fid);
        c->cq = NULL;
    }
    c->wait_fd = -1;
    attr.wait_obj = FI_WAIT_NONE;
    return fabric_check(fi_cq_open(fabric.domain, &attr, &c->cq, NULL), "completion queue");
}

/* Makes an endpoint, not enabled yet, and its queue. */
static int make_channel(struct channel *c)
{
    int error = fabric_open_queue(c);

    if (!error)
        error = fabric_check(fi_endpoint(fabric.domain, fabric.info, &c->ep, NULL), "endpoint");
    if (!error)
        error = fabric_check(fi_ep_bind(c->ep, &fabric.av->fid, 0), "address vector");
    return error
               ? error
               : fabric_check(fi_ep_bind(c->ep, &c->cq->fid, FI_TRANSMIT | FI_RECV), "queue of the endpoint");
}

static void close_object(struct fid *object)
{
    if (object)
        fi_close(object);
}

static void close_channel(struct channel *c)
{
    if (c->wait_fd >= 0 && fabric.wait_fd >= 0)
        epoll_ctl(fabric.wait_fd, EPOLL_CTL_DEL, c->wait_fd, NULL);
    close_object(c->ep ? &c->ep->fid : NULL);
    close_object(c->cq ? &c->cq->fid : NULL);
    *c = (struct channel){.wait_fd = -1};
}

/* Enables the endpoint, and adds its wait_fd to the process's. */
static int enable(struct channel *c)
{
    struct epoll_event readable = {.events = EPOLLIN};
    int error = fabric_check(fi_enable(c->ep), "enabling the endpoint");

    if (!error && c->wait_fd >= 0 && epoll_ctl(fabric.wait_fd, EPOLL_CTL_ADD, c->wait_fd, &readable) < 0)
        error = fail(MPI_ERR_OTHER, "no waiting for libfabric's provider %s: %s", fabric_provider(),
                     strerror(errno));
    return error;
}

static int open_packets(size_t packet_max)
{
    int error = make_channel(&fabric.packets);

    if (!error)
        error = fabric_check(fi_setopt(&fabric.packets.ep->fid, FI_OPT_ENDPOINT, FI_OPT_MIN_MULTI_RECV,
                                       &packet_max, sizeof packet_max),
                             "least room of receive buffers");
    if (!error && fabric.packets.wait_fd >= 0) {
        fabric.wait_fd = epoll_create1(EPOLL_CLOEXEC);
        error = fabric.wait_fd < 0 ? fail(MPI_ERR_OTHER, "no descriptor to wait on: %s", strerror(errno))
                                   : MPI_SUCCESS;
    }
    return error ? error : enable(&fabric.packets);
}

int fabric_open_rma(void)
{
    int error = make_channel(&fabric.rma);

    if (!error)
        error = enable(&fabric.rma);
    if (error)
        close_channel(&fabric.rma);
    return error;
}

void fabric_close_rma(void)
{
    close_channel(&fabric.rma);
}

/* Providers whose key is a secret of the job's own (the UUID of PSM) have room for one. A shorter key names a
 * service of the fabric (Slingshot's VNI), which its administrator and the launcher give. */
static bool wants_auth_key(void)
{
    return fabric.info->domain_attr->auth_key_size >= SECRET_SIZE && boot.secret &&
           hint_process.value[HINT_OFI_AUTH_KEY] == AUTH_KEY_JOB;
}

/* Who does not know the job's secret cannot talk to its processes. Endpoints have the domain's key. */
static int set_auth_key(void)
{
    static const char text[] = "auth_key", name[] = "the name of auth_key";
    struct fi_domain_attr *domain = fabric.info->domain_attr;
    unsigned char hash[KEYED_HASH_SIZE];
    size_t size = domain->auth_key_size < sizeof hash ? domain->auth_key_size : sizeof hash;
    uint8_t *key;
    int error;

    if (!wants_auth_key())
        return MPI_SUCCESS;
    key = calloc(1, domain->auth_key_size); /* freeinfo frees it */
    if (!key)
        return fail(MPI_ERR_NO_MEM, "no memory for the key of libfabric's provider");
    free(domain->auth_key);
    domain->auth_key = key;
    error = keyed_hash(boot.secret, text, sizeof text, hash);
    if (error)
        return error;
    memcpy(key, hash, size);
    error = keyed_hash(boot.secret, name, sizeof name, hash);
    if (!error)
        memcpy(&fabric.auth, hash, sizeof fabric.auth);
    return error;
}

static int open_objects(size_t packet_max)
{
    struct fi_av_attr addresses = {.type = fabric.info->domain_attr->av_type};
    int error = set_auth_key();

    if (!error)
        error = fabric_check(library.fabric(fabric.info->fabric_attr, &fabric.fabric, NULL), "fabric");
    if (!error)
        error = fabric_check(fi_domain(fabric.fabric, fabric.info, &fabric.domain, NULL), "domain");
    if (!error)
        error = fabric_check(fi_av_open(fabric.domain, &addresses, &fabric.av, NULL), "address vector");
    return error ? error : open_packets(packet_max);
}

int fabric_open(size_t packet_max)
{
    int error = fabric_load(packet_max);

    if (!error)
        error = find_provider();
    if (!error)
        warn_of_ip();
    if (!error)
        error = open_objects(packet_max);
    if (error)
        fabric_close();
    return error;
}

void fabric_close_packets(void)
{
    if (fabric.packets.ep && fi_close(&fabric.packets.ep->fid) == 0)
        fabric.packets.ep = NULL;
}

void fabric_close(void)
{
    close_channel(&fabric.rma);
    close_channel(&fabric.packets);
    close_object(fabric.av ? &fabric.av->fid : NULL);
    close_object(fabric.domain ? &fabric.domain->fid : NULL);
    close_object(fabric.fabric ? &fabric.fabric->fid : NULL);
    if (fabric.info)
        library.freeinfo(fabric.info);
    if (fabric.wait_fd >= 0)
        close(fabric.wait_fd);
    fabric = (struct fabric){CLOSED};
}

/* Keys are random, so that nobody reads memory whose key he was not told. Skips those that are in use. */
static int register_memory(void *memory, size_t bytes, uint64_t access, struct fid_mr **mr)
{
    const struct fi_domain_attr *domain = fabric.info->domain_attr;
    uint64_t key, keys = domain->mr_key_size < sizeof key ? (uint64_t)1 << 8 * domain->mr_key_size : 0;
    int code = -FI_ENOKEY;

    if (domain->mr_mode & FI_MR_PROV_KEY)
        return fi_mr_reg(fabric.domain, memory, bytes, access, 0, 0, 0, mr, NULL);
    for (int tries = 0; tries < 16 && code == -FI_ENOKEY; tries++) {
        if (keyed_number_make(&key))
            return -FI_EOTHER;
        key = keys ? key % keys : key;
        code = fi_mr_reg(fabric.domain, memory, bytes, access, 0, key, 0, mr, NULL);
    }
    return code;
}

int fabric_register(void *memory, size_t bytes, uint64_t access, struct fid_mr **mr)
{
    bool remote = access & (FI_REMOTE_READ | FI_REMOTE_WRITE);
    int mode = fabric.info->domain_attr->mr_mode;
    int error;

    *mr = NULL;
    if (!remote && !(mode & FI_MR_LOCAL))
        return MPI_SUCCESS;
    error = fabric_check(register_memory(memory, bytes, access, mr), "registering memory");
    if (!error && mode & FI_MR_ENDPOINT) {
        error = fabric_check(
            fi_mr_bind(*mr, access & (FI_READ | FI_WRITE) ? &fabric.rma.ep->fid : &fabric.packets.ep->fid, 0),
            "binding memory");
        if (!error)
            error = fabric_check(fi_mr_enable(*mr), "enabling memory");
    }
    if (error && *mr) {
        fi_close(&(*mr)->fid);
        *mr = NULL;
    }
    return error;
}

/* Nobody polls the channel of rma while no read is under way. A peer that disconnects meanwhile must not keep
 * its wait_fd readable. */
bool fabric_is_quiet(void)
{
    struct fid *queues[2] = {&fabric.packets.cq->fid, fabric.rma.cq ? &fabric.rma.cq->fid : NULL};

    if (fabric.rma.cq)
        fi_cq_read(fabric.rma.cq, NULL, 0);
    return fi_trywait(fabric.fabric, queues, queues[1] ? 2 : 1) == 0;
}
