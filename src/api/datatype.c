#include "api/datatype.h"

#include "api/handle.h"
#include "base/fail.h"

static int refuse_large(const struct datatype *type)
{
    return fail(MPI_ERR_TYPE, "datatype \"%s\" was built with large counts; call the _c form", type->name);
}

int api_type_get_envelope(struct datatype *type, int *integers, int *addresses, int *datatypes, int *combiner)
{
    struct envelope e;

    datatype_envelope(type, &e);
    if (e.large_counts)
        return refuse_large(type);
    *integers = (int)e.integers;
    *addresses = (int)e.addresses;
    *datatypes = (int)e.datatypes;
    *combiner = e.combiner;
    return MPI_SUCCESS;
}

int api_type_get_envelope_c(struct datatype *type, MPI_Count *integers, MPI_Count *addresses,
                            MPI_Count *large_counts, MPI_Count *datatypes, int *combiner)
{
    struct envelope e;

    datatype_envelope(type, &e);
    *integers = e.integers;
    *addresses = e.addresses;
    *large_counts = e.large_counts;
    *datatypes = e.datatypes;
    *combiner = e.combiner;
    return MPI_SUCCESS;
}

static int check_room(const struct datatype *type, const struct envelope *e, const struct envelope *room)
{
    if (e->combiner == MPI_COMBINER_NAMED)
        return fail(MPI_ERR_TYPE, "%s is predefined and has no contents", type->name);
    if (room->integers < e->integers || room->addresses < e->addresses ||
        room->large_counts < e->large_counts || room->datatypes < e->datatypes)
        return fail(
            MPI_ERR_ARG,
            "an array is shorter than MPI_Type_get_envelope says: %lld integers, %lld addresses, %lld "
            "large counts, %lld datatypes",
            (long long)e->integers, (long long)e->addresses, (long long)e->large_counts,
            (long long)e->datatypes);
    return MPI_SUCCESS;
}

/* Both forms; only MPI_Type_contiguous and MPI_Type_dup exist. */
static int get_contents(struct datatype *type, const struct envelope *room, int integers[],
                        MPI_Count large_counts[], MPI_Datatype datatypes[])
{
    struct datatype *of;
    struct envelope e;
    int error;

    datatype_envelope(type, &e);
    error = check_room(type, &e, room);
    if (!error)
        error = datatype_again(type->of, &of);
    if (error)
        return error;
    if (e.integers)
        integers[0] = (int)type->count;
    if (e.large_counts)
        large_counts[0] = type->count;
    datatypes[0] = handle_of(of, MPI_DATATYPE_NULL);
    return MPI_SUCCESS;
}

int api_type_get_contents(struct datatype *type, int max_integers, int max_addresses, int max_datatypes,
                          int integers[], MPI_Aint addresses[], MPI_Datatype datatypes[])
{
    struct envelope room = {max_integers, max_addresses, 0, max_datatypes, 0};

    (void)addresses;
    if (type->large)
        return refuse_large(type);
    return get_contents(type, &room, integers, NULL, datatypes);
}

int api_type_get_contents_c(struct datatype *type, MPI_Count max_integers, MPI_Count max_addresses,
                            MPI_Count max_large_counts, MPI_Count max_datatypes, int integers[],
                            MPI_Aint addresses[], MPI_Count large_counts[], MPI_Datatype datatypes[])
{
    struct envelope room = {max_integers, max_addresses, max_large_counts, max_datatypes, 0};

    (void)addresses;
    return get_contents(type, &room, integers, large_counts, datatypes);
}
