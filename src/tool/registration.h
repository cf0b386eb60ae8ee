/* registration: event types and who is told of them (MPI-5.0 section 16.3.8). The types are the rows of event_table.
 *
 * Callbacks are called where no lock is held, one at a time in the whole process, in the order of the stamps; all
 * sources are ordered. So each call needs MPI_T_CB_REQUIRE_MPI_RESTRICTED and nothing more: events may be told in the
 * midst of a call of MPI. A registration whose callbacks all ask for less is told nothing, and drops the events. The
 * thread is any that calls MPI.
 */
#ifndef TOOL_REGISTRATION_H
#define TOOL_REGISTRATION_H

#include <mpi.h>

int registration_get_num(int *num_events);
int registration_get_info(int event_index, char *name, int *name_len, int *verbosity,
                          MPI_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                          int *num_elements, MPI_T_enum *enumtype, MPI_Info *info, char *desc, int *desc_len,
                          int *bind);
int registration_get_index(const char *name, int *event_index);
int registration_alloc(int event_index, void *obj_handle, MPI_Info info,
                       MPI_T_event_registration *registration);
int registration_free(MPI_T_event_registration registration, void *user_data,
                      MPI_T_event_free_cb_function free_cb_function);
int registration_set_info(MPI_T_event_registration registration, MPI_Info info);
int registration_copy_info(MPI_T_event_registration registration, MPI_Info *info_used);
int registration_register_callback(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info info, void *user_data, MPI_T_event_cb_function event_cb_function);
int registration_callback_set_info(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info info);
int registration_callback_get_info(MPI_T_event_registration registration, MPI_T_cb_safety cb_safety,
                                   MPI_Info *info_used);
int registration_set_dropped_handler(MPI_T_event_registration registration,
                                     MPI_T_event_dropped_cb_function dropped_cb_function);

/* The caller holds tool_lock. */
void registration_free_all(void);

#endif
