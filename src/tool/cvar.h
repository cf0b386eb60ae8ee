/* cvar: control variables (MPI-5.0 section 16.3.6): the library settings, which are the process rows of hint_table,
 * and then those of them that communicators have too, bound to one and called inkling_comm_... An index counts both. */
#ifndef TOOL_CVAR_H
#define TOOL_CVAR_H

#include <mpi.h>

int cvar_count(void);

int cvar_get_num(int *num_cvar);
int cvar_get_info(int cvar_index, char *name, int *name_len, int *verbosity, MPI_Datatype *datatype,
                  MPI_T_enum *enumtype, char *desc, int *desc_len, int *bind, int *scope);
int cvar_get_index(const char *name, int *cvar_index);
int cvar_handle_alloc(int cvar_index, void *obj_handle, MPI_T_cvar_handle *handle, int *count);
int cvar_handle_free(MPI_T_cvar_handle *handle);
int cvar_read(MPI_T_cvar_handle handle, void *buf);
int cvar_write(MPI_T_cvar_handle handle, const void *buf);

/* The caller holds tool_lock. */
void cvar_free_all(void);

#endif
