/* Procedures whose arguments depend on one another. */
#include "foreign/foreign.h"

#include "entry.h"

#include <stdio.h>
#include <stdlib.h>

/* The constants among the integers that describe a datatype: the order of a subarray or a distributed array, and its distributions. */
static void integers_out(MPI_Datatype type, int *integer, int64_t room)
{
    int64_t dims;
    int count[4], combiner = 0, n;

    if (real.Type_get_envelope(type, &count[0], &count[1], &count[2], &combiner) != MPI_SUCCESS || !integer)
        return;
    if (combiner == MPI_COMBINER_SUBARRAY && room > 0 && room > 3 * (int64_t)integer[0] + 1) {
        n = 3 * integer[0] + 1;
        integer[n] = order_constant_out(integer[n]);
    }
    if (combiner != MPI_COMBINER_DARRAY || room < 3 || room <= 4 * (int64_t)integer[2] + 3)
        return;
    dims = integer[2];
    for (int64_t i = 0; i < dims; i++) {
        integer[3 + dims + i] = distribution_constant_out(integer[3 + dims + i]);
        integer[3 + 2 * dims + i] = darg_constant_out(integer[3 + 2 * dims + i]);
    }
    integer[3 + 4 * dims] = order_constant_out(integer[3 + 4 * dims]);
}

static MPI_Datatype *types_room(struct scratch *scratch, const F_Datatype *type, int64_t count)
{
    MPI_Datatype *room;

    scratch->block = NULL;
    if (!type)
        return NULL;
    room = scratch_take(scratch, count > 0 ? (size_t)count * sizeof *room : 0);
    for (int64_t i = 0; i < count; i++)
        room[i] = NULL;
    return room;
}

int foreign_Type_get_contents(F_Datatype datatype, int max_integers, int max_addresses, int max_datatypes,
                              int array_of_integers[], MPI_Aint array_of_addresses[],
                              F_Datatype array_of_datatypes[])
{
    MPI_Datatype type = datatype_in(datatype), *room;
    struct scratch scratch;
    int error;

    room = types_room(&scratch, array_of_datatypes, max_datatypes);
    error = real.Type_get_contents(type, max_integers, max_addresses, max_datatypes, array_of_integers,
                                   array_of_addresses, room);
    if (!error) {
        integers_out(type, array_of_integers, max_integers);
        if (room)
            types_out(room, array_of_datatypes, max_datatypes);
    }
    scratch_free(&scratch);
    return call_ended(error);
}

/* Sizes and starts of the large form are large counts; its integers: those that are int in both forms. */
int foreign_Type_get_contents_c(F_Datatype datatype, MPI_Count max_integers, MPI_Count max_addresses,
                                MPI_Count max_large_counts, MPI_Count max_datatypes, int array_of_integers[],
                                MPI_Aint array_of_addresses[], MPI_Count array_of_large_counts[],
                                F_Datatype array_of_datatypes[])
{
    MPI_Datatype type = datatype_in(datatype), *room;
    struct scratch scratch;
    int error;

    room = types_room(&scratch, array_of_datatypes, max_datatypes);
    error = real.Type_get_contents_c(type, max_integers, max_addresses, max_large_counts, max_datatypes,
                                     array_of_integers, array_of_addresses, array_of_large_counts, room);
    if (!error && max_large_counts == 0)
        integers_out(type, array_of_integers, max_integers);
    if (!error && room)
        types_out(room, array_of_datatypes, max_datatypes);
    scratch_free(&scratch);
    return call_ended(error);
}

int foreign_Get_library_version(char *version, int *resultlen)
{
    char text[2 * MPI_MAX_LIBRARY_VERSION_STRING], name[MPI_MAX_LIBRARY_VERSION_STRING];
    int length, error = real.Get_library_version(name, &length);

    snprintf(text, sizeof text, "%s, with the ABI of " FOREIGN_NAME " (" FOREIGN_VERSIONS ")", name);
    text_out(text, version, FOREIGN_MAX_LIBRARY_VERSION_STRING, resultlen, error);
    return call_ended(error);
}

static bool is_root(int root, MPI_Comm comm)
{
    int rank = -1;

    return real.Comm_rank(comm, &rank) == MPI_SUCCESS && rank == root;
}

int foreign_Comm_spawn(const char *command, char *argv[], int maxprocs, F_Info info, int root, F_Comm comm,
                       F_Comm *intercomm, int array_of_errcodes[])
{
    MPI_Comm made = NULL, of = comm_in(comm);
    int error = real.Comm_spawn(command, argv, maxprocs, info_in(info), rank_in(root), of,
                                intercomm ? &made : NULL, array_of_errcodes);

    if (made)
        *intercomm = comm_out(made);
    if (array_of_errcodes && is_root(root, of))
        array_out(array_of_errcodes, maxprocs, error_out, 0);
    return call_ended(error);
}

int foreign_Comm_spawn_multiple(int count, char *array_of_commands[], char **array_of_argv[],
                                const int array_of_maxprocs[], const F_Info array_of_info[], int root,
                                F_Comm comm, F_Comm *intercomm, int array_of_errcodes[])
{
    MPI_Comm made = NULL, of = comm_in(comm);
    bool root_is_here = is_root(root, of);
    MPI_Info *info = NULL;
    struct scratch scratch = {.block = NULL};
    int error;

    if (root_is_here && array_of_info && count > 0) {
        info = scratch_take(&scratch, (size_t)count * sizeof *info);
        for (int i = 0; i < count; i++)
            info[i] = info_in(array_of_info[i]);
    }
    error = real.Comm_spawn_multiple(count, array_of_commands, array_of_argv, array_of_maxprocs, info,
                                     rank_in(root), of, intercomm ? &made : NULL, array_of_errcodes);
    if (made)
        *intercomm = comm_out(made);
    if (array_of_errcodes && root_is_here)
        array_out(array_of_errcodes, sum_of(array_of_maxprocs, count), error_out, 0);
    scratch_free(&scratch);
    return call_ended(error);
}

int foreign_Pcontrol(const int level, ...)
{
    return error_out(real.Pcontrol(level));
}
