/* host_names: the host names that a user gives. mpiexec itself starts ranks only on this host;
 * launch/launch.h handles other hosts. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_HOST_NAMES_H
#define CMD_MPIEXEC_COMMAND_LINE_HOST_NAMES_H

#include "cmd/mpiexec/job.h"

#include <stdbool.h>

/* Checks "name,name:slots,...". Sets *elsewhere if some name is not this host's. A name that resolves to no
 * host is an error. */
int host_names_check(const char *list, const char *option, bool *elsewhere);
/* The same for a file with one host a line: "name", "name:slots" or "name slots=N". */
int host_names_check_file(const char *path, bool *elsewhere);

/* Read the same lists as words "name:slots". The default for slots is 1. */
int host_names_read(const char *list, struct words *hosts);
int host_names_read_file(const char *path, struct words *hosts);

#endif
