/* pvar: performance variables (MPI-5.0 section 16.3.7): the rows of metric_table.
 *
 * A handle has a value of its own. A counter's is what has come since the handle was started, without the times that
 * it was stopped: the library counts on, and the handle remembers where it began. A watermark is looked at each time
 * that its queue changes while a handle is started (metric_queue_watcher). Levels, sizes, percentages and states
 * show what is now, are always on and are read-only.
 *
 * A handle bound to a communicator keeps its handle and not the communicator: once that is freed, reading fails with
 * MPI_T_ERR_INVALID_HANDLE. No routine may be called in a handler of signals.
 */
#ifndef TOOL_PVAR_H
#define TOOL_PVAR_H

#include <mpi.h>

int pvar_get_num(int *num_pvar);
int pvar_get_info(int pvar_index, char *name, int *name_len, int *verbosity, int *var_class,
                  MPI_Datatype *datatype, MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind,
                  int *readonly, int *continuous, int *atomic);
int pvar_get_index(const char *name, int var_class, int *pvar_index);

int pvar_session_create(MPI_T_pvar_session *session);
int pvar_session_free(MPI_T_pvar_session *session);
int pvar_handle_alloc(MPI_T_pvar_session session, int pvar_index, void *obj_handle, MPI_T_pvar_handle *handle,
                      int *count);
int pvar_handle_free(MPI_T_pvar_session session, MPI_T_pvar_handle *handle);

int pvar_start(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int pvar_stop(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);
int pvar_write(MPI_T_pvar_session session, MPI_T_pvar_handle handle, const void *buf);
int pvar_reset(MPI_T_pvar_session session, MPI_T_pvar_handle handle);
int pvar_readreset(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void *buf);

/* The caller holds tool_lock. */
void pvar_free_all(void);

#endif
