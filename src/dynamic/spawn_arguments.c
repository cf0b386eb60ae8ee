#include "dynamic/spawn_arguments.h"

#include "base/fail.h"
#include "boot/spawn_order.h"
#include "dynamic/spawn.h"

#include <stdlib.h>

/* Checks one command of the root; `number`: its index among several. */
static int take_command(const char *command, char **argv, int maxprocs, MPI_Info info, int number,
                        struct spawn_command *taken)
{
    *taken = (struct spawn_command){.command = command, .argv = argv, .maxprocs = maxprocs};
    if (!command || !*command)
        return fail(MPI_ERR_ARG, "command %d is %s; it names the program to start", number,
                    command ? "empty" : "NULL");
    if (maxprocs < 1)
        return fail(MPI_ERR_ARG, "maxprocs %d, of command %d, is below 1", maxprocs, number);
    if (info == MPI_INFO_NULL)
        return MPI_SUCCESS;
    taken->info = info_find(info);
    return taken->info ? MPI_SUCCESS
                       : fail(MPI_ERR_INFO, "the info of command %d is none, or has been freed", number);
}

int spawn_take_command(const char *command, char *argv[], int maxprocs, MPI_Info info, int root,
                       struct comm *comm, struct comm **newcomm, int codes[])
{
    struct spawn_command taken = {0};
    int error = MPI_SUCCESS;

    if (comm->rank == root)
        error = take_command(command, argv, maxprocs, info, 0, &taken);
    return spawn_comm(&taken, 1, root, comm, error, "MPI_Comm_spawn", newcomm, codes);
}

static int spawn_arguments_check_arrays(int count, char *commands[], const int maxprocs[],
                                        const MPI_Info infos[])
{
    if (count < 1 || count > SPAWN_PARTS_MAX)
        return fail(MPI_ERR_ARG, "count %d of commands is not from 1 to %d", count, SPAWN_PARTS_MAX);
    if (!commands || !maxprocs || !infos)
        return fail(MPI_ERR_ARG, "%s is NULL",
                    !commands   ? "array_of_commands"
                    : !maxprocs ? "array_of_maxprocs"
                                : "array_of_info");
    return MPI_SUCCESS;
}

static int take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                         const MPI_Info infos[], struct spawn_command **taken)
{
    int error = spawn_arguments_check_arrays(count, commands, maxprocs, infos);

    if (error)
        return error;
    *taken = malloc((size_t)count * sizeof **taken);
    if (!*taken)
        return fail(MPI_ERR_NO_MEM, "no memory for %d commands", count);
    for (int i = 0; i < count && !error; i++)
        error = take_command(commands[i], argvs ? argvs[i] : NULL, maxprocs[i], infos[i], i, &(*taken)[i]);
    return error;
}

int spawn_take_commands(int count, char *commands[], char **argvs[], const int maxprocs[],
                        const MPI_Info infos[], int root, struct comm *comm, struct comm **newcomm,
                        int codes[])
{
    struct spawn_command *taken = NULL;
    int error = MPI_SUCCESS;

    if (comm->rank == root)
        error = take_commands(count, commands, argvs, maxprocs, infos, &taken);
    error = spawn_comm(taken, count, root, comm, error, "MPI_Comm_spawn_multiple", newcomm, codes);
    free(taken);
    return error;
}
