/* fabric: libfabric, loaded when the job needs it, and what is open of it.
 *
 * Only five procedures of libfabric are symbols; the rest are calls through its objects. Headers are needed
 * to build, the library only where a job spans hosts.
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

/* An endpoint and the queue that tells what became of its operations. They are closed together: ofi_rxm of
 * libfabric 1.17 goes on using a closed endpoint while its queue is open. */
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
    struct channel rma; /* opened and closed as needed */
    int wait_fd;        /* the wait_fds of both; -1: the provider has none */
};

extern struct fabric fabric;

/* Loads libfabric, chooses a provider (rows inkling_ofi_provider, inkling_ofi_interface), opens an endpoint
 * whose packets of up to `packet_max` bytes fit into multi-receive buffers. An error tells what is missing.
 */
int fabric_open(size_t packet_max);
/* Nothing lands in posted buffers any more, unless memory is bound to the endpoint: then fabric_close does
 * it. */
void fabric_close_packets(void);
void fabric_close(void);

/* Closed, it stops what it was doing: nothing is written to memory any more. */
int fabric_open_rma(void);
void fabric_close_rma(void);

const char *fabric_provider(void);
const char *fabric_error(ssize_t code); /* code: negative, as libfabric returns it */

/* Registers memory if the provider asks for it; `access` as for fi_mr_reg (FI_READ: for the channel of rma,
 * which is open). *mr NULL: it does not ask. */
int fabric_register(void *memory, size_t bytes, uint64_t access, struct fid_mr **mr);
static inline void *fabric_descriptor(struct fid_mr *mr)
{
    return mr ? fi_mr_desc(mr) : NULL;
}

/* Whether sleeping on wait_fd is safe now: no completion waits. */
bool fabric_is_quiet(void);

#endif
