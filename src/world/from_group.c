/* MPI_Comm_create_from_group: see session.h for how the members find each other. */
#include "base/fail.h"
#include "base/lock.h"
#include "world/make.h"
#include "world/session.h"

#include <stdlib.h>
#include <string.h>

/* Such a context has this bit; those that comm_next_context gives out begin with a process number. */
#define CONTEXT_OF_MEETING ((uint64_t)1 << 63)

/* How often this process has met with the same processes under the same tag. */
struct meeting {
    uint64_t place; /* hash of tag and members */
    uint64_t times;
    struct meeting *next;
};

static struct lock lock = LOCK_INIT; /* guards the list and what is in it */
static struct meeting *meetings;     /* for ever: the others count, too */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static uint64_t hash_place(const struct group *group, const char *stringtag)
{
    uint64_t hash = mix(0, (uint64_t)group->size);

    for (const char *c = stringtag; *c; c++)
        hash = mix(hash, (unsigned char)*c);
    for (int i = 0; i < group->size; i++)
        hash = mix(hash, (uint64_t)group->process[i]);
    return hash;
}

static int count_meeting(uint64_t place, uint64_t *times)
{
    struct meeting *m;

    lock_always_take(&lock);
    for (m = meetings; m && m->place != place; m = m->next)
        ;
    if (!m) {
        m = calloc(1, sizeof *m);
        if (m) {
            *m = (struct meeting){.place = place, .next = meetings};
            meetings = m;
        }
    }
    if (m)
        *times = ++m->times;
    lock_always_release(&lock);
    return m ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to meet the other members of a group");
}

/* The communicator of a meeting: context of its own, error handler of the new one. */
static int meet(struct group *group, const char *stringtag, struct errhandler *errhandler,
                struct comm **place)
{
    uint64_t hash = hash_place(group, stringtag), times = 0;
    struct comm *c;
    int error = count_meeting(hash, &times);

    if (!error)
        error = comm_new(0, group, &c);
    if (error)
        return error;
    error = comm_set_errhandler(c, errhandler);
    if (error) {
        make_discard(c);
        return error;
    }
    comm_open(c, CONTEXT_OF_MEETING | mix(hash, times) >> 1);
    *place = c;
    return MPI_SUCCESS;
}

static int check(const struct group *group, const char *stringtag)
{
    if (strlen(stringtag) >= MPI_MAX_STRINGTAG_LEN)
        return fail(MPI_ERR_ARG, "stringtag has %zu characters; MPI_MAX_STRINGTAG_LEN allows %d",
                    strlen(stringtag), MPI_MAX_STRINGTAG_LEN - 1);
    if (group->size && group->rank == MPI_UNDEFINED)
        return fail(MPI_ERR_GROUP, "this process is not in the group");
    return MPI_SUCCESS;
}

int comm_create_from_group(struct group *group, const char *stringtag, struct info *info,
                           struct errhandler *errhandler, struct comm **newcomm)
{
    struct members members = {.count = group->size, .me = group->rank};
    struct comm *c = NULL;
    int error = check(group, stringtag);

    if (!error && group->size == 0) {
        *newcomm = NULL;
        return MPI_SUCCESS;
    }
    if (!error)
        error = meet(group, stringtag, errhandler, &members.parent);
    if (error)
        return error;
    error = make_prepare(members.parent, group, info, "MPI_Comm_create_from_group", &c);
    error = make(&members, c, error, newcomm);
    make_discard(members.parent);
    return error;
}
