/* Bodies of the procedures that start requests, receive matched messages and mark partitions (MPI-5.0
 * sections 3.8.3, 3.9 and chapter 4), as far as they need the standard's types or error handlers. */
#ifndef API_PERSISTENT_H
#define API_PERSISTENT_H

#include "p2p/p2p.h"

int api_startall(int count, MPI_Request *requests);
int api_mrecv(void *buf, MPI_Count count, struct datatype *type, struct matched *matched,
              struct status *status);
int api_parrived(MPI_Request request, int partition, int *flag);

#endif
