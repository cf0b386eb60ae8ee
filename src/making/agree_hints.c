#include "making/agree_hints.h"

#include "coll/coll.h"
#include "hint/vote.h"
#include "plain/fail.h"

#include <stdlib.h>

/* The least of each row's values and of their complements: they are complements of each other where all ranks
 * have one value. */
struct row_range {
    int64_t least, complement;
};

static int find_ranges(struct comm *comm, const struct hints *hints, struct row_range range[HINT_COUNT + 1],
                       int *rows, int64_t *most)
{
    int error;

    *rows = 0;
    for (int id = hint_agreed_from(hints, 0); id < HINT_COUNT; id = hint_agreed_from(hints, id + 1)) {
        int64_t value = hint_value(hints, (enum hint_id)id);

        range[(*rows)++] = (struct row_range){value, ~value};
    }
    range[*rows].least = most ? ~*most : 0;
    error = coll_allreduce(MPI_IN_PLACE, range, 2 * *rows + (most != NULL), datatype_predefined(MPI_INT64_T),
                           &op_predefined[OP_MIN], comm, FORM_BLOCKING, NULL, NULL);
    if (!error && most)
        *most = ~range[*rows].least;
    return error;
}

/* Ranks disagree about some row: all look at the votes of all. */
static int settle_hints(struct comm *comm, struct hints *hints)
{
    struct vote_rows mine = vote_rows_of(hints, comm->rank), *all = calloc((size_t)comm->size, sizeof *all);
    uint64_t has_room = all != NULL;
    int error = coll_agree(comm, &has_room, NULL);

    if (!error && !has_room)
        error = fail(MPI_ERR_NO_MEM, "a rank has no memory for the hints of %d ranks", comm->size);
    if (!error)
        error = coll_allgather_bytes(comm, &mine, all, sizeof mine);
    for (int r = 1; !error && r < comm->size; r++)
        vote_rows_add(&all[0], &all[r]);
    if (!error)
        vote_rows_settle(&all[0], hints, comm->rank);
    free(all);
    return error;
}

int agree_hints(struct comm *comm, struct hints *hints, int64_t *most)
{
    struct row_range range[HINT_COUNT + 1];
    int rows, error = find_ranges(comm, hints, range, &rows, most);

    for (int i = 0; i < rows && !error; i++)
        if (range[i].least != ~range[i].complement)
            return settle_hints(comm, hints);
    return error;
}
