/* MPI_Comm_split_type (MPI-5.0 section 7.4.2). Every case ends in a split with the right color; a rank with
 * an invalid argument takes part as well, so that it is an error and not a hang. */
#include "base/fail.h"
#include "coll/coll.h"
#include "world/hardware.h"
#include "world/make.h"
#include "world/split.h"

#include <stdlib.h>

static const char call_name[] = "MPI_Comm_split_type";
static const char hardware_key[] = "mpi_hw_resource_type";
static const char pset_key[] = "mpi_pset_name";

/* Whether info has the key; its value, cut to size. */
static bool info_has(struct info *info, const char *key, char *value, size_t size)
{
    size_t needed;
    int found = 0;

    return info && info_get(info, key, value, size, &needed, &found) == MPI_SUCCESS && found;
}

/* The color of this rank's instance of the level; levels do not mix. */
static int64_t color_of(int level)
{
    int64_t place = level < 0 ? -1 : hardware_place(level);

    return place < 0 ? SPLIT_NOWHERE : place;
}

static int64_t guided_color(struct info *info)
{
    char name[MPI_MAX_INFO_VAL];

    if (!info_has(info, hardware_key, name, sizeof name))
        return SPLIT_NOWHERE;
    return color_of(hardware_find(name));
}

/* Process sets belong to sessions, and no communicator derives from one yet: their key gives nothing. */
static int64_t resource_color(struct info *info, int *error)
{
    char name[MPI_MAX_INFO_VAL];

    if (!info_has(info, pset_key, name, sizeof name))
        return guided_color(info);
    if (!info_has(info, hardware_key, name, sizeof name))
        return SPLIT_NOWHERE;
    *error = fail(MPI_ERR_INFO, "the info gives both %s and %s; MPI_COMM_TYPE_RESOURCE_GUIDED takes one",
                  hardware_key, pset_key);
    return split_refusal(MPI_ERR_INFO);
}

enum {
    ABSENT = -2 /* in place of a place: the rank passed MPI_UNDEFINED */
};

/* Whether the ranks that are not absent do not all have the same place, or lack of one, on this level. */
static bool level_divides(const int64_t *place, int size, int level)
{
    int64_t first = ABSENT;

    for (int i = 0; i < size; i++) {
        int64_t p = place[i * HARDWARE_LEVELS + level];

        if (first == ABSENT)
            first = p;
        else if (p != ABSENT && p != first)
            return true;
    }
    return false;
}

/* The coarsest level that divides comm, an intracommunicator, the same on all ranks; -1: none. */
static int choose_level(struct comm *comm, bool absent, int *level)
{
    int64_t mine[HARDWARE_LEVELS];
    int64_t *all = malloc((size_t)comm->size * sizeof mine);
    int error;

    if (!all)
        return fail(MPI_ERR_NO_MEM, "no memory to split a communicator of %d ranks", comm->size);
    for (int i = 0; i < HARDWARE_LEVELS; i++)
        mine[i] = absent ? ABSENT : hardware_place(i);
    error = coll_allgather_bytes(comm, mine, all, sizeof mine);
    for (int i = 0; !error && i < HARDWARE_LEVELS && *level < 0; i++)
        if (level_divides(all, comm->size, i))
            *level = i;
    free(all);
    return error;
}

static int split_unguided(struct comm *comm, bool absent, int key, struct info *info, struct comm **newcomm)
{
    int level = -1, error = choose_level(comm_whole(comm), absent, &level);

    if (!error)
        error = split(comm, absent ? SPLIT_NOWHERE : color_of(level), key, info, call_name, newcomm);
    if (!error && *newcomm && info)
        error = info_set(info, hardware_key, hardware_level[level]);
    return error;
}

static int split_guided(struct comm *comm, int split_type, int key, struct info *info, struct comm **newcomm)
{
    int64_t color = SPLIT_NOWHERE;
    int refused = MPI_SUCCESS, error;

    if (split_type == MPI_COMM_TYPE_SHARED)
        color = color_of(0);
    else if (split_type == MPI_COMM_TYPE_HW_GUIDED)
        color = guided_color(info);
    else if (split_type == MPI_COMM_TYPE_RESOURCE_GUIDED)
        color = resource_color(info, &refused);
    error = split(comm, color, key, info, call_name, newcomm);
    return refused ? refused : error;
}

/* A bit for each split type, so that ranks can compare: the last one for what is none. */
static uint64_t bit_of(int split_type)
{
    if (split_type == MPI_UNDEFINED)
        return 0;
    if (split_type < MPI_COMM_TYPE_SHARED || split_type > MPI_COMM_TYPE_RESOURCE_GUIDED)
        return (uint64_t)1 << (MPI_COMM_TYPE_RESOURCE_GUIDED - MPI_COMM_TYPE_SHARED + 1);
    return (uint64_t)1 << (split_type - MPI_COMM_TYPE_SHARED);
}

/* Invalid or different types are an error on every rank. */
static int check_types(int split_type, uint64_t all)
{
    if (bit_of(split_type) == bit_of(-1))
        return fail(MPI_ERR_ARG, "%d is no split type", split_type);
    if (all & bit_of(-1))
        return fail(MPI_ERR_ARG, "another rank gave an invalid split type");
    if (all & (all - 1))
        return fail(MPI_ERR_NOT_SAME, "ranks gave different split types; this one %d", split_type);
    return MPI_SUCCESS;
}

int comm_split_type(struct comm *comm, int split_type, int key, struct info *info, struct comm **newcomm)
{
    uint64_t all = bit_of(split_type);
    int error;

    error = coll_agree(comm_whole(comm), NULL, &all);
    if (!error)
        error = check_types(split_type, all);
    if (error)
        return error;
    if (all == bit_of(MPI_COMM_TYPE_HW_UNGUIDED))
        return split_unguided(comm, split_type == MPI_UNDEFINED, key, info, newcomm);
    return split_guided(comm, split_type, key, info, newcomm);
}
