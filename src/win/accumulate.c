#include "win/accumulate.h"

#include "metric/metric.h"
#include "plain/fail.h"
#include "win/agent.h"
#include "win/combiner.h"
#include "win/epoch.h"

#include <stdlib.h>

static int check_op(const struct op *op, MPI_Count count, const struct datatype *basic, bool is_fetching)
{
    if (count == 0)
        return MPI_SUCCESS;
    if (op->code >= OP_USER)
        return fail(MPI_ERR_OP, "op is an operation of MPI_Op_create; accumulates take predefined ones only");
    if (op->code == OP_NO_OP && !is_fetching)
        return fail(MPI_ERR_OP, "op is MPI_NO_OP, which only operations that fetch take");
    if (op->code == OP_REPLACE || op->code == OP_NO_OP)
        return MPI_SUCCESS;
    return op_check_accumulate(op, basic);
}

/* The same, as a question, and the commonest answer at once. */
static inline bool takes_op(const struct op *op, const struct datatype *basic, bool is_fetching)
{
    return (op->code == OP_SUM && basic->category & CATEGORY_C_INTEGER) ||
           !check_op(op, 1, basic, is_fetching);
}

/* Whether it is a sum of integers that one instruction adds: 8 bytes, of C's types. */
static inline bool is_word_sum(const struct op *op, const struct datatype *basic)
{
    return op->code == OP_SUM && basic->size == 8 && basic->category & CATEGORY_C_INTEGER;
}

/* Combines one item that combiner_find has found; result NULL: what was there is not wanted. False: another way does it. */
static inline bool combine_found(struct win *win, int rank, void *at, const struct op *op,
                                 struct datatype *basic, const void *origin, void *result, int *error)
{
    *error = MPI_SUCCESS;
    if (__builtin_expect(is_word_sum(op, basic), 1)) {
        uint64_t seen = combiner_add(at, origin);

        epoch_note_access(win);
        if (result)
            memcpy(result, &seen, sizeof seen);
        return true;
    }
    if (!takes_op(op, basic, result != NULL))
        return false;
    epoch_note_access(win);
    *error = combiner_fetch(win, rank, at, op, basic, op->code == OP_NO_OP ? NULL : origin, result);
    return true;
}

/* All sides are made of one predefined type, the same. */
static int check_basic(const struct datatype *type, const struct datatype *target_type)
{
    if (type->basic && type->basic == target_type->basic)
        return MPI_SUCCESS;
    return fail(MPI_ERR_TYPE,
                "an accumulate's datatypes must be made of one predefined type, the same at origin and "
                "target, not %s and %s",
                type->basic ? type->basic->name : "several types",
                target_type->basic ? target_type->basic->name : "several types");
}

static int check_side(const struct user_buffer *side, const struct target *t, size_t bytes, bool is_result)
{
    size_t room;
    int error = check_basic(side->type, t->type);

    if (!error)
        error = datatype_bytes(side->type, side->count, &room);
    if (!error && room != bytes)
        error = fail((room > bytes) != is_result ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                     "the target has %zu bytes of data and this process's buffer %zu", bytes, room);
    return error;
}

/* The data of a side as packed bytes: those of the program, or a copy in *copy, which the caller frees. */
static int pack_side(const struct user_buffer *side, size_t bytes, int64_t kinds, const unsigned char **data,
                     void **copy)
{
    const struct device *device = datatype_device(side->type, side->at, kinds);

    if (side->type->dense && !device) {
        *data = side->at;
        return MPI_SUCCESS;
    }
    *data = *copy = malloc(bytes);
    if (!*copy)
        return fail(MPI_ERR_NO_MEM, "no memory to pack %zu bytes", bytes);
    return datatype_pack_from(device, side->type, side->at, 0, *copy, bytes);
}

/* Combines with memory that this process reaches; result: NULL: not wanted. */
static int combine_here(const struct target *t, const struct user_buffer *origin,
                        const struct user_buffer *result, const struct op *op, size_t bytes)
{
    int64_t kinds = hint_buffer_kinds(&t->win->hints);
    const struct device *device = result ? datatype_device(result->type, result->at, kinds) : NULL;
    struct combination c = {*t, t->type->basic, op, NULL, NULL, bytes};
    void *copy = NULL, *fetched = NULL;
    int error = op->code == OP_NO_OP ? MPI_SUCCESS : pack_side(origin, bytes, kinds, &c.data, &copy);

    if (!error && result) {
        bool in_place = result->type->dense && !device;

        c.result = in_place ? result->at : (fetched = malloc(bytes));
        if (!c.result)
            error = fail(MPI_ERR_NO_MEM, "no memory to fetch %zu bytes", bytes);
    }
    if (!error)
        error = combiner_apply(&c);
    if (!error && fetched)
        error = datatype_unpack_to(device, result->type, result->at, 0, fetched, bytes);
    free(copy);
    free(fetched);
    return error;
}

/* All accumulates but compare-and-swap. */
static int combine_sides(const struct user_buffer *origin, const struct user_buffer *result, struct target *t,
                         struct op *op, struct request **request)
{
    size_t bytes;
    int error;

    if (t->rank == MPI_PROC_NULL)
        return win_finish(request);
    if (!t->type->basic)
        return check_basic(t->type, t->type);
    error = request ? epoch_check_request(t->win, t->rank) : MPI_SUCCESS;
    if (!error)
        error = check_op(op, t->count, t->type->basic, result);
    if (!error)
        error = datatype_check_receive(t->type, t->count);
    if (!error)
        error = datatype_bytes(t->type, t->count, &bytes);
    if (!error && op->code != OP_NO_OP)
        error = check_side(origin, t, bytes, false);
    if (!error && result)
        error = check_side(result, t, bytes, true);
    if (error)
        return error;
    epoch_note_access(t->win);
    if (!bytes)
        return win_finish(request);
    metric_count_frequent(METRIC_ACCUMULATES, 1);
    if (t->by_message)
        return agent_combine(t, origin, result, op, bytes, request);
    error = combine_here(t, origin, result, op, bytes);
    return error ? error : win_finish(request);
}

int win_accumulate(const void *origin, MPI_Count origin_count, struct datatype *origin_type, int rank,
                   MPI_Aint disp, MPI_Count target_count, struct datatype *target_type, struct op *op,
                   struct win *win, struct request **request)
{
    bool is_one = origin_count == 1 && target_count == 1 && origin_type == target_type && !request;
    void *at = is_one ? combiner_find(win, rank, disp, target_type) : NULL;
    struct user_buffer from = {(void *)(uintptr_t)origin, origin_count, origin_type};
    struct target t;
    int error;

    if (at && combine_found(win, rank, at, op, target_type, origin, NULL, &error))
        return error;
    error = target_find(win, rank, disp, target_count, target_type, &t);
    return error ? error : combine_sides(&from, NULL, &t, op, request);
}

/* What entry points check where an origin's buffer is significant. */
static int check_origin(const struct user_buffer *origin)
{
    if (origin->count < 0)
        return fail(MPI_ERR_COUNT, "origin_count %lld is negative", (long long)origin->count);
    if (!datatype_is_usable(origin->type))
        return fail(MPI_ERR_TYPE, "origin_datatype is not a committed datatype; call MPI_Type_commit first");
    if (!origin->at && origin->count && origin->type->object.predefined)
        return fail(MPI_ERR_BUFFER, "origin_addr is NULL, but %lld items are to be there",
                    (long long)origin->count);
    return MPI_SUCCESS;
}

/* Whether all sides are one item of one type; nothing is combined with a buffer that is not there. */
static bool is_one_item(const struct user_buffer *from, const struct user_buffer *to, MPI_Count count,
                        const struct datatype *type, const struct op *op)
{
    if (to->count != 1 || count != 1 || to->type != type)
        return false;
    return op->code == OP_NO_OP || (from->at && from->count == 1 && from->type == type);
}

int win_get_accumulate(const void *origin, MPI_Count origin_count, MPI_Datatype origin_type, void *result,
                       MPI_Count result_count, struct datatype *result_type, int rank, MPI_Aint disp,
                       MPI_Count target_count, struct datatype *target_type, struct op *op, struct win *win,
                       struct request **request)
{
    struct user_buffer from = {(void *)(uintptr_t)origin, origin_count, datatype_find(origin_type)};
    struct user_buffer to = {result, result_count, result_type};
    struct target t;
    void *at = is_one_item(&from, &to, target_count, target_type, op) && !request
                   ? combiner_find(win, rank, disp, target_type)
                   : NULL;
    int error;

    if (at && combine_found(win, rank, at, op, target_type, origin, result, &error))
        return error;
    error = op->code == OP_NO_OP ? MPI_SUCCESS : check_origin(&from);
    if (!error)
        error = target_find(win, rank, disp, target_count, target_type, &t);
    return error ? error : combine_sides(&from, &to, &t, op, request);
}

static int find_and_fetch(const void *origin, void *result, struct datatype *type, int rank, MPI_Aint disp,
                          struct op *op, struct win *win)
{
    struct user_buffer from = {(void *)(uintptr_t)origin, 1, type}, to = {result, 1, type};
    struct combination c = {.basic = type,
                            .op = op,
                            .data = op->code == OP_NO_OP ? NULL : origin,
                            .result = result,
                            .bytes = (size_t)type->size};
    int error = target_find(win, rank, disp, 1, type, &c.target);

    if (!error && rank != MPI_PROC_NULL && type->basic != type)
        error = fail(MPI_ERR_TYPE, "MPI_Fetch_and_op takes predefined datatypes only, not %s",
                     datatype_title(type));
    if (error || !c.target.is_mapped || !type->dense || kind_set_has_device(hint_buffer_kinds(&win->hints)))
        return error ? error : combine_sides(&from, &to, &c.target, op, NULL);
    error = check_op(op, 1, type, true);
    if (error)
        return error;
    epoch_note_access(win);
    metric_count_frequent(METRIC_ACCUMULATES, 1);
    return combiner_apply(&c);
}

int win_fetch_and_op(const void *origin, void *result, struct datatype *type, int rank, MPI_Aint disp,
                     struct op *op, struct win *win)
{
    void *at = combiner_find(win, rank, disp, type);
    int error;

    if (at && combine_found(win, rank, at, op, type, origin, result, &error))
        return error;
    return find_and_fetch(origin, result, type, rank, disp, op, win);
}

static int check_swap(const struct datatype *type)
{
    unsigned fine = CATEGORY_C_INTEGER | CATEGORY_FORTRAN_INTEGER | CATEGORY_LOGICAL |
                    CATEGORY_MULTI_LANGUAGE | CATEGORY_BYTE | CATEGORY_CHAR;

    if (type->basic == type && type->category & fine)
        return MPI_SUCCESS;
    return fail(MPI_ERR_TYPE,
                "MPI_Compare_and_swap takes integers, logicals, MPI_BYTE and multi-language types, not %s",
                datatype_title(type));
}

static int find_and_swap(const void *origin, const void *compare, void *result, struct datatype *type,
                         int rank, MPI_Aint disp, struct win *win)
{
    struct combination c = {.basic = type, .data = origin, .result = result, .bytes = (size_t)type->size};
    int error = target_find(win, rank, disp, 1, type, &c.target);

    if (error || rank == MPI_PROC_NULL)
        return error;
    error = check_swap(type);
    if (error)
        return error;
    epoch_note_access(win);
    metric_count_frequent(METRIC_ACCUMULATES, 1);
    if (c.target.by_message)
        return agent_swap(&c.target, origin, compare, result);
    return combiner_swap(&c, compare);
}

int win_compare_and_swap(const void *origin, const void *compare, void *result, struct datatype *type,
                         int rank, MPI_Aint disp, struct win *win)
{
    void *at = combiner_find(win, rank, disp, type);

    if (__builtin_expect(!at || check_swap(type), 0))
        return find_and_swap(origin, compare, result, type, rank, disp, win);
    epoch_note_access(win);
    return combiner_exchange(win, rank, at, type, origin, compare, result);
}
