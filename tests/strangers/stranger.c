/* stranger ADDRESS PORT JOB WHAT [KEY [MS]]: attacks the process that listens at this port with its own means, libfabric's
 * tcp;ofi_rxm (or STRANGER_PROVIDER). It knows the number of the job and how packets look, but nothing that only the
 * job's processes know. It forges what rank 1 would send: messages, the last of them many times for a communicator
 * that does not exist; the offer of a large message (offer); the last packet of a process (bye). Or it reads memory
 * with this key (read). Says "sent COUNT", or "read" if it could. It waits for each of these for so many milliseconds. */
#include "net/network/wire.h"

#include <arpa/inet.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    FLOOD = 4000, /* packets for communicators that do not exist */
    PAYLOAD = 32 * 1024,
    LOOT = 4096,
    PATIENCE_MS = 300
};

static long patience = PATIENCE_MS;

/* src/p2p/transfer.h and rndv.h */
enum {
    MESSAGE_EAGER = 1,
    MESSAGE_RTS = 2
};

struct rts {
    uint64_t bytes, address, sender, key;
};

static struct fid_domain *domain;
static struct fid_av *av;
static struct fid_cq *cq;
static struct fid_ep *ep;
static fi_addr_t victim;

static void need(int code, const char *what)
{
    if (code >= 0)
        return;
    printf("stranger: %s: %s\n", what, fi_strerror(-code));
    exit(1);
}

static void open_endpoint(const char *address, const char *port)
{
    struct fi_info *need_info = fi_allocinfo(), *info = NULL;
    struct fi_cq_attr cq_attr = {.format = FI_CQ_FORMAT_DATA};
    struct fi_av_attr av_attr = {.type = FI_AV_UNSPEC};
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    const char *provider = getenv("STRANGER_PROVIDER");
    struct fid_fabric *fabric;

    inet_pton(AF_INET, address, &there.sin_addr);
    need_info->caps = FI_MSG | FI_RMA;
    need_info->mode = FI_CONTEXT | FI_CONTEXT2;
    need_info->ep_attr->type = FI_EP_RDM;
    need_info->fabric_attr->prov_name = strdup(provider ? provider : "tcp;ofi_rxm");
    need_info->addr_format = FI_SOCKADDR_IN;
    need(fi_getinfo(FI_VERSION(1, 17), address, port, 0, need_info, &info), "getinfo");
    need(fi_fabric(info->fabric_attr, &fabric, NULL), "fabric");
    need(fi_domain(fabric, info, &domain, NULL), "domain");
    need(fi_av_open(domain, &av_attr, &av, NULL), "av");
    need(fi_cq_open(domain, &cq_attr, &cq, NULL), "cq");
    need(fi_endpoint(domain, info, &ep, NULL), "endpoint");
    need(fi_ep_bind(ep, &av->fid, 0), "bind");
    need(fi_ep_bind(ep, &cq->fid, FI_TRANSMIT | FI_RECV), "bind");
    need(fi_enable(ep), "enable");
    need(fi_av_insert(av, &there, 1, &victim, 0, NULL) == 1 ? 0 : -FI_EOTHER, "insert");
}

static long now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Whether the operation has been begun and has succeeded, within the patience. */
static bool end_well(ssize_t (*begin)(const void *), const void *what)
{
    struct fi_cq_data_entry done;
    struct fi_cq_err_entry failed = {0};
    long end = now_ms() + patience;
    bool begun = false;

    while (now_ms() < end) {
        ssize_t count;

        if (!begun) {
            ssize_t code = begin(what);

            if (code != 0 && code != -FI_EAGAIN) {
                printf("refused: %s\n", fi_strerror((int)-code));
                return false;
            }
            begun = code == 0;
        }
        count = fi_cq_read(cq, &done, 1);
        if (count == 1 && begun)
            return true;
        if (count == -FI_EAVAIL && fi_cq_readerr(cq, &failed, 0) == 1) {
            printf("failed: %s\n", fi_strerror(failed.err));
            return false;
        }
    }
    return false;
}

struct packet {
    size_t size;
    unsigned char bytes[sizeof(struct wire) + PAYLOAD];
};

static struct fi_context2 context;

static ssize_t begin_send(const void *what)
{
    const struct packet *p = what;

    return fi_send(ep, p->bytes, p->size, NULL, victim, &context);
}

/* The payload begins with these bytes; the rest of it is zero. Whether it went out. */
static bool send_packet(uint64_t job, int kind, struct message message, const void *payload, size_t bytes)
{
    static struct packet p;
    struct wire head = {
        .version = WIRE_VERSION, .kind = (uint8_t)kind, .rank = 1, .job = job, .message = message};

    memset(&p, 0, sizeof p);
    memcpy(p.bytes, &head, sizeof head);
    memcpy(p.bytes + sizeof head, payload, bytes);
    p.size = sizeof head + message.length;
    return end_well(begin_send, &p);
}

static int forge_messages(uint64_t job)
{
    static const int number = 666;
    struct message one = {
        .length = sizeof number, .kind = MESSAGE_EAGER, .context = 1, .source = 1, .tag = 5};
    struct message none = {
        .length = PAYLOAD, .kind = MESSAGE_EAGER, .context = 0x4444, .source = 1, .tag = 5};
    int sent = send_packet(job, WIRE_MESSAGE, one, &number, sizeof number);

    for (int i = 0; i < FLOOD && send_packet(job, WIRE_MESSAGE, none, &number, sizeof number); i++)
        sent++;
    return sent;
}

static int forge_offer(uint64_t job)
{
    static const struct rts rts = {.bytes = 4, .address = 4096, .sender = 77};
    struct message offer = {.length = sizeof rts, .kind = MESSAGE_RTS, .context = 1, .source = 1, .tag = 5};

    return send_packet(job, WIRE_MESSAGE, offer, &rts, sizeof rts);
}

static int forge_bye(uint64_t job)
{
    return send_packet(job, WIRE_BYE, (struct message){0}, "", 0);
}

static char loot[LOOT];

static ssize_t begin_read(const void *what)
{
    return fi_read(ep, loot, sizeof loot, NULL, victim, 0, *(const uint64_t *)what, &context);
}

static void read_memory(const char *word)
{
    uint64_t key = strtoull(word, NULL, 10);

    if (end_well(begin_read, &key))
        printf("read what key %s opens, which begins with %02x\n", word, (unsigned char)loot[0]);
}

int main(int argc, char **argv)
{
    uint64_t job = argc > 3 ? strtoull(argv[3], NULL, 10) : 0;
    const char *what = argc > 4 ? argv[4] : "";
    char size[16];

    if (argc > 6)
        patience = atol(argv[6]);
    setvbuf(stdout, NULL, _IONBF, 0);
    snprintf(size, sizeof size, "%zu", PAYLOAD + sizeof(struct wire));
    setenv("FI_OFI_RXM_BUFFER_SIZE", size, 1); /* as the library has it, or the endpoints do not talk */
    if (argc > 2)
        open_endpoint(argv[1], argv[2]);
    if (!strcmp(what, "messages"))
        printf("sent %d\n", forge_messages(job));
    else if (!strcmp(what, "offer"))
        printf("sent %d\n", forge_offer(job));
    else if (!strcmp(what, "bye"))
        printf("sent %d\n", forge_bye(job));
    else if (!strcmp(what, "read") && argc > 5)
        read_memory(argv[5]);
    else
        return 2;
    return 0;
}
