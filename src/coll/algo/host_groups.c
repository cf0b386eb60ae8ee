#include "coll/algo/host_groups.h"

#include "boot/boot.h"
#include "boot/host.h"
#include "hint/hint.h"
#include "plain/log.h"

#include <stdlib.h>

static const struct host_groups one_host = {.count = 1};

uint64_t host_groups_key(int process)
{
    int64_t near = hint_process.value[HINT_HOST_RANKS];

    return near ? (uint64_t)(process / near) : host_key(process);
}

/* Ranks of a host, one behind the other. */
struct host_stretch {
    uint64_t key;
    int first, end, leader; /* leader: the first rank of the host */
};

static bool is_new(const struct comm *c, int rank)
{
    return rank == 0 || host_groups_key(c->process[rank]) != host_groups_key(c->process[rank - 1]);
}

static int compare_stretch_keys(const void *a, const void *b)
{
    const struct host_stretch *left = a, *right = b;

    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

static int compare_stretch_leaders(const void *a, const void *b)
{
    const struct host_stretch *left = a, *right = b;

    if (left->leader != right->leader)
        return left->leader < right->leader ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

/* In the order by hosts; to be freed. Returns how many hosts there are; 0: no memory. */
static int find_stretches(const struct comm *c, struct host_stretch **all, int *count)
{
    int stretches = 0, hosts = 0;
    struct host_stretch *s;

    for (int r = 0; r < c->size; r++)
        stretches += is_new(c, r);
    s = malloc((size_t)stretches * sizeof *s);
    if (!s)
        return 0;
    stretches = 0;
    for (int r = 0; r < c->size; r++) {
        if (is_new(c, r))
            s[stretches++] = (struct host_stretch){host_groups_key(c->process[r]), r, r, r};
        s[stretches - 1].end = r + 1;
    }
    qsort(s, (size_t)stretches, sizeof *s, compare_stretch_keys);
    for (int i = 0; i < stretches; i++) {
        bool is_same = i && s[i].key == s[i - 1].key;

        s[i].leader = is_same ? s[i - 1].leader : s[i].first;
        hosts += !is_same;
    }
    qsort(s, (size_t)stretches, sizeof *s, compare_stretch_leaders);
    *all = s;
    *count = stretches;
    return hosts;
}

static void fill(struct host_groups *hosts, const struct host_stretch *s, int stretches, int *member)
{
    int at = 0, count = 0;

    for (int i = 0; i < stretches; i++) {
        if (i == 0 || s[i].leader != s[i - 1].leader)
            hosts->first[count++] = at;
        for (int r = s[i].first; member && r < s[i].end; r++)
            member[at + r - s[i].first] = r;
        at += s[i].end - s[i].first;
    }
    hosts->first[count] = at;
    hosts->count = count;
    hosts->member = member;
}

static struct host_groups *look(const struct comm *c)
{
    struct host_stretch *all;
    struct host_groups *hosts;
    int stretches, count = find_stretches(c, &all, &stretches), members;

    if (!count)
        return NULL;
    members = stretches > count ? c->size : 0;
    hosts = calloc(1, sizeof *hosts + ((size_t)count + 1 + (size_t)members) * sizeof hosts->first[0]);
    if (hosts && count < c->size) {
        fill(hosts, all, stretches, members ? hosts->first + count + 1 : NULL);
        hosts->mine = host_groups_find(hosts, c->rank);
    } else if (hosts) {
        hosts->count = 1;
    }
    free(all);
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

bool host_groups_are_equal(const struct host_groups *hosts)
{
    int h = 1;

    while (h < hosts->count && host_groups_size(hosts, h) == host_groups_size(hosts, 0))
        h++;
    return h >= hosts->count;
}

int host_groups_find(const struct host_groups *hosts, int rank)
{
    int low = 0, high = hosts->count, place = hosts->member ? 0 : rank;

    while (host_groups_at(hosts, place) != rank)
        place++;
    while (high - low > 1) {
        int middle = (low + high) / 2;

        if (hosts->first[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

struct schedule_team host_groups_local(const struct host_groups *hosts, int rank)
{
    int first = hosts->first[hosts->mine];

    return (struct schedule_team){.member = hosts->member ? hosts->member + first : NULL,
                                  .first = first,
                                  .size = host_groups_size(hosts, hosts->mine),
                                  .me = host_groups_speaker(hosts, rank)};
}

int host_groups_speaker(const struct host_groups *hosts, int root)
{
    int first = hosts->first[hosts->mine], end = hosts->first[hosts->mine + 1];

    for (int place = first; place < end; place++)
        if (host_groups_at(hosts, place) == root)
            return place - first;
    return 0;
}

struct schedule_team host_groups_leaders(struct schedule *s, const struct host_groups *hosts, int root)
{
    struct coll_block memory = schedule_scratch(s, hosts->count, datatype_predefined(MPI_INT));
    int *member = memory.at, root_host = root < 0 ? -1 : host_groups_find(hosts, root);
    struct schedule_team team = {.member = member, .size = hosts->count, .me = -1};

    if (!member && hosts->member)
        log_die("no memory for the leaders of %d hosts", hosts->count);
    if (!member) /* noted: the steps go to the first ranks, which is enough for telling */
        team.member = hosts->first;
    for (int h = 0; member && h < hosts->count; h++)
        member[h] = h == root_host ? root : host_groups_at(hosts, hosts->first[h]);
    if (team.member[hosts->mine] == s->comm->rank)
        team.me = hosts->mine;
    return team;
}

struct schedule_team host_groups_lasts(struct schedule *s, const struct host_groups *hosts)
{
    int *member = schedule_ranks(s, hosts->count);

    for (int h = 0; h < hosts->count; h++)
        member[h] = host_groups_at(hosts, hosts->first[h + 1] - 1);
    return (struct schedule_team){.member = member,
                                  .size = hosts->count,
                                  .me = member[hosts->mine] == s->comm->rank ? hosts->mine : -1};
}

struct counterparts host_counterparts_of(struct schedule *s)
{
    const struct host_groups *hosts = host_groups_of(s->comm);
    struct schedule_team local = host_groups_local(hosts, s->rank);
    int *to = schedule_ranks(s, s->size), *begin = schedule_ranks(s, local.size + 1), at = 0;

    for (int position = 0; position < local.size; position++) {
        begin[position] = at;
        for (int h = 0; h < hosts->count; h++)
            for (int q = hosts->first[h] + position; q < hosts->first[h + 1]; q += local.size)
                to[at++] = host_groups_at(hosts, q);
    }
    begin[local.size] = at;
    schedule_reserve(s, hosts->count + begin[local.me + 1] - begin[local.me]);
    return (struct counterparts){hosts, local, to, begin};
}

struct schedule_team host_counterparts_before(struct schedule *s, const struct counterparts *c)
{
    int *member = schedule_ranks(s, c->hosts->count);

    for (int h = 0; h < c->hosts->count; h++)
        member[h] =
            host_groups_at(c->hosts, c->hosts->first[h] + c->local.me % host_groups_size(c->hosts, h));
    return (struct schedule_team){.member = member, .size = c->hosts->count, .me = c->hosts->mine};
}
