#include "coll/algo/host_groups.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"

#include <stdlib.h>

static const struct host_groups one_host = {.count = 1};

uint64_t host_groups_key(int process)
{
    int64_t near = hint_process.value[HINT_HOST_RANKS];

    return near ? (uint64_t)(process / near) : host_key(process);
}

static bool is_new(const struct comm *c, int rank)
{
    return rank == 0 || host_groups_key(c->process[rank]) != host_groups_key(c->process[rank - 1]);
}

/* Whether the rank that begins a host is the first of all ranks of it. */
static bool comes_back(const struct comm *c, const struct host_groups *hosts, int rank)
{
    for (int h = 0; h < hosts->count; h++)
        if (host_groups_key(c->process[hosts->first[h]]) == host_groups_key(c->process[rank]))
            return true;
    return false;
}

static struct host_groups *look(const struct comm *c)
{
    int most = 0;
    struct host_groups *hosts;

    for (int r = 0; r < c->size; r++)
        most += is_new(c, r);
    hosts = calloc(1, sizeof *hosts + ((size_t)most + 1) * sizeof hosts->first[0]);
    if (!hosts)
        return NULL;
    for (int r = 0; r < c->size; r++) {
        if (!is_new(c, r))
            continue;
        if (comes_back(c, hosts, r)) {
            hosts->count = 1;
            return hosts;
        }
        hosts->first[hosts->count++] = r;
    }
    hosts->first[hosts->count] = c->size;
    if (hosts->count == c->size)
        hosts->count = 1;
    else
        hosts->mine = host_groups_find(hosts, c->rank);
    return hosts;
}

const struct host_groups *host_groups_of(struct comm *comm)
{
    if (!comm->hosts)
        comm->hosts = look(comm);
    return comm->hosts ? comm->hosts : &one_host;
}

bool host_groups_are_several(struct comm *comm)
{
    if (comm->group->has_guests || (boot.all_local && !hint_process.value[HINT_HOST_RANKS]))
        return false;
    return host_groups_of(comm)->count > 1;
}

int host_groups_find(const struct host_groups *hosts, int rank)
{
    int low = 0, high = hosts->count;

    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (hosts->first[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct schedule_team host_groups_local(const struct host_groups *hosts, int rank)
{
    int first = hosts->first[hosts->mine];

    return (struct schedule_team){
        .first = first, .size = hosts->first[hosts->mine + 1] - first, .me = rank - first};
}

struct schedule_team host_groups_leaders(struct schedule *s, const struct host_groups *hosts, int root)
{
    struct coll_block memory = schedule_scratch(s, hosts->count, datatype_predefined(MPI_INT));
    int *member = memory.at, root_host = root < 0 ? -1 : host_groups_find(hosts, root);
    struct schedule_team team = {.member = member, .size = hosts->count, .me = -1};

    if (!member) /* noted: the steps go to the first ranks, which is enough for telling */
        team.member = hosts->first;
    for (int h = 0; member && h < hosts->count; h++)
        member[h] = h == root_host ? root : hosts->first[h];
    if (team.member[hosts->mine] == s->comm->rank)
        team.me = hosts->mine;
    return team;
}
