/* privilege: a program with more rights than the user who started it (setuid, setgid, capabilities of its file). That
 * user must not lead it by the environment, or through the sockets and the shared memory of a job. Such a program has
 * Inkling's defaults, is a singleton of one host, and loads no further libraries, since those of networks and devices
 * believe the environment, too. It can be no rank of a job.
 *
 * The variables are removed before main.
 */
#ifndef PLAIN_PRIVILEGE_H
#define PLAIN_PRIVILEGE_H

#include <stdbool.h>

bool privilege_is_raised(void);
/* An error in such a program that was started as a rank. */
int privilege_check_job(void);
/* An error in such a program: it loads no library of this name. */
int privilege_check_library(const char *name);

#endif
