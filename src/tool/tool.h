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

#endif
