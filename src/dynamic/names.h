/* names: MPI_Publish_name, MPI_Unpublish_name and MPI_Lookup_name (MPI-5.0 section 11.9.4), on
 * plain/name_directory.h.
 *
 * The info key inkling_name_scope says who sees a name, and must be the same for one name in all three calls:
 * "user" (default), every process of the user; "job", those of this MPI_COMM_WORLD only.
 */
#ifndef DYNAMIC_NAMES_H
#define DYNAMIC_NAMES_H

#include "info/info.h"

int names_publish(const char *service, struct info *info, const char *port);
int names_unpublish(const char *service, struct info *info, const char *port);
/* port holds MPI_MAX_PORT_NAME characters. */
int names_lookup(const char *service, struct info *info, char *port);

#endif
