/* pvar_value: what a row of metric_table shows now, and what its class says of it. */
#ifndef TOOL_PVAR_VALUE_H
#define TOOL_PVAR_VALUE_H

#include "comm/comm.h"
#include "metric/metric.h"

#include <mpi.h>

/* It can be started and stopped, and reset. */
bool pvar_value_is_counted(const struct metric_row *row);
bool pvar_value_is_watermark(const struct metric_row *row);

/* The metric behind the row; comm is that of rows bound to one. */
uint64_t pvar_value_now(const struct metric_row *row, const struct comm *comm);
MPI_Datatype pvar_value_type(const struct metric_row *row);
/* Writes a value of the row as its datatype. */
void pvar_value_store(const struct metric_row *row, uint64_t value, void *buf);

#endif
