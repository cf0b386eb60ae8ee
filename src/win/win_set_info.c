#include "win/win_set_info.h"

#include "base/fail.h"
#include "coll/coll.h"
#include "hint/vote.h"

#include <stdlib.h>

/* The least of each row's values and of their complements: they are complements of each other where all ranks
 * have one value. */
struct row_range {
    int64_t least, complement;
};

static int find_ranges(struct win *win, const struct hints *hints, struct row_range range[HINT_COUNT],
                       int *rows)
{
    *rows = 0;
    for (int id = 0; id < HINT_COUNT; id++) {
        int64_t value = hint_value(hints, (enum hint_id)id);

        if (hint_table[id].on & ON_WIN && hint_table[id].agree == AGREE_SAME)
            range[(*rows)++] = (struct row_range){value, ~value};
    }
    return coll_allreduce(MPI_IN_PLACE, range, 2 * *rows, datatype_predefined(MPI_INT64_T),
                          &op_predefined[OP_MIN], win->comm, FORM_BLOCKING, NULL);
}

/* Ranks disagree about some row: all look at the votes of all. */
static int settle_hints(struct win *win, struct hints *hints)
{
    struct vote_rows mine = vote_rows_of(hints, win->rank), *all = calloc((size_t)win->size, sizeof *all);
    uint64_t has_room = all != NULL;
    int error = coll_agree(win->comm, &has_room, NULL);

    if (!error && !has_room)
        error = fail(MPI_ERR_NO_MEM, "a rank has no memory for the hints of %d ranks", win->size);
    if (!error)
        error = coll_allgather_bytes(win->comm, &mine, all, sizeof mine);
    for (int r = 1; !error && r < win->size; r++)
        vote_rows_add(&all[0], &all[r]);
    if (!error)
        vote_rows_settle(&all[0], hints, win->rank);
    free(all);
    return error;
}

int win_agree_hints(struct win *win, struct hints *hints)
{
    struct row_range range[HINT_COUNT];
    int rows, error = find_ranges(win, hints, range, &rows);

    for (int i = 0; i < rows && !error; i++)
        if (range[i].least != ~range[i].complement)
            return settle_hints(win, hints);
    return error;
}

/* The ranks agree whatever this rank's info holds, and even if it is out of memory. */
int win_set_info(struct win *win, struct info *info)
{
    struct hints copy;
    bool copied = hints_copy(&win->hints, &copy);
    int error;

    if (copied)
        info_offer(info, &copy, AT_SET, "MPI_Win_set_info");
    error = win_agree_hints(win, copied ? &copy : &win->hints);
    if (!copied)
        return error ? error : fail(MPI_ERR_NO_MEM, "no memory for the hints");
    if (!error)
        hints_move(&win->hints, &copy);
    hints_fini(&copy);
    return error;
}
