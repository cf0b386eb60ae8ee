/* tool: the MPI tool information interface (MPI-5.0 section 16.3), MPI_T.
 *
 * What there is to see lies below: control variables are the process rows of hint_table (src/hint), performance
 * variables the rows of metric_table, event types those of event_table (src/metric). Here is what the standard puts
 * around them: indices and names, sessions and handles, starting values, callbacks.
 *
 * The interface works before MPI_Init and after MPI_Finalize, from any thread, and counts how often it was
 * initialized. Its errors are the classes MPI_T_ERR_X, returned and never raised. Names and values of arguments are
 * in the note of fail(), which nobody sees but a debugger.
 *
 * Lock. `tool_lock` guards all handles and sessions; it is always taken. Who holds a lane may take it (a watermark
 * looks at a queue then), so under it no lane is taken, no other lock of lock_take, and no callback is called.
 */
#ifndef TOOL_TOOL_H
#define TOOL_TOOL_H

#include "base/lock.h"
#include "hint/hint.h"
#include "metric/event.h"

#include <mpi.h>

struct comm;

/* Bodies of MPI_T_init_thread and MPI_T_finalize. */
int tool_init_thread(int required, int *provided);
int tool_finalize(void);

extern struct lock tool_lock;
extern _Atomic int
    tool_opens; /* how often it is initialized; written under the lock, release; acquire without it */
/* Returns MPI_T_ERR_NOT_INITIALIZED, or success. */
int tool_check(void);
/* The same, and success takes the lock. */
int tool_enter(void);
void tool_leave(void);

/* Returns a text by the convention of section 16.3.3. */
void tool_copy_text(const char *text, char *buffer, int *length);
/* *to = value, where the program wants it. */
static inline void tool_give(int *to, int value)
{
    if (to)
        *to = value;
}

int tool_fail_index(const char *what, int index, int count);
int tool_fail_name(const char *what, const char *name);
int tool_fail_null(const char *argument);
int tool_fail_handle(const char *what);

/* The communicator of an obj_handle, which is the address of its handle. The handle itself is an error, too. */
int tool_find_comm(const MPI_Comm *obj_handle, const struct comm **comm);

/* Groups of variables (MPI-5.0 section 16.3.9), the rows of metric_category_table. They never change. */

int category_get_num(int *num_cat);
int category_get_info(int cat_index, char *name, int *name_len, char *desc, int *desc_len, int *num_cvars,
                      int *num_pvars, int *num_categories);
int category_get_num_events(int cat_index, int *num_events);
int category_get_index(const char *name, int *cat_index);
int category_get_cvars(int cat_index, int len, int indices[]);
int category_get_pvars(int cat_index, int len, int indices[]);
int category_get_events(int cat_index, int len, int indices[]);
int category_get_categories(int cat_index, int len, int indices[]);
int category_changed(int *update_number);

/* cvar: control variables (MPI-5.0 section 16.3.6): the library settings, which are the process rows of hint_table,
 * and then those of them that communicators have too, bound to one and called inkling_comm_... An index counts both. */

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

/* enumeration: names of the values of variables, and of the elements of events (MPI-5.0 section 16.3.5). A handle is
 * the number of an enumeration + 1: a setting's is its row in hint_table, then come those of events. */

/* MPI_T_ENUM_NULL where the setting takes no words. */
MPI_T_enum enumeration_of_hint(enum hint_id id);
MPI_T_enum enumeration_of_event(enum event_id id);
/* Of MPI_T_PVAR_CLASS_STATE. */
MPI_T_enum enumeration_of_crowd(void);

int enumeration_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);
int enumeration_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len);

/* instance: an event while a callback looks at it (MPI-5.0 sections 16.3.8.6 and 16.3.8.7). */

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

/* registration: event types and who is told of them (MPI-5.0 section 16.3.8). The types are the rows of event_table.
 *
 * Callbacks are called where no lock is held, one at a time in the whole process, in the order of the stamps; all
 * sources are ordered. So each call needs MPI_T_CB_REQUIRE_MPI_RESTRICTED and nothing more: events may be told in the
 * midst of a call of MPI. A registration whose callbacks all ask for less is told nothing, and drops the events. The
 * thread is any that calls MPI.
 */

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

/* source: what events come from (MPI-5.0 section 16.3.8.1). All have one clock, MPI_Wtime's. */

int source_get_num(int *num_sources);
int source_get_info(int source_index, char *name, int *name_len, char *desc, int *desc_len,
                    MPI_T_source_order *ordering, MPI_Count *ticks_per_second, MPI_Count *max_ticks,
                    MPI_Info *info);
int source_get_timestamp(int source_index, MPI_Count *timestamp);

/* A new info object without keys: the library has no hints for events. */
int source_make_info(MPI_Info *info);

#endif
