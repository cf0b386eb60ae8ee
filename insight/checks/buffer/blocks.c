#include "insight/checks/buffer/buffer_use.h"

#include "insight/objects/collective_buffers.h"
#include "insight/objects/type_check.h"

#include <stdlib.h>
#include <string.h>

/* Where the arguments of one side are. */
struct side {
    enum role buffer, counts, displs, types, type;
};

static const struct side sending = {AT_BUF, AT_COUNTS, AT_DISPLS, AT_TYPES, AT_TYPE},
                         scattering = {AT_BUF, AT_COUNTS, AT_DISPLS2, AT_TYPES, AT_TYPE},
                         receiving = {AT_BUF2, AT_COUNTS2, AT_DISPLS2, AT_TYPES2, AT_TYPE2};

/* Displacements are int, or MPI_Aint in the _c form. */
static int64_t block_displacement(const struct intercept *call, enum role displs, int index)
{
    const void *array = (void *)(intptr_t)intercept_argument(call, displs);

    return call->procedure->is_large ? ((const MPI_Aint *)array)[index] : ((const int *)array)[index];
}

static void add_buffer_block(struct blocks *b, const struct intercept *call, const struct side *side,
                             int index)
{
    const MPI_Datatype *types = (MPI_Datatype *)(intptr_t)intercept_argument(call, side->types);
    MPI_Datatype type = types ? types[index] : (MPI_Datatype)(intptr_t)intercept_argument(call, side->type);
    const struct type_record *known = type_check_find(type);
    int64_t unit = types ? 1 : known ? known->extent : 0;

    b->block[b->count++] =
        (struct buffer_block){(const char *)(intptr_t)intercept_argument(call, side->buffer) +
                                  block_displacement(call, side->displs, index) * unit,
                              intercept_element(call, side->counts, index), type};
}

static bool has_array(const struct intercept *call, enum role array)
{
    return intercept_argument(call, array) != 0;
}

static bool is_of_neighbours(const struct intercept *call)
{
    return strstr(call->procedure->name, "eighbor");
}

/* One behind the other, or by displacements, which MPI_Neighbor_alltoallw has as addresses. */
static const char *neighbour_block(const struct intercept *call, const struct side *side, int index,
                                   const struct buffer_block *b, bool has_types)
{
    const struct type_record *type = type_check_find(b->type);
    const MPI_Aint *bytes = (MPI_Aint *)(intptr_t)intercept_argument(call, side->displs);
    int64_t extent = type ? type->extent : 0;

    if (!intercept_has(call, side->counts))
        return b->buffer + index * b->count * extent;
    return b->buffer + (has_types ? bytes[index] : block_displacement(call, side->displs, index) * extent);
}

/* Of a neighborhood collective; nothing is sent to MPI_PROC_NULL, or comes from it. */
static struct blocks *find_neighbour_blocks(const struct intercept *call, const struct side *side,
                                            const struct neighbour_list *list, enum role count)
{
    const char *buffer = (const char *)(intptr_t)intercept_argument(call, side->buffer);
    bool has_types = intercept_has(call, side->types), has_counts = intercept_has(call, side->counts);
    const MPI_Datatype *types = (MPI_Datatype *)(intptr_t)intercept_argument(call, side->types);
    struct blocks *b;

    if (!buffer || list->count > BLOCKS || (has_types && !types) ||
        (has_counts && (!has_array(call, side->counts) || !has_array(call, side->displs))))
        return NULL;
    b = calloc(1, sizeof *b);
    for (int i = 0; b && i < list->count; i++) {
        struct buffer_block *one = &b->block[b->count];

        if (list->rank[i] < 0)
            continue;
        *one = (struct buffer_block){
            buffer, has_counts ? intercept_element(call, side->counts, i) : intercept_argument(call, count),
            has_types ? types[i] : (MPI_Datatype)(intptr_t)intercept_argument(call, side->type)};
        one->buffer = neighbour_block(call, side, i, one, has_types);
        b->count++;
    }
    return b;
}

static struct blocks *find_blocks(const struct intercept *call, const struct comm_record *comm,
                                  const struct side *side)
{
    const void *buffer = (void *)(intptr_t)intercept_argument(call, side->buffer);
    bool has_types = !intercept_has(call, side->types) || has_array(call, side->types);
    struct blocks *b;

    if (!buffer || buffer == MPI_IN_PLACE || comm->targets > BLOCKS || !has_types ||
        !has_array(call, side->counts) || !has_array(call, side->displs))
        return NULL;
    b = calloc(1, sizeof *b);
    for (int i = 0; b && i < comm->targets; i++)
        add_buffer_block(b, call, side, i);
    return b;
}

/* MPI_Ireduce_scatter: one block, of all that its group receives. */
static struct blocks *find_vector(const struct intercept *call, const struct comm_record *comm)
{
    const char *buffer = (const char *)(intptr_t)intercept_argument(call, AT_BUF);
    struct blocks *b =
        has_array(call, AT_COUNTS2) && buffer && buffer != MPI_IN_PLACE ? calloc(1, sizeof *b) : NULL;

    if (!b)
        return NULL;
    b->count = 1;
    b->block[0] = (struct buffer_block){buffer, 0, (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE)};
    for (int i = 0; i < comm->size; i++)
        b->block[0].count += intercept_element(call, AT_COUNTS2, i);
    return b;
}

struct blocks *blocks_sent(const struct intercept *call, const struct comm_record *comm)
{
    MPI_Comm handle = (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM);
    struct neighbours all;

    if (!collective_check_gives(call, comm))
        return NULL;
    if (intercept_has(call, AT_OP))
        return find_vector(call, comm);
    if (is_of_neighbours(call))
        return strstr(call->procedure->name, "lltoall") && collective_neighbours_find(handle, &all)
                   ? find_neighbour_blocks(call, &sending, &all.to, AT_COUNT)
                   : NULL;
    return find_blocks(call, comm, intercept_has(call, AT_DISPLS) ? &sending : &scattering);
}

struct blocks *blocks_received(const struct intercept *call, const struct comm_record *comm)
{
    MPI_Comm handle = (MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM);
    struct neighbours all;

    if (is_of_neighbours(call))
        return collective_neighbours_find(handle, &all)
                   ? find_neighbour_blocks(call, &receiving, &all.from, AT_COUNT2)
                   : NULL;
    return collective_check_takes(call, comm) ? find_blocks(call, comm, &receiving) : NULL;
}

/* 0: a type has been freed since. */
static uint64_t sum_of_blocks(const struct blocks *b)
{
    uint64_t sum = 17;

    for (int i = 0; i < b->count; i++) {
        const struct buffer_block *one = &b->block[i];

        if (!tracked_find(TRACKED_TYPE, (uint64_t)(uintptr_t)one->type))
            return 0;
        if (one->count > 0)
            sum = sum * 0x9e3779b97f4a7c15u + type_check_checksum(one->buffer, one->count, one->type);
    }
    return sum ? sum : 1;
}

void blocks_begin(struct blocks *blocks)
{
    if (blocks)
        blocks->sum = sum_of_blocks(blocks);
}

bool blocks_are_as_they_were(const struct blocks *blocks)
{
    uint64_t now = blocks && blocks->sum ? sum_of_blocks(blocks) : 0;

    return !now || now == blocks->sum;
}

/* Most programs have them one behind the other. */
static bool are_in_order(const struct blocks *b)
{
    uintptr_t low, high, end = 0;

    for (int i = 0; i < b->count; i++) {
        const struct buffer_block *one = &b->block[i];

        if (one->count <= 0 || !type_check_span(one->buffer, one->count, one->type, &low, &high))
            continue;
        if (low < end)
            return false;
        end = high;
    }
    return true;
}

int blocks_find_double(const struct blocks *b)
{
    if (!b || are_in_order(b))
        return -1;
    for (int i = 1; i < b->count; i++)
        for (int k = 0; k < i; k++)
            if (b->block[i].count > 0 && b->block[k].count > 0 &&
                type_check_overlap(b->block[i].buffer, b->block[i].count, b->block[i].type,
                                   b->block[k].buffer, b->block[k].count, b->block[k].type))
                return i;
    return -1;
}

int blocks_find_overlap(const struct blocks *b, const void *buffer, int64_t count, MPI_Datatype type)
{
    for (int i = 0; b && i < b->count; i++)
        if (b->block[i].count > 0 &&
            type_check_overlap(b->block[i].buffer, b->block[i].count, b->block[i].type, buffer, count, type))
            return i;
    return -1;
}

bool blocks_written_as_one(const struct intercept *call, struct buffer_block *w)
{
    struct comm_record *comm = comm_check_of(call);
    bool has_two = intercept_has(call, AT_BUF2),
         is_block = has_two && intercept_has(call, AT_COUNT2) && intercept_has(call, AT_COUNT);
    enum role count = has_two && intercept_has(call, AT_COUNT2) ? AT_COUNT2 : AT_COUNT;

    if (!comm || is_of_neighbours(call) || !intercept_has(call, count) || !intercept_has(call, AT_BUF) ||
        intercept_has(call, AT_COUNTS) || intercept_has(call, AT_COUNTS2))
        return false;
    if (!collective_check_takes(call, comm) && (has_two || !collective_check_gives(call, comm)))
        return false;
    w->buffer = (const char *)(intptr_t)intercept_argument(call, has_two ? AT_BUF2 : AT_BUF);
    w->type = (MPI_Datatype)(intptr_t)intercept_argument(
        call, has_two && intercept_has(call, AT_TYPE2) ? AT_TYPE2 : AT_TYPE);
    w->count = intercept_argument(call, count);
    if (is_block && !intercept_has(call, AT_OP) && !strstr(call->procedure->name, "catter"))
        w->count *= comm->targets;
    return w->buffer && (const void *)w->buffer != MPI_IN_PLACE;
}

bool blocks_sent_as_one(const struct intercept *call, struct buffer_block *sent)
{
    const char *name = call->procedure->name;
    const struct comm_record *comm = comm_check_of(call);
    void *buffer = (void *)(intptr_t)intercept_argument(call, AT_BUF);

    if (!comm || !intercept_has(call, AT_COUNT) || !buffer || buffer == MPI_IN_PLACE ||
        (is_of_neighbours(call) && strstr(name, "lltoall")) || !collective_check_gives(call, comm))
        return false;
    *sent = (struct buffer_block){buffer, intercept_argument(call, AT_COUNT),
                                  (MPI_Datatype)(intptr_t)intercept_argument(call, AT_TYPE)};
    if (strstr(name, "scatter_block"))
        sent->count *= comm->size;
    else if ((strstr(name, "catter") && intercept_has(call, AT_ROOT)) || strstr(name, "lltoall"))
        sent->count *= comm->targets;
    return true;
}
