/* enumeration: names of the values of variables, and of the elements of events (MPI-5.0 section 16.3.5). A handle is
 * the number of an enumeration + 1: a setting's is its row in hint_table, then come those of events. */
#ifndef TOOL_ENUMERATION_H
#define TOOL_ENUMERATION_H

#include "hint/hint.h"
#include "metric/event.h"

#include <mpi.h>

/* MPI_T_ENUM_NULL where the setting takes no words. */
MPI_T_enum enumeration_of_hint(enum hint_id id);
MPI_T_enum enumeration_of_event(enum event_id id);
/* Of MPI_T_PVAR_CLASS_STATE. */
MPI_T_enum enumeration_of_crowd(void);

int enumeration_get_info(MPI_T_enum enumtype, int *num, char *name, int *name_len);
int enumeration_get_item(MPI_T_enum enumtype, int indx, int *value, char *name, int *name_len);

#endif
