/* Bodies of the procedures that read and write MPI_Status (MPI-5.0 sections 3.2.5, 3.8.4, 6.1.11 and 13.3).
 * The private part of a status is src/request's; see status_read. */
#ifndef API_STATUS_H
#define API_STATUS_H

#include "datatype/datatype.h"

#include <mpi.h>

int api_get_count(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int api_get_elements(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int api_test_cancelled(const MPI_Status *status, int *flag);
int api_status_get_source(const MPI_Status *status, int *source);
int api_status_get_tag(const MPI_Status *status, int *tag);
int api_status_get_error(const MPI_Status *status, int *error);
int api_status_set_source(MPI_Status *status, int source);
int api_status_set_tag(MPI_Status *status, int tag);
int api_status_set_error(MPI_Status *status, int error);
int api_status_set_cancelled(MPI_Status *status, int flag);
int api_status_set_elements(MPI_Status *status, struct datatype *type, MPI_Count count);

#endif
