/* instance: an event while a callback looks at it (MPI-5.0 sections 16.3.8.6 and 16.3.8.7). */
#ifndef TOOL_INSTANCE_H
#define TOOL_INSTANCE_H

#include "metric/event.h"

#include <mpi.h>

/* The handle of the event that callbacks are told of from now on; NULL: of none. By the thread that delivers. */
MPI_T_event_instance instance_show(const struct event *e);

/* Where an element of a type lies in MPI_T_event_copy's buffer, and what it is. */
MPI_Aint instance_place(const struct event_row *row, int element);
MPI_Datatype instance_type(const struct event_row *row, int element);
int instance_elements(const struct event_row *row);

int instance_read(MPI_T_event_instance instance, int element_index, void *buffer);
int instance_copy(MPI_T_event_instance instance, void *buffer);
int instance_get_timestamp(MPI_T_event_instance instance, MPI_Count *timestamp);
int instance_get_source(MPI_T_event_instance instance, int *source_index);

#endif
