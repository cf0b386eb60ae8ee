/* request_table: requests by handle and by where the program has them. A library may give all requests that were complete at once one
 * handle: there may be 100,000 of one.
 */
#ifndef INSIGHT_OBJECTS_REQUEST_TABLE_H
#define INSIGHT_OBJECTS_REQUEST_TABLE_H

#include "insight/objects/request_record.h"

/* Its handle and its variable are set. */
void request_table_add(struct request_record *r);
void request_table_remove(struct request_record *r);
/* The newest with this handle in this variable, else the newest with the handle; NULL: none. */
struct request_record *request_table_find(uint64_t handle, const MPI_Request *variable);

#endif
