/* Says in words which argument of a call is wrong. The comparisons of check.h lead here. */
#include "api/check.h"

#include "api/arguments.h"
#include "api/handle.h"
#include "comm/topology.h"
#include "plain/fail.h"

#include <string.h>

static bool are_counts(struct counts counts, int n)
{
    if (!counts.narrow && !counts.wide)
        return false;
    for (int i = 0; i < n; i++) {
        if (counts_at(counts, i) < 0)
            return false;
    }
    return true;
}

bool check_are_counts(struct counts counts, const struct comm *comm)
{
    return are_counts(counts, comm_peer_count(comm));
}

bool check_are_own_counts(struct counts counts, const struct comm *comm)
{
    return are_counts(counts, comm->size);
}

bool check_are_types(const MPI_Datatype *types, const struct comm *comm)
{
    int n = comm_peer_count(comm);

    if (!types)
        return false;
    for (int i = 0; i < n; i++) {
        if (!datatype_is_usable(datatype_find(types[i])))
            return false;
    }
    return true;
}

static bool is_one_of(const struct argument *arg, const char *letters)
{
    return strchr(letters, arg->letter) != NULL;
}

/* The first argument with one of these letters after i; -1: none. */
static int find_after(const struct arguments *a, int i, const char *letters)
{
    while (++i < a->count) {
        if (is_one_of(&a->at[i], letters))
            return i;
    }
    return -1;
}

static int find_before(const struct arguments *a, int i, const char *letters)
{
    while (--i >= 0 && !is_one_of(&a->at[i], letters))
        ;
    return i;
}

/* The root; MPI_PROC_NULL if the call has none. */
static int root_of(const struct arguments *a)
{
    int i = find_after(a, -1, "R");

    return i < 0 ? MPI_PROC_NULL : (int)a->at[i].number;
}

/* Whether this rank of an intercommunicator takes no part, so that none of its buffers is significant. */
static bool check_is_idle(const struct arguments *a)
{
    return a->comm && comm_is_inter(a->comm) && find_after(a, -1, "R") >= 0 && root_of(a) == MPI_PROC_NULL;
}

static bool check_is_in_place(const struct arguments *a)
{
    int i = find_after(a, -1, "pq");

    return i >= 0 && a->at[i].pointer == MPI_IN_PLACE;
}

/* Whether this buffer is significant on this rank. */
static bool is_buffer_used(const struct arguments *a, const struct argument *buffer)
{
    if (!a->comm)
        return true;
    switch (buffer->letter) {
    case 'p':
        return buffer->pointer != MPI_IN_PLACE;
    case 'q':
        if (comm_is_inter(a->comm))
            return root_of(a) >= 0;
        return buffer->pointer != MPI_IN_PLACE;
    case 'r':
        return check_is_at_root(root_of(a), a->comm);
    case 'x':
        return a->comm->rank > 0 || check_is_in_place(a);
    default:
        return true;
    }
}

/* Whether argument i, with one of these letters, is significant: it belongs to no buffer, or one of its
 * buffers is significant. */
static bool is_used(const struct arguments *a, int i, const char *letters)
{
    bool has_buffer = false;

    if (check_is_idle(a))
        return false;
    for (int b = 0; b < i; b++) {
        if (!is_one_of(&a->at[b], argument_buffers) || find_after(a, b, letters) != i)
            continue;
        if (is_buffer_used(a, &a->at[b]))
            return true;
        has_buffer = true;
    }
    return !has_buffer;
}

static bool has_buffer(const struct arguments *a, int i, const char *letters)
{
    for (int b = 0; b < i; b++) {
        if (is_one_of(&a->at[b], argument_buffers) && find_after(a, b, letters) == i)
            return true;
    }
    return false;
}

/* 0 is no handle of any kind: what C calls NULL, and what a variable holds that was never set. */
static int refuse_zero(const struct argument *arg, int error)
{
    struct argument null = *arg;
    char name[MPI_MAX_OBJECT_NAME + 32];

    null.number = (int64_t)handle_null(arguments_kind_of(arg->letter));
    arguments_format_handle(&null, name, sizeof name);
    return fail(error, "%s is 0, which no handle is: it was never set, or %s is meant", arg->name, name);
}

static int refuse_handle(const struct arguments *a, int i)
{
    static const int classes[][2] = {
        {'C', MPI_ERR_COMM},    {'G', MPI_ERR_GROUP},   {'D', MPI_ERR_TYPE},       {'O', MPI_ERR_OP},
        {'I', MPI_ERR_INFO},    {'J', MPI_ERR_INFO},    {'E', MPI_ERR_ERRHANDLER}, {'Q', MPI_ERR_REQUEST},
        {'M', MPI_ERR_REQUEST}, {'S', MPI_ERR_SESSION}, {'W', MPI_ERR_WIN},        {'F', MPI_ERR_FILE},
        {'A', MPI_ERR_FILE}};
    const struct argument *arg = &a->at[i];
    char text[MPI_MAX_OBJECT_NAME + 32];
    int error = MPI_ERR_ARG;

    for (size_t k = 0; k < sizeof classes / sizeof *classes; k++) {
        if (classes[k][0] == arg->letter)
            error = classes[k][1];
    }
    if (arg->by_pointer && !arg->pointer)
        return fail(MPI_ERR_ARG, "%s is NULL; it must point to a handle", arg->name);
    if (!arg->number)
        return refuse_zero(arg, error);
    arguments_format_handle(arg, text, sizeof text);
    if ((uint64_t)arg->number < OBJECT_PREDEFINED_LIMIT && strncmp(text, "MPI_", 4) == 0)
        return fail(error, "%s is %s", arg->name, text);
    return fail(error, "%s is %s, which was never made or was freed", arg->name, text);
}

/* Whether it is the null type with no items, in a send or receive: docs/TOLERANCES.md. */
static bool is_of_nothing(const struct arguments *a, int i)
{
    int count = find_before(a, i, "nN");

    return arguments_is_null(&a->at[i]) && has_buffer(a, i, "DY") && count >= 0 && a->at[count].number == 0 &&
           find_after(a, -1, "dsM") >= 0;
}

struct datatype *check_none_type(struct datatype *type)
{
    return type ? type : datatype_predefined(MPI_BYTE);
}

static int check_handle(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];
    const struct datatype *type;

    if (arg->is_unchecked && arg->pointer)
        return MPI_SUCCESS;
    if (is_one_of(arg, "JA") && arguments_is_null(arg))
        return MPI_SUCCESS;
    if (arg->letter == 'D' && !is_used(a, i, "DY"))
        return MPI_SUCCESS;
    if (arg->letter == 'O' && check_is_idle(a))
        return MPI_SUCCESS;
    if (arg->letter == 'D' && is_of_nothing(a, i))
        return MPI_SUCCESS;
    if (!arguments_find(arg))
        return refuse_handle(a, i);
    if (arg->letter != 'D' || !has_buffer(a, i, "DY"))
        return MPI_SUCCESS;
    type = arguments_find(arg);
    if (!type->supported)
        return fail(MPI_ERR_TYPE, "%s is %s, which this platform does not have", arg->name, type->name);
    if (!type->committed)
        return fail(MPI_ERR_TYPE, "%s is not committed; call MPI_Type_commit first", arg->name);
    return MPI_SUCCESS;
}

static struct counts array_at(const void *pointer, bool is_narrow)
{
    struct counts c = {NULL, NULL};

    if (is_narrow)
        c.narrow = pointer;
    else
        c.wide = pointer;
    return c;
}

static struct counts counts_of(const struct argument *arg)
{
    return array_at(arg->pointer, is_one_of(arg, "kh"));
}

/* The number of elements of an array of counts. */
static int ranks_of(const struct arguments *a, const struct argument *counts)
{
    return is_one_of(counts, "hH") ? a->comm->size : comm_peer_count(a->comm);
}

/* Whether the buffer may hold items. One for neighbours may if there are neighbours. */
static bool has_items(const struct arguments *a, const struct argument *buffer)
{
    const struct topology *t = a->comm ? a->comm->topology : NULL;
    const struct neighbors *n = !t ? NULL : buffer->letter == 'o' ? &t->out : &t->in;

    if (!is_one_of(buffer, "oe"))
        return true;
    for (int i = 0; n && i < n->count; i++)
        if (n->rank[i] != MPI_PROC_NULL)
            return true;
    return false;
}

/* The number of items of a buffer: its count, or the sum of its counts. The receive buffer of a
 * reduce-scatter has this rank's own count. */
static int64_t items_of(const struct arguments *a, int buffer)
{
    int i = find_after(a, buffer, "nNkKhH");
    int64_t sum = 0;

    if (i < 0 || !has_items(a, &a->at[buffer]))
        return 0;
    if (is_one_of(&a->at[i], "nN"))
        return a->at[i].number;
    if (!a->at[i].pointer || !a->comm)
        return 0;
    if (is_one_of(&a->at[i], "hH") && a->at[buffer].letter == 'b' && !check_is_in_place(a))
        return counts_at(counts_of(&a->at[i]), a->comm->rank);
    for (int r = 0; r < ranks_of(a, &a->at[i]); r++)
        sum += counts_at(counts_of(&a->at[i]), r);
    return sum;
}

/* Whether NULL cannot be the address of the data. */
static bool is_plain_type(const struct arguments *a, int buffer)
{
    int i = find_after(a, buffer, "DY");
    const struct datatype *type = i >= 0 && a->at[i].letter == 'D' ? arguments_find(&a->at[i]) : NULL;

    return datatype_is_nowhere(type, NULL);
}

static int check_in_place(const struct arguments *a, const struct argument *arg)
{
    if (!is_one_of(arg, "pq"))
        return fail(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE, which %s does not take there", arg->name, a->name);
    if (comm_is_inter(a->comm))
        return fail(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE on an intercommunicator", arg->name);
    if (arg->letter == 'q' && !check_is_at_root(root_of(a), a->comm))
        return fail(MPI_ERR_BUFFER, "%s is MPI_IN_PLACE on rank %d; only the root %d may pass it", arg->name,
                    a->comm->rank, root_of(a));
    return MPI_SUCCESS;
}

static bool takes_in_place(const struct arguments *a)
{
    return find_after(a, -1, "pq") >= 0 && !(a->comm && comm_is_inter(a->comm));
}

/* A buffer as buffer_overlap.c describes it. Where one count is that of each rank's part, the first part
 * stands for all. */
static struct overlap_side check_side_of(const struct arguments *a, int buffer)
{
    int count = find_after(a, buffer, "nNkKhH"), type = find_after(a, buffer, "DY");
    int displs = find_after(a, buffer, "vDY");
    struct overlap_side s = {.parts = 1};

    if (count < 0 || type < 0)
        return (struct overlap_side){0};
    if (a->at[type].letter == 'Y')
        s.types = a->at[type].pointer;
    else
        s.type = arguments_find(&a->at[type]);
    if (a->at[displs].letter == 'v') {
        s.parts = ranks_of(a, &a->at[count]);
        s.counts = counts_of(&a->at[count]);
        s.displs = array_at(a->at[displs].pointer, is_one_of(&a->at[count], "kh"));
    } else {
        s.each = items_of(a, buffer);
    }
    return s;
}

/* Whether two buffers that are both significant here begin at one address and share bytes. */
static bool is_same_memory(const struct arguments *a, int i, int other)
{
    struct overlap_side one, two;

    if (!a->at[i].pointer || a->at[i].pointer != a->at[other].pointer || !is_buffer_used(a, &a->at[other]))
        return false;
    one = check_side_of(a, i);
    two = check_side_of(a, other);
    return buffer_overlap_is_certain(&one, &two);
}

/* MPI_BOTTOM, which is NULL, with a datatype for each rank: data of a predefined one begins at its displacement. */
static int check_bottom_of_types(const struct arguments *a, int buffer)
{
    int count = find_after(a, buffer, "kKhH"), displs = find_after(a, buffer, "v");
    int type = find_after(a, buffer, "DY");
    const MPI_Datatype *types = type < 0 || a->at[type].letter == 'D' ? NULL : a->at[type].pointer;

    for (int r = 0; types && r < ranks_of(a, &a->at[count]); r++) {
        struct counts places = array_at(a->at[displs].pointer, is_one_of(&a->at[count], "kh"));

        if (counts_at(counts_of(&a->at[count]), r) > 0 &&
            datatype_is_nowhere(datatype_find(types[r]), (const void *)(intptr_t)counts_at(places, r)))
            return fail(MPI_ERR_BUFFER, "%s is NULL, but %lld items of rank %d are to be there",
                        a->at[buffer].name, (long long)counts_at(counts_of(&a->at[count]), r), r);
    }
    return MPI_SUCCESS;
}

static int check_buffer(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];
    int other = find_after(a, i, argument_buffers);

    if (check_is_idle(a))
        return MPI_SUCCESS;
    if (is_one_of(arg, "rx") && !is_buffer_used(a, arg))
        return MPI_SUCCESS;
    if (arg->letter == 'q' && comm_is_inter(a->comm) && !is_buffer_used(a, arg))
        return MPI_SUCCESS;
    if (arg->pointer == MPI_IN_PLACE)
        return check_in_place(a, arg);
    if (!arg->pointer && is_plain_type(a, i) && items_of(a, i) > 0)
        return fail(MPI_ERR_BUFFER, "%s is NULL, but %lld items are to be there", arg->name,
                    (long long)items_of(a, i));
    if (!arg->pointer && check_bottom_of_types(a, i))
        return MPI_ERR_BUFFER;
    if (other >= 0 && is_same_memory(a, i, other))
        return fail(MPI_ERR_BUFFER, "%s and %s are the same memory%s", arg->name, a->at[other].name,
                    takes_in_place(a) ? "; pass MPI_IN_PLACE instead" : ", which they must not be");
    return MPI_SUCCESS;
}

static int check_rank(const struct arguments *a, const struct argument *arg)
{
    int rank = (int)arg->number;
    int last;

    if (!a->comm)
        return MPI_SUCCESS;
    last = comm_peer_count(a->comm) - 1;
    if (arg->letter == 'R' && !check_is_root(rank, a->comm))
        return fail(MPI_ERR_ROOT, "%s %d is not a rank of the communicator; they go from 0 to %d", arg->name,
                    rank, last);
    if (arg->letter == 'd' && !check_is_dest(rank, a->comm))
        return fail(MPI_ERR_RANK, "%s %d is neither a rank from 0 to %d nor MPI_PROC_NULL", arg->name, rank,
                    last);
    if (arg->letter == 's' && !check_is_source(rank, a->comm))
        return fail(MPI_ERR_RANK, "%s %d is neither a rank from 0 to %d nor MPI_ANY_SOURCE nor MPI_PROC_NULL",
                    arg->name, rank, last);
    return MPI_SUCCESS;
}

static int check_tag(const struct argument *arg)
{
    if (arg->number >= 0 || (arg->letter == 'T' && arg->number == MPI_ANY_TAG))
        return MPI_SUCCESS;
    return fail(MPI_ERR_TAG, "%s %lld is negative%s", arg->name, (long long)arg->number,
                arg->letter == 'T' ? " and not MPI_ANY_TAG" : "");
}

static int check_counts(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];

    if (!is_used(a, i, "nNkKhH"))
        return MPI_SUCCESS;
    if (is_one_of(arg, "nN"))
        return arg->number >= 0
                   ? MPI_SUCCESS
                   : fail(MPI_ERR_COUNT, "%s %lld is negative", arg->name, (long long)arg->number);
    if (!arg->pointer)
        return fail(MPI_ERR_ARG, "%s is NULL", arg->name);
    for (int r = 0; r < ranks_of(a, arg); r++) {
        if (counts_at(counts_of(arg), r) < 0)
            return fail(MPI_ERR_COUNT, "%s[%d] %lld is negative", arg->name, r,
                        (long long)counts_at(counts_of(arg), r));
    }
    return MPI_SUCCESS;
}

static int check_types(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];
    const MPI_Datatype *types = arg->pointer;

    if (!is_used(a, i, "DY"))
        return MPI_SUCCESS;
    if (!types)
        return fail(MPI_ERR_ARG, "%s is NULL", arg->name);
    for (int r = 0; r < comm_peer_count(a->comm); r++) {
        if (!datatype_is_usable(datatype_find(types[r])))
            return fail(MPI_ERR_TYPE, "%s[%d] is not a committed datatype", arg->name, r);
    }
    return MPI_SUCCESS;
}

static int check_array(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];
    int count = find_before(a, i, "nNi");

    if (arg->pointer || a->at[count].number <= 0)
        return MPI_SUCCESS;
    return fail(MPI_ERR_ARG, "%s is NULL, but %s is %lld", arg->name, a->at[count].name,
                (long long)a->at[count].number);
}

/* NULL is MPI_BOTTOM too, where a datatype of addresses may begin. */
static int check_item(const struct arguments *a, int i)
{
    int op = find_after(a, i, "O");

    if (a->at[i].pointer || !is_plain_type(a, i))
        return MPI_SUCCESS;
    if (a->at[i].letter == 'y' && op >= 0 && (uint64_t)a->at[op].number == (uint64_t)(uintptr_t)MPI_NO_OP)
        return MPI_SUCCESS;
    return fail(MPI_ERR_BUFFER, "%s is NULL, but an item is to be there", a->at[i].name);
}

static int check_displs(const struct arguments *a, int i)
{
    if (a->at[i].pointer || !is_used(a, i, "vDY"))
        return MPI_SUCCESS;
    return fail(MPI_ERR_ARG, "%s is NULL; it must have a displacement for each rank", a->at[i].name);
}

static int check_argument(const struct arguments *a, int i)
{
    const struct argument *arg = &a->at[i];

    if (arguments_is_handle(arg))
        return check_handle(a, i);
    if (is_one_of(arg, argument_buffers))
        return check_buffer(a, i);
    if (is_one_of(arg, "nNkKhH"))
        return check_counts(a, i);
    if (is_one_of(arg, "dsR"))
        return check_rank(a, arg);
    if (is_one_of(arg, "tT"))
        return check_tag(arg);
    if (arg->letter == 'v')
        return check_displs(a, i);
    if (arg->letter == 'Y')
        return check_types(a, i);
    if (arg->letter == 'a')
        return check_array(a, i);
    if (is_one_of(arg, "uy"))
        return check_item(a, i);
    if (is_one_of(arg, "*\"") && !arg->pointer)
        return fail(MPI_ERR_ARG, "%s is NULL", arg->name);
    return MPI_SUCCESS;
}

/* Checks communicators first, because the meaning of the others depends on them, and buffers last, for the
 * same reason. */
int check_arguments(const struct arguments *a)
{
    static const char *const order[] = {"C", "GDOEIJQMSWFAnNkKhHvdsRtTYauy*\"", argument_buffers};

    for (size_t round = 0; round < sizeof order / sizeof *order; round++) {
        for (int i = 0; i < a->count; i++) {
            int error = is_one_of(&a->at[i], order[round]) ? check_argument(a, i) : MPI_SUCCESS;

            if (error)
                return error;
        }
    }
    return MPI_SUCCESS;
}
