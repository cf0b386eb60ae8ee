#include "topo/topo.h"

#include "coll/coll.h"
#include "comm/topology.h"
#include "making/make.h"
#include "plain/fail.h"

#define IN_TROUBLE ((uint64_t)1 << 63)

/* FNV-1a, one number at a time. */
uint64_t consent_add(uint64_t word, int count, const int *value)
{
    const uint64_t prime = 0x100000001b3u;

    word = (word ^ (uint64_t)count) * prime;
    for (int i = 0; i < count; i++)
        word = (word ^ (uint32_t)value[i]) * prime;
    return word ^ word >> 32;
}

int consent(struct comm *comm, int error, uint64_t word)
{
    uint64_t all = word & ~IN_TROUBLE, any = all | (error ? IN_TROUBLE : 0);
    int failed = coll_agree(comm, &all, &any);

    if (error || failed)
        return error ? error : failed;
    if (any & IN_TROUBLE)
        return fail(MPI_ERR_OTHER, "another rank gave an invalid argument, or has no memory");
    if (any != all)
        return fail(MPI_ERR_NOT_SAME, "ranks gave different arguments where all must give the same");
    return MPI_SUCCESS;
}

int consent_make(const struct plan *plan, struct comm *comm, int error, struct comm **newcomm)
{
    struct comm *c = NULL;
    struct ballot *ballot = NULL;
    int64_t color = plan->rank == MPI_UNDEFINED ? SPLIT_NOWHERE : plan->color;

    if (!error)
        error = split_reserve(comm, &ballot);
    error = consent(comm, error, 0);
    if (error)
        split_release(ballot);
    else
        error = split_into(ballot, color, plan->rank, plan->info, plan->call, &c);
    if (c)
        c->topology = plan->topology;
    else
        topology_unref(plan->topology);
    if (!error)
        *newcomm = c;
    return error;
}
