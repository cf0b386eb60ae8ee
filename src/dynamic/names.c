#include "dynamic/dynamic.h"

#include "boot/boot.h"
#include "plain/fail.h"
#include "plain/name_directory.h"

#include <mpi.h>
#include <string.h>

static int find_scope(struct info *info, const char **scope)
{
    char value[MPI_MAX_INFO_VAL + 1] = "user";
    size_t needed;
    int found = 0, error = MPI_SUCCESS;

    *scope = "";
    if (info)
        error = info_get(info, "inkling_name_scope", value, sizeof value, &needed, &found);
    if (error || strcmp(value, "user") == 0)
        return error;
    if (strcmp(value, "job") != 0)
        return fail(MPI_ERR_INFO_VALUE,
                    "the scope of a name, inkling_name_scope, is user or job, not '%.64s'", value);
    *scope = boot.job;
    return MPI_SUCCESS;
}

int names_publish(const char *service, struct info *info, const char *port)
{
    const char *scope;
    int error = find_scope(info, &scope);

    return error ? error : name_directory_publish(scope, service, port);
}

int names_unpublish(const char *service, struct info *info, const char *port)
{
    const char *scope;
    int error = find_scope(info, &scope);

    return error ? error : name_directory_unpublish(scope, service, port);
}

int names_lookup(const char *service, struct info *info, char *port)
{
    const char *scope;
    int error = find_scope(info, &scope);

    return error ? error : name_directory_lookup(scope, service, port, MPI_MAX_PORT_NAME);
}
