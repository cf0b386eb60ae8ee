#include "coll/hosts.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"

#include <stdlib.h>

static const struct hosts one_host = {.count = 1};

uint64_t hosts_key(int process)
{
    int64_t near = hint_process.value[HINT_HOST_RANKS];

    return near ? (uint64_t)(process / near) : host_key(process);
}

static bool is_new(const struct comm *c, int rank)
{
    return rank == 0 || hosts_key(c->process[rank]) != hosts_key(c->process[rank - 1]);
}

/* Whether the rank that begins a host is the first of all ranks of it. */
static bool comes_back(const struct comm *c, const struct hosts *hosts, int rank)
{
    for (int h = 0; h < hosts->count; h++)
        if (hosts_key(c->process[hosts->first[h]]) == hosts_key(c->process[rank]))
            return true;
    return false;
}

static struct hosts *look(const struct comm *c)
{
    int most = 0;
    struct hosts *hosts;

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
        hosts->mine = hosts_find(hosts, c->rank);
    return hosts;
}

const struct hosts *hosts_of(struct comm *comm)
{
    if (!comm->hosts)
        comm->hosts = look(comm);
    return comm->hosts ? comm->hosts : &one_host;
}

bool hosts_are_several(struct comm *comm)
{
    if (comm->group->has_guests || (boot.all_local && !hint_process.value[HINT_HOST_RANKS]))
        return false;
    return hosts_of(comm)->count > 1;
}

int hosts_find(const struct hosts *hosts, int rank)
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

struct team hosts_local(const struct hosts *hosts, int rank)
{
    int first = hosts->first[hosts->mine];

    return (struct team){.first = first, .size = hosts->first[hosts->mine + 1] - first, .me = rank - first};
}

struct team hosts_leaders(struct schedule *s, const struct hosts *hosts, int root)
{
    struct block memory = schedule_scratch(s, hosts->count, datatype_predefined(MPI_INT));
    int *member = memory.at, root_host = root < 0 ? -1 : hosts_find(hosts, root);
    struct team team = {.member = member, .size = hosts->count, .me = -1};

    if (!member) /* noted: the steps go to the first ranks, which is enough for telling */
        team.member = hosts->first;
    for (int h = 0; member && h < hosts->count; h++)
        member[h] = h == root_host ? root : hosts->first[h];
    if (team.member[hosts->mine] == s->comm->rank)
        team.me = hosts->mine;
    return team;
}
