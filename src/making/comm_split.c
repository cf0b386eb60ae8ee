/* MPI_Comm_split and MPI_Comm_split_type (MPI-5.0 section 7.4.2). In the latter the ranks first exchange what they asked for, so that
 * arguments that are invalid or do not fit together are an error on all of them and not a hang. Then every
 * case ends in a split with the right color. */
#include "coll/coll.h"
#include "making/make.h"
#include "plain/fail.h"

int comm_split(struct comm *comm, int color, int key, struct comm **newcomm)
{
    struct comm *c;
    int error;

    if (color == MPI_UNDEFINED)
        return split(comm, SPLIT_NOWHERE, key, NULL, NULL, newcomm);
    if (color >= 0)
        return split(comm, color, key, NULL, "MPI_Comm_split", newcomm);
    error = split(comm, split_refusal(MPI_ERR_ARG), key, NULL, NULL, &c);
    return error == MPI_ERR_ARG
               ? fail(MPI_ERR_ARG, "color %d is neither 0, positive nor MPI_UNDEFINED", color)
               : error;
}

static const char call_name[] = "MPI_Comm_split_type";
static const char hw_resource_key[] = "mpi_hw_resource_type";
static const char pset_key[] = "mpi_pset_name";

/* Whether info has the key; its value, cut to size. */
static bool info_has(struct info *info, const char *key, char *value, size_t size)
{
    size_t needed;
    int found = 0;

    return info && info_get(info, key, value, size, &needed, &found) == MPI_SUCCESS && found;
}

/* The color of this rank's instance of the level, which all ranks have requested. */
static int64_t color_of(int level)
{
    int64_t place = level < 0 ? -1 : hw_resource_place(level);

    return place < 0 ? SPLIT_NOWHERE : place;
}

static int64_t hw_resource_color(struct info *info)
{
    char name[MPI_MAX_INFO_VAL];

    if (!info_has(info, hw_resource_key, name, sizeof name))
        return SPLIT_NOWHERE;
    return color_of(hw_resource_find(name));
}

/* The World Model has no process sets: there the key has no effect. */
static int64_t resource_color(const struct comm *comm, struct info *info)
{
    char name[MPI_MAX_INFO_VAL];
    int64_t set;

    if (!info_has(info, pset_key, name, sizeof name))
        return hw_resource_color(info);
    set = comm->session ? session_pset_identity(name) : -1;
    return set < 0 ? SPLIT_NOWHERE : set;
}

/* The coarsest level that divides comm, an intracommunicator, the same on all ranks; -1: none. A level does if the
 * ranks that are not absent differ in their instance of it, or in having one. */
static int choose_level(struct comm *comm, bool absent, int *level)
{
    int64_t most[2][HW_RESOURCE_LEVELS]; /* of the instances, and of their complements */
    int error;

    for (int i = 0; i < HW_RESOURCE_LEVELS; i++) {
        most[0][i] = absent ? INT64_MIN : hw_resource_place(i);
        most[1][i] = absent ? INT64_MIN : ~most[0][i];
    }
    error = coll_allreduce(MPI_IN_PLACE, most, 2 * HW_RESOURCE_LEVELS, datatype_predefined(MPI_INT64_T),
                           &op_predefined[OP_MAX], comm, FORM_BLOCKING, NULL, NULL);
    for (int i = 0; !error && i < HW_RESOURCE_LEVELS && *level < 0; i++)
        if (most[0][i] != INT64_MIN && most[0][i] != ~most[1][i])
            *level = i;
    return error;
}

static int split_unguided(struct comm *comm, struct ballot *ballot, bool absent, int key, struct info *info,
                          struct comm **newcomm)
{
    int level = -1, error = choose_level(comm_whole(comm), absent, &level);

    if (error)
        split_release(ballot);
    else
        error = split_into(ballot, absent ? SPLIT_NOWHERE : color_of(level), key, info, call_name, newcomm);
    if (!error && *newcomm && info)
        error = info_set(info, hw_resource_key, hw_resource_level[level]);
    return error;
}

/* The ranks of a host, unless the job is told to do without its shared memory: then each is alone. */
static int64_t shared_color(void)
{
    return net_host() ? color_of(0) : group_me;
}

static int64_t guided_color(const struct comm *comm, int split_type, struct info *info)
{
    switch (split_type) {
    case MPI_COMM_TYPE_SHARED:
        return shared_color();
    case MPI_COMM_TYPE_HW_GUIDED:
        return hw_resource_color(info);
    case MPI_COMM_TYPE_RESOURCE_GUIDED:
        return resource_color(comm, info);
    default:
        return SPLIT_NOWHERE;
    }
}

/* What a rank requested, as bits: its split type, counted from MPI_COMM_TYPE_SHARED, and its level; and what keeps it
 * from that. */
enum {
    BIT_NO_TYPE = MPI_COMM_TYPE_RESOURCE_GUIDED - MPI_COMM_TYPE_SHARED + 1,
    BIT_LEVEL = 8,
    BIT_NO_LEVEL = BIT_LEVEL + HW_RESOURCE_LEVELS,
    BIT_TWO_KEYS,
    BIT_NO_MEMORY,
    BITS_TYPE = (1 << BIT_LEVEL) - 1,
    BITS_LEVEL = (1 << BIT_TWO_KEYS) - 1 - BITS_TYPE
};

static uint64_t type_bit(int split_type)
{
    if (split_type == MPI_UNDEFINED)
        return 0;
    if (split_type < MPI_COMM_TYPE_SHARED || split_type > MPI_COMM_TYPE_RESOURCE_GUIDED)
        return (uint64_t)1 << BIT_NO_TYPE;
    return (uint64_t)1 << (split_type - MPI_COMM_TYPE_SHARED);
}

static uint64_t key_bit(int split_type, struct info *info)
{
    char name[MPI_MAX_INFO_VAL], set[MPI_MAX_INFO_VAL];
    bool may_name_set = split_type == MPI_COMM_TYPE_RESOURCE_GUIDED;
    int level;

    if ((!may_name_set && split_type != MPI_COMM_TYPE_HW_GUIDED) ||
        !info_has(info, hw_resource_key, name, sizeof name))
        return 0;
    if (may_name_set && info_has(info, pset_key, set, sizeof set))
        return (uint64_t)1 << BIT_TWO_KEYS;
    level = hw_resource_find(name);
    return (uint64_t)1 << (level < 0 ? BIT_NO_LEVEL : BIT_LEVEL + level);
}

/* Checks what a rank must not request; `mine`: this rank's bits, `all`: those of all ranks. */
static int check_valid(int split_type, uint64_t mine, uint64_t all)
{
    if (mine >> BIT_NO_TYPE & 1)
        return fail(MPI_ERR_ARG, "%d is no split type", split_type);
    if (all >> BIT_NO_TYPE & 1)
        return fail(MPI_ERR_ARG, "another rank gave an invalid split type");
    if (all >> BIT_NO_MEMORY & 1)
        return fail(MPI_ERR_NO_MEM, "another rank has no memory to split the communicator");
    if (all >> BIT_TWO_KEYS & 1)
        return fail(MPI_ERR_INFO, "%s info gives both %s and %s; MPI_COMM_TYPE_RESOURCE_GUIDED takes one",
                    mine >> BIT_TWO_KEYS & 1 ? "the" : "another rank's", hw_resource_key, pset_key);
    return MPI_SUCCESS;
}

static bool has_several(uint64_t bits)
{
    return (bits & (bits - 1)) != 0;
}

static int check_same(int split_type, uint64_t all)
{
    if (has_several(all & BITS_TYPE))
        return fail(MPI_ERR_NOT_SAME, "ranks gave different split types; this one %d", split_type);
    if (has_several(all & BITS_LEVEL))
        return fail(MPI_ERR_NOT_SAME,
                    "ranks gave different values for %s; all that split by it name the same",
                    hw_resource_key);
    return MPI_SUCCESS;
}

int comm_split_type(struct comm *comm, int split_type, int key, struct info *info, struct comm **newcomm)
{
    struct ballot *ballot = NULL;
    int error = split_reserve(comm, &ballot), failed;
    uint64_t mine = type_bit(split_type) | key_bit(split_type, info);
    uint64_t all = mine | (uint64_t)(error != MPI_SUCCESS) << BIT_NO_MEMORY;

    failed = coll_agree(comm_whole(comm), NULL, &all);
    if (!error)
        error = failed;
    if (!error)
        error = check_valid(split_type, mine, all);
    if (!error)
        error = check_same(split_type, all);
    if (error) {
        split_release(ballot);
        return error;
    }
    if ((all & BITS_TYPE) == type_bit(MPI_COMM_TYPE_HW_UNGUIDED))
        return split_unguided(comm, ballot, split_type == MPI_UNDEFINED, key, info, newcomm);
    return split_into(ballot, guided_color(comm, split_type, info), key, info, call_name, newcomm);
}
