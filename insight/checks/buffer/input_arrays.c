#include "insight/checks/buffer/buffer_use.h"

#include "insight/findings/finding.h"
#include "insight/objects/collective_buffers.h"
#include "insight/objects/type_check.h"

#include <stdlib.h>
#include <string.h>

static uint64_t sum_of_array(const struct input_array *a)
{
    return type_check_is_mapped(a->at, a->bytes, MPI_BYTE) ? type_check_checksum(a->at, a->bytes, MPI_BYTE)
                                                           : 0;
}

static void input_arrays_add(struct input_arrays *arrays, const struct intercept *call, enum role role,
                             int64_t elements, size_t size)
{
    struct input_array *a = &arrays->array[arrays->count];

    a->at = (const void *)(intptr_t)intercept_argument(call, role);
    a->bytes = elements * (int64_t)size;
    if (!a->at || a->bytes <= 0)
        return;
    a->sum = sum_of_array(a);
    arrays->count += a->sum != 0;
}

/* One side's; MPI_Neighbor_alltoallw has displacements of MPI_Aint in both forms. */
static void input_arrays_of_side(struct input_arrays *arrays, const struct intercept *call, enum role counts,
                                 enum role displs, enum role types, int64_t elements)
{
    bool is_large = call->procedure->is_large,
         has_addresses = strstr(call->procedure->name, "eighbor_alltoallw") != NULL;

    input_arrays_add(arrays, call, counts, elements, is_large ? sizeof(MPI_Count) : sizeof(int));
    input_arrays_add(arrays, call, displs, elements,
                     is_large || has_addresses ? sizeof(MPI_Aint) : sizeof(int));
    input_arrays_add(arrays, call, types, elements, sizeof(MPI_Datatype));
}

static bool is_in_place(const struct intercept *call)
{
    return (void *)(intptr_t)intercept_argument(call, AT_BUF) == MPI_IN_PLACE;
}

struct input_arrays *input_arrays_take(const struct intercept *call, const struct comm_record *comm)
{
    bool has_both = intercept_has(call, AT_COUNTS) && intercept_has(call, AT_COUNTS2);
    bool is_reduction = intercept_has(call, AT_OP);
    int to = comm->targets, from = is_reduction ? comm->size : comm->targets;
    struct input_arrays *arrays;
    struct neighbours all;

    if (!intercept_has(call, AT_COUNTS) && !intercept_has(call, AT_COUNTS2))
        return NULL;
    if (strstr(call->procedure->name, "eighbor")) {
        if (!collective_neighbours_find((MPI_Comm)(intptr_t)intercept_argument(call, AT_COMM), &all))
            return NULL;
        to = all.to.count;
        from = all.from.count;
    }
    arrays = calloc(1, sizeof *arrays);
    if (!arrays)
        return NULL;
    if (intercept_has(call, AT_COUNTS) && collective_check_gives(call, comm) && !is_in_place(call))
        input_arrays_of_side(arrays, call, AT_COUNTS, has_both ? AT_DISPLS : AT_DISPLS2, AT_TYPES, to);
    if (intercept_has(call, AT_COUNTS2) && collective_check_takes(call, comm))
        input_arrays_of_side(arrays, call, AT_COUNTS2, AT_DISPLS2, AT_TYPES2, from);
    return arrays;
}

void input_arrays_compare(struct intercept *call, struct input_arrays *arrays, const struct tracked *made)
{
    if (!arrays || arrays->is_said)
        return;
    for (int i = 0; !arrays->is_said && i < arrays->count; i++)
        arrays->is_said = sum_of_array(&arrays->array[i]) != arrays->array[i].sum;
    if (!arrays->is_said)
        return;
    finding_add(
        &(struct finding_about){.class = FINDING_TOLERANCE,
                                .call = call,
                                .made = made->site,
                                .made_by = "the collective",
                                .fix =
                                    "leave them alone until the operation is complete, or the request of a "
                                    "persistent one freed"},
        "the arrays of counts, displacements or datatypes of %s have changed since the call",
        made->maker->name);
}
