/* name_directory: the name service (MPI-5.0 section 11.9.4): a service's name leads to a port's name. A name is unique
 * in its scope, which is a text: "" for all processes of the user, or the name of one job.
 *
 * Each published name is a file of a directory that belongs to the user: inkling_name_directory, or
 * /tmp/inkling-UID. So names are seen by all processes of the user on this host, whoever started them, and on
 * several hosts where the directory is shared between them. Nobody serves: the publisher holds a lock on the
 * file as long as it lives, so a name whose process has ended, however it ended, is known to be stale, is not
 * found any more, and is taken away by whoever meets it. The directory goes with its last name.
 *
 * A file holds "scope\0service\0port\0". Its name is a hash of scope and service, which may contain anything.
 * It appears by rename(2), complete and locked. Who adds or removes files holds a lock on the directory; who
 * only looks takes none.
 *
 * Thread-safe.
 */
#ifndef DYNAMIC_NAME_DIRECTORY_H
#define DYNAMIC_NAME_DIRECTORY_H

#include <stddef.h>

enum {
    NAME_DIRECTORY_SCOPE_SIZE = 256, /* all with the closing NUL */
    NAME_DIRECTORY_SERVICE_SIZE = 4096,
    NAME_DIRECTORY_PORT_SIZE = 4096
};

/* MPI_ERR_SERVICE when a living process has published that name. */
int name_directory_publish(const char *scope, const char *service, const char *port);
/* MPI_ERR_NAME when there is no such name. */
int name_directory_lookup(const char *scope, const char *service, char *port, size_t size);
/* Any process of the user may, if it knows the port; else MPI_ERR_SERVICE. */
int name_directory_unpublish(const char *scope, const char *service, const char *port);
/* Takes back what this process has published. */
void name_directory_close(void);
/* Takes away all names whose processes have ended. */
void name_directory_sweep(void);

#endif
