/* fabric: libfabric, loaded when the job needs it, and its open objects.
 *
 * Only five functions of libfabric are symbols; the others are calls through its objects. The headers are
 * needed to build, the library only where processes communicate between hosts.
 */
#ifndef NET_OFI_FABRIC_H
#define NET_OFI_FABRIC_H

#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_eq.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    FABRIC_UNDER_WAY = 64 /* most packets that ofi_rxm is in the middle of receiving */
};

/* An endpoint and its completion queue. They are closed together: ofi_rxm of libfabric 1.17 uses a closed
 * endpoint while its queue is open. */
struct channel {
    struct fid_ep *ep; /* NULL: not open */
    struct fid_cq *cq;
    int wait_fd; /* readable when a completion may be there; -1: the provider has none */
};

/* Owner: the holder of the transport's lock. */
struct fabric {
    struct fi_info *info; /* the provider that was chosen, with its limits */
    struct fid_fabric *fabric;
    struct fid_domain *domain;
    struct fid_av *av;
    struct channel packets;
    bool rma_is_known;   /* and rma_traits too */
    unsigned rma_traits; /* bits of enum rma_trait */
    struct channel rma;  /* for reads and writes; opened and closed as needed */
    uint64_t auth;       /* identifies the auth_key that this job chose; 0: it did not */
    int wait_fd;         /* an epoll of the descriptors of both channels; -1: the provider has none */
};

extern struct fabric fabric;

/* Loads libfabric, once; fabric_open does that too. */
int fabric_load(size_t packet_max);
/* Loads libfabric, chooses a provider (rows inkling_ofi_provider, inkling_ofi_interface) and opens an
 * endpoint for packets of up to `packet_max` bytes in multi-receive buffers. An error's note says what is
 * missing. */
int fabric_open(size_t packet_max);
/* After this no packet lands in posted buffers, unless memory is bound to the endpoint: then fabric_close
 * ends that. */
void fabric_close_packets(void);
void fabric_close(void);

/* Closing ends its operations: nothing is written to memory any more. */
int fabric_open_rma(void);
void fabric_close_rma(void);

/* The first of the list, which begins with the fastest, that other hosts can reach, on this interface (NULL: any); one whose address is
 * doubtful (plain/interface.h) only if there is no other. Of several that are as fast, one that is near (plain/adapter.h). NULL: none. */
const struct fi_info *fabric_choose(const struct fi_info *list, const char *interface);

const char *fabric_provider(void);
const char *fabric_error(ssize_t code); /* code: negative, as libfabric returns it */

/* The meaning of libfabric's code for an operation with a peer. Where no descriptor is free for a connection it is -FI_EAGAIN,
 * try again, for inkling_peer_timeout in all. *since: the peer's; 0 at first. */
ssize_t fabric_excuse(ssize_t code, uint64_t *since);

/* What is special about a provider's RMA, as bits. */
enum rma_trait {
    RMA_DELIVERS = 1, /* writes can complete when they are in the target's memory (FI_DELIVERY_COMPLETE) */
    RMA_BY_DEVICE = 2 /* a device carries it out; see rma.h */
};
/* Whether it has all of these. Asks libfabric, once. */
bool fabric_has_rma(unsigned traits);

/* Registers memory if the provider requires it. `access` as for fi_mr_reg (FI_READ, FI_WRITE: for the channel of
 * rma, which is open). *mr NULL: not required. */
int fabric_register(void *memory, size_t bytes, uint64_t access, struct fid_mr **mr);
static inline void *fabric_descriptor(struct fid_mr *mr)
{
    return mr ? fi_mr_desc(mr) : NULL;
}

/* Whether sleeping on wait_fd is safe now: no completion is waiting. */
bool fabric_is_quiet(void);

#endif
