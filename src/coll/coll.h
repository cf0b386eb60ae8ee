/* coll: collective communication (MPI-5.0 chapter 7), blocking, on intracommunicators.
 *
 * Each coll_X is the body of MPI_X and MPI_X_c with decoded arguments. The api layer has checked handles,
 * counts and roots; here is checked what only the collective knows (is this operation defined on this type?).
 * An intercommunicator gets MPI_ERR_UNSUPPORTED_OPERATION until src/world can make one.
 *
 * Arguments that the standard calls not significant on this rank (a gather's receive side away from the root,
 * the send count and type beside MPI_IN_PLACE) are never looked at: pointers and struct counts may be NULL.
 *
 * Messages run on PLANE_COLL. Every collective takes one number from comm->coll_sequence and uses it as the
 * tag of all its messages; ranks call collectives in the same order, so the numbers agree, and a rank that
 * runs ahead never meets a message of another collective. Between two ranks messages of one collective are
 * matched in the order of the algorithm.
 *
 * Errors: a rank that meets an error (a message longer than its buffer: MPI_ERR_TRUNCATE) goes on to serve
 * its peers, so that nobody hangs for it, and returns the first error. Its output is then undefined.
 *
 * Reductions: operands of an operation that does not commute are combined in rank order. Which operands are
 * combined first depends on the number of ranks, the root and the size of the data alone, so the same call
 * gives the same bits, and every rank of an allreduce gets the same bits.
 *
 * Threads: the standard forbids two collectives on one communicator at once; no lock is taken.
 */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/counts.h"
#include "comm/comm.h"
#include "datatype/datatype.h"
#include "op/op.h"

#include <stddef.h>
#include <stdint.h>

int coll_barrier(struct comm *comm);
int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm);

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm);
int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm);
int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm);
int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm);

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm);
int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm);

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm);
int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm);
/* Displacements in bytes; types as arrays of comm's size. */
int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *const *sendtypes, void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, struct datatype *const *recvtypes, struct comm *comm);

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm);
int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm);
int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm);
int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm);
int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm);
int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm);

/* For the library's own use (src/world, set_info): the same machinery on plain memory. */

/* `size` bytes of each rank, in rank order, to `all` on every rank. */
int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size);
/* Both words become the bitwise AND, respectively OR, over all ranks; either may be NULL on all ranks. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or);

#endif
