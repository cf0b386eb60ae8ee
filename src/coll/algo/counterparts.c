#include "coll/algo/counterparts.h"

struct counterparts counterparts_of(struct schedule *s)
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

struct schedule_team counterparts_before(struct schedule *s, const struct counterparts *c)
{
    int *member = schedule_ranks(s, c->hosts->count);

    for (int h = 0; h < c->hosts->count; h++)
        member[h] =
            host_groups_at(c->hosts, c->hosts->first[h] + c->local.me % host_groups_size(c->hosts, h));
    return (struct schedule_team){.member = member, .size = c->hosts->count, .me = c->hosts->mine};
}
