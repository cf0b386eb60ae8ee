/* coll: collective communication (MPI-5.0 chapter 6) and neighbourhood collectives (chapter 8).
 *
 * Each coll_X is the body of MPI_X, MPI_IX and MPI_X_init, and of their _c twins, with decoded arguments:
 * `form` says which; a blocking one takes no request. It is in the file that has its name: coll_gather and
 * coll_gatherv in gather.c, coll_exscan in scan.c. The api layer has checked handles, counts and roots.
 * Here is checked what only the collective knows (is this operation defined on this type?). A coll_X
 * describes its call (coll_call.h), and dispatch.c chooses how to carry it out. Builders name
 * the steps of its algorithms; sched/schedule.h says how these are run, how messages are matched and what
 * happens on an error. At the end of each file are its rows of the table of algorithms (choice.h). Ranks of one host do without
 * schedules and messages, and a plan names the steps (shm/engine.h): shm/shm_coll.h for few bytes, shm/single_copy.h for large buffers.
 *
 * Arguments that the standard calls not significant on this rank (a gather's receive side away from the
 * root, the send count and type beside MPI_IN_PLACE) are never looked at: pointers and struct counts may be
 * NULL. Arrays that are significant are read, or copied, before a call of any form returns, and references to their
 * datatypes are held: programs use that memory again at once.
 *
 * Reductions: operands of an operation that does not commute are combined in rank order. Which operands are
 * combined first depends on the number of ranks, the root, the size of the data and the way that the call
 * takes, never on timing, and every rank of an allreduce gets the same bits. Through mailboxes they are
 * combined one after the other, by messages in the order of the algorithm; the row
 * inkling_reproducible_reductions leaves messages alone.
 *
 * Threads: the standard forbids two collective calls on one communicator at once; no lock is taken.
 */
#ifndef COLL_COLL_H
#define COLL_COLL_H

#include "base/counts.h"
#include "coll/sched/schedule.h"

#include <stddef.h>
#include <stdint.h>

int coll_barrier(struct comm *comm, enum form form, struct info *info, struct request **request);
int coll_bcast(void *buffer, MPI_Count count, struct datatype *type, int root, struct comm *comm,
               enum form form, struct info *info, struct request **request);

int coll_gather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                struct info *info, struct request **request);
int coll_gatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 struct counts recvcounts, struct counts displs, struct datatype *recvtype, int root,
                 struct comm *comm, enum form form, struct info *info, struct request **request);
int coll_scatter(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                 MPI_Count recvcount, struct datatype *recvtype, int root, struct comm *comm, enum form form,
                 struct info *info, struct request **request);
int coll_scatterv(const void *sendbuf, struct counts sendcounts, struct counts displs,
                  struct datatype *sendtype, void *recvbuf, MPI_Count recvcount, struct datatype *recvtype,
                  int root, struct comm *comm, enum form form, struct info *info, struct request **request);

int coll_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                   MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                   struct info *info, struct request **request);
int coll_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                    struct counts recvcounts, struct counts displs, struct datatype *recvtype,
                    struct comm *comm, enum form form, struct info *info, struct request **request);

int coll_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                  MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                  struct info *info, struct request **request);
int coll_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   struct datatype *sendtype, void *recvbuf, struct counts recvcounts, struct counts rdispls,
                   struct datatype *recvtype, struct comm *comm, enum form form, struct info *info,
                   struct request **request);
int coll_alltoallw(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                   const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                   struct counts rdispls, const MPI_Datatype recvtypes[], struct comm *comm, enum form form,
                   struct info *info, struct request **request);

int coll_reduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                int root, struct comm *comm, enum form form, struct info *info, struct request **request);
int coll_allreduce(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                   struct comm *comm, enum form form, struct info *info, struct request **request);
int coll_reduce_scatter_block(const void *sendbuf, void *recvbuf, MPI_Count recvcount, struct datatype *type,
                              struct op *op, struct comm *comm, enum form form, struct info *info,
                              struct request **request);
int coll_reduce_scatter(const void *sendbuf, void *recvbuf, struct counts recvcounts, struct datatype *type,
                        struct op *op, struct comm *comm, enum form form, struct info *info,
                        struct request **request);
int coll_scan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
              struct comm *comm, enum form form, struct info *info, struct request **request);
int coll_exscan(const void *sendbuf, void *recvbuf, MPI_Count count, struct datatype *type, struct op *op,
                struct comm *comm, enum form form, struct info *info, struct request **request);

/* On communicators with a topology; counts and displacements by neighbour, as comm->topology lists them. */
int coll_neighbor_allgather(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                            void *recvbuf, MPI_Count recvcount, struct datatype *recvtype, struct comm *comm,
                            enum form form, struct request **request);
int coll_neighbor_allgatherv(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype,
                             void *recvbuf, struct counts recvcounts, struct counts displs,
                             struct datatype *recvtype, struct comm *comm, enum form form,
                             struct request **request);
int coll_neighbor_alltoall(const void *sendbuf, MPI_Count sendcount, struct datatype *sendtype, void *recvbuf,
                           MPI_Count recvcount, struct datatype *recvtype, struct comm *comm, enum form form,
                           struct request **request);
int coll_neighbor_alltoallv(const void *sendbuf, struct counts sendcounts, struct counts sdispls,
                            struct datatype *sendtype, void *recvbuf, struct counts recvcounts,
                            struct counts rdispls, struct datatype *recvtype, struct comm *comm,
                            enum form form, struct request **request);
/* Displacements in bytes. */
int coll_neighbor_alltoallw(const void *sendbuf, struct counts sendcounts, const MPI_Aint sdispls[],
                            const MPI_Datatype sendtypes[], void *recvbuf, struct counts recvcounts,
                            const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], struct comm *comm,
                            enum form form, struct request **request);

/* For the library's own use (making communicators, windows and files): the same machinery on plain memory. */

/* `size` bytes of each rank, in rank order, to `all` on every rank. */
int coll_allgather_bytes(struct comm *comm, const void *mine, void *all, size_t size);
/* Both words become the bitwise AND, respectively OR, over all ranks; either may be NULL on all ranks. */
int coll_agree(struct comm *comm, uint64_t *word_and, uint64_t *word_or);

#endif
