/* host_names: the names of hosts that a user may give. Only this one is ours to start ranks on; for others see
 * remote.h. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_HOST_NAMES_H
#define CMD_MPIEXEC_COMMAND_LINE_HOST_NAMES_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>

/* "name,name:slots,..."; *elsewhere becomes true when some name is not this host's. A name that means no host
 * is an error. */
int host_names_check(const char *list, const char *option, bool *elsewhere);
/* One host a line: "name", "name:slots" or "name slots=N". */
int host_names_check_file(const char *path, bool *elsewhere);

/* The same lists, as words "name:slots"; slots that are not told are 1. */
int host_names_read(const char *list, struct words *hosts);
int host_names_read_file(const char *path, struct words *hosts);

#endif
