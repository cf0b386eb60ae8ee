/* source: what events come from (MPI-5.0 section 16.3.8.1). All have one clock, MPI_Wtime's. */
#ifndef TOOL_SOURCE_H
#define TOOL_SOURCE_H

#include <mpi.h>

int source_get_num(int *num_sources);
int source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                    MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                    MPI_Info *info);
int source_get_timestamp(int source_index, MPI_Count *timestamp);

/* A new info object without keys: the library has no hints for events. */
int source_make_info(MPI_Info *info);

#endif
