/* The constructors: new groups from existing ones. */
#include "group/group.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdlib.h>

/* Makes a group of a list of process numbers, in the model of `like`, and hands it to the program. Frees the
 * list. */
static int hand_out(const struct group *like, int size, int *process, struct group **group)
{
    struct group *g;
    int error = group_new_in(like->session, size, process, &g);

    free(process);
    if (error)
        return error;
    group_hand_out(g);
    group_unref(g);
    *group = g;
    return MPI_SUCCESS;
}

/* The same for a group that already exists. */
static int hand_out_again(struct group *same, struct group **group)
{
    group_hand_out(same);
    *group = same;
    return MPI_SUCCESS;
}

static int list_new(int64_t size, int **process)
{
    *process = malloc((size_t)(size ? size : 1) * sizeof **process);
    return *process ? MPI_SUCCESS
                    : fail(MPI_ERR_NO_MEM, "no memory for a group of %lld processes", (long long)size);
}

/* Appends the members of `of` that are (wanted) or are not in `in`. Returns the new size of the list. */
static int append_members(int *process, int size, const struct group *of, const struct group *in, bool wanted)
{
    for (int i = 0; i < of->size; i++)
        if ((group_rank_of(in, of->process[i]) != MPI_UNDEFINED) == wanted)
            process[size++] = of->process[i];
    return size;
}

int group_union(struct group *a, struct group *b, struct group **group)
{
    int *process, size, error;

    if (b->size == 0 || a == b)
        return hand_out_again(a, group);
    if (a->size == 0)
        return hand_out_again(b, group);
    error = list_new((int64_t)a->size + b->size, &process);
    if (error)
        return error;
    for (size = 0; size < a->size; size++)
        process[size] = a->process[size];
    size = append_members(process, size, b, a, false);
    return hand_out(a, size, process, group);
}

/* The members of a that are (wanted) or are not in b. */
static int filter(struct group *a, const struct group *b, bool wanted, struct group **group)
{
    int *process, error = list_new(a->size, &process);

    if (error)
        return error;
    return hand_out(a, append_members(process, 0, a, b, wanted), process, group);
}

int group_intersection(struct group *a, struct group *b, struct group **group)
{
    return filter(a, b, true, group);
}

int group_difference(struct group *a, struct group *b, struct group **group)
{
    return filter(a, b, false, group);
}

/* A list of distinct ranks of `from`, and a mark on each of them. */
struct choice {
    const struct group *from;
    int *rank;
    bool *chosen; /* by rank */
    int count;
};

static void choice_fini(struct choice *c)
{
    free(c->rank);
    free(c->chosen);
}

static int choice_init(struct choice *c, const struct group *from)
{
    size_t room = (size_t)(from->size ? from->size : 1);

    *c = (struct choice){.from = from, .rank = malloc(room * sizeof *c->rank), .chosen = calloc(room, 1)};
    if (c->rank && c->chosen)
        return MPI_SUCCESS;
    choice_fini(c);
    return fail(MPI_ERR_NO_MEM, "no memory to choose from a group of %d processes", from->size);
}

static int choice_add(struct choice *c, int64_t rank)
{
    if (rank < 0 || rank >= c->from->size)
        return fail(MPI_ERR_RANK, "rank %lld is not in the group, whose size is %d", (long long)rank,
                    c->from->size);
    if (c->chosen[rank])
        return fail(MPI_ERR_RANK, "rank %lld is named twice", (long long)rank);
    c->chosen[rank] = true;
    c->rank[c->count++] = (int)rank;
    return MPI_SUCCESS;
}

static int choose_ranks(struct choice *c, const struct group *from, int count, const int *ranks)
{
    int error;

    if (count < 0)
        return fail(MPI_ERR_ARG, "the number of ranks is %d", count);
    error = choice_init(c, from);
    if (error)
        return error;
    for (int i = 0; i < count && !error; i++)
        error = choice_add(c, ranks[i]);
    if (error)
        choice_fini(c);
    return error;
}

/* Adds first, first + stride, ... up to last. Absurd ranges end soon, too, because each rank fits only once. */
static int choice_add_range(struct choice *c, const int range[3])
{
    int64_t first = range[0], last = range[1], stride = range[2];
    int error;

    if (stride == 0)
        return fail(MPI_ERR_ARG, "the stride of range (%d, %d, %d) is 0", range[0], range[1], range[2]);
    if (first != last && (first < last) != (stride > 0))
        return fail(MPI_ERR_ARG, "range (%d, %d, %d) leads away from its last rank", range[0], range[1],
                    range[2]);
    for (int64_t rank = first; stride > 0 ? rank <= last : rank >= last; rank += stride) {
        error = choice_add(c, rank);
        if (error)
            return error;
    }
    return MPI_SUCCESS;
}

static int choose_ranges(struct choice *c, const struct group *from, int count, int ranges[][3])
{
    int error;

    if (count < 0)
        return fail(MPI_ERR_ARG, "the number of ranges is %d", count);
    error = choice_init(c, from);
    if (error)
        return error;
    for (int i = 0; i < count && !error; i++)
        error = choice_add_range(c, ranges[i]);
    if (error)
        choice_fini(c);
    return error;
}

/* The group of the chosen ranks, in the order of choice. Frees the choice. */
static int make_chosen(struct choice *c, struct group **group)
{
    int *process, error = list_new(c->count, &process);

    for (int i = 0; !error && i < c->count; i++)
        process[i] = c->from->process[c->rank[i]];
    if (!error)
        error = hand_out(c->from, c->count, process, group);
    choice_fini(c);
    return error;
}

/* The group of the other ranks, in the group's order. Frees the choice. */
static int make_others(struct choice *c, struct group **group)
{
    int *process, size = 0, error = list_new(c->from->size, &process);

    for (int i = 0; !error && i < c->from->size; i++)
        if (!c->chosen[i])
            process[size++] = c->from->process[i];
    if (!error)
        error = hand_out(c->from, size, process, group);
    choice_fini(c);
    return error;
}

int group_include(struct group *from, int count, const int *ranks, struct group **group)
{
    struct choice c;
    int error = choose_ranks(&c, from, count, ranks);

    return error ? error : make_chosen(&c, group);
}

int group_exclude(struct group *from, int count, const int *ranks, struct group **group)
{
    struct choice c;
    int error;

    if (count == 0)
        return hand_out_again(from, group);
    error = choose_ranks(&c, from, count, ranks);
    return error ? error : make_others(&c, group);
}

int group_range_include(struct group *from, int count, int ranges[][3], struct group **group)
{
    struct choice c;
    int error = choose_ranges(&c, from, count, ranges);

    return error ? error : make_chosen(&c, group);
}

int group_range_exclude(struct group *from, int count, int ranges[][3], struct group **group)
{
    struct choice c;
    int error;

    if (count == 0)
        return hand_out_again(from, group);
    error = choose_ranges(&c, from, count, ranges);
    return error ? error : make_others(&c, group);
}
