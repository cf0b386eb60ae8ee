/* name_directory: the name service (MPI-5.0 section 11.9.4): maps the name of a service to the name of a
 * port. A name is unique in its scope. A scope is a text: "" for all processes of the user, or the name of
 * one job.
 *
 * Each published name is a file in a directory that is the user's alone (name_directory.c). So all processes of the user
 * on this host see the names, and those of other hosts that share inkling_name_directory.
 * There is no server. The publisher holds a lock on the file as long as it lives. So a name whose process has
 * ended, in whatever way, is known to be stale: it is not found any more, and whoever comes across it removes
 * it. The directory is removed with its last name.
 *
 * A file holds "scope\0service\0port\0". Its name is a hash of scope and service, which may contain anything.
 * It appears by rename(2), complete and locked. Processes lock the directory to add or remove files; lookups
 * take no lock.
 *
 * Thread-safe.
 */
#ifndef PLAIN_NAME_DIRECTORY_H
#define PLAIN_NAME_DIRECTORY_H

#include <stdbool.h>
#include <stddef.h>

enum {
    NAME_DIRECTORY_SCOPE_SIZE = 256, /* all with the closing NUL */
    NAME_DIRECTORY_SERVICE_SIZE = 4096,
    NAME_DIRECTORY_PORT_SIZE = 4096
};

/* MPI_ERR_SERVICE: a living process has published that name. */
int name_directory_publish(const char *scope, const char *service, const char *port);
/* MPI_ERR_NAME: there is no such name. */
int name_directory_lookup(const char *scope, const char *service, char *port, size_t size);
/* Any process of the user may do so if it knows the port; else MPI_ERR_SERVICE. */
int name_directory_unpublish(const char *scope, const char *service, const char *port);
/* Unpublishes what this process has published. */
void name_directory_close(void);
/* Removes all names whose processes have ended. */
void name_directory_sweep(void);

/* The directories in which published names may be. The one that the user gave is the only one.
 * Without it they are, in this order:
 *
 *     /tmp/inkling-UID
 *     /run/user/UID/inkling     in what most systems give as XDG_RUNTIME_DIR, which ends with the last login
 *     /tmp/inkling-UID-XXXXXX   each that there is
 *
 * Nothing of this depends on the environment, since who looks for a name may have another than its publisher.
 * Other users can make directories of these names in /tmp, so one that is not the user's alone is passed over.
 */

/* What the user gave; NULL: nothing. Written at start, before another thread uses names. */
extern const char *name_place_given;

#endif
