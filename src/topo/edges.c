#include "topo/edges.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "topo/consent.h"

#include <stdlib.h>

/* Arrays with one number per rank, all in bytes. */
struct parcels {
    int64_t *out, *out_at, *in, *in_at;
    struct edge *edge; /* to be sent, rank by rank */
};

static void parcels_fini(struct parcels *p)
{
    free(p->out);
    free(p->edge);
}

static int parcels_init(struct parcels *p, int ranks, int64_t edges)
{
    size_t n = (size_t)ranks;

    p->out = calloc(4 * n, sizeof *p->out);
    p->edge = malloc((2 * (size_t)edges + 1) * sizeof *p->edge);
    if (!p->out || !p->edge)
        return fail(MPI_ERR_NO_MEM, "no memory for %lld edges and %d ranks", (long long)edges, ranks);
    p->out_at = p->out + n;
    p->in = p->out_at + n;
    p->in_at = p->in + n;
    return MPI_SUCCESS;
}

static void scatter_add(struct parcels *p, int rank, const struct edge *edge)
{
    p->edge[(p->out_at[rank] + p->out[rank]) / (int64_t)sizeof *edge] = *edge;
    p->out[rank] += (int64_t)sizeof *edge;
}

static int64_t place_in_a_row(const int64_t *length, int64_t *at, int ranks)
{
    int64_t total = 0;

    for (int r = 0; r < ranks; r++) {
        at[r] = total;
        total += length[r];
    }
    return total;
}

/* Counts each rank's edges, finds where they begin, and puts them there. */
static void sort_edges(struct parcels *p, int ranks, const struct edge *given, int64_t count)
{
    for (int64_t i = 0; i < count; i++) {
        p->out[given[i].from] += (int64_t)sizeof *given;
        if (given[i].to != given[i].from)
            p->out[given[i].to] += (int64_t)sizeof *given;
    }
    place_in_a_row(p->out, p->out_at, ranks);
    for (int r = 0; r < ranks; r++)
        p->out[r] = 0;
    for (int64_t i = 0; i < count; i++) {
        scatter_add(p, given[i].from, &given[i]);
        if (given[i].to != given[i].from)
            scatter_add(p, given[i].to, &given[i]);
    }
}

static struct counts wide(const int64_t *list)
{
    return (struct counts){.wide = list};
}

static int send_edges(struct comm *comm, struct parcels *p, struct edge **mine, int64_t *mine_count)
{
    struct datatype *byte = datatype_predefined(MPI_BYTE), *number = datatype_predefined(MPI_INT64_T);
    int error = coll_alltoall(p->out, 1, number, p->in, 1, number, comm, FORM_BLOCKING, NULL, NULL);
    int64_t bytes = place_in_a_row(p->in, p->in_at, comm->size);
    struct edge *edge = malloc((size_t)bytes + 1);

    if (!error && !edge)
        error = fail(MPI_ERR_NO_MEM, "no memory for %lld bytes of edges", (long long)bytes);
    error = consent(comm, error, 0);
    if (!error)
        error = coll_alltoallv(p->edge, wide(p->out), wide(p->out_at), byte, edge, wide(p->in),
                               wide(p->in_at), byte, comm, FORM_BLOCKING, NULL, NULL);
    error = consent(comm, error, 0);
    if (error) {
        free(edge);
        return error;
    }
    *mine = edge;
    *mine_count = bytes / (int64_t)sizeof *edge;
    return MPI_SUCCESS;
}

int edges_scatter(struct comm *comm, const struct edge *given, int64_t count, struct edge **mine,
                  int64_t *mine_count)
{
    struct parcels p = {0};
    int error = parcels_init(&p, comm->size, count);

    error = consent(comm, error, 0);
    if (!error) {
        sort_edges(&p, comm->size, given, count);
        error = send_edges(comm, &p, mine, mine_count);
    }
    parcels_fini(&p);
    return error;
}
