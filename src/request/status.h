/* status: bodies of the procedures on MPI_Status (MPI-5.0 sections 3.2.5, 3.8.4, 5.1.11, 13.3). */
#ifndef REQUEST_STATUS_H
#define REQUEST_STATUS_H

#include "datatype/datatype.h"

int status_get_count(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int status_get_elements(const MPI_Status *status, struct datatype *type, MPI_Count *count);
int status_test_cancelled(const MPI_Status *status, int *flag);
int status_get_source(const MPI_Status *status, int *source);
int status_get_tag(const MPI_Status *status, int *tag);
int status_get_error(const MPI_Status *status, int *error);
int status_set_source(MPI_Status *status, int source);
int status_set_tag(MPI_Status *status, int tag);
int status_set_error(MPI_Status *status, int error);
int status_set_cancelled(MPI_Status *status, int flag);
int status_set_elements(MPI_Status *status, struct datatype *type, MPI_Count count);

#endif
