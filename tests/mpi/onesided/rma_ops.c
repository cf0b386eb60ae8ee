/* ranks: 1 2 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Every predefined operation on every predefined type that has it, by MPI_Accumulate, MPI_Get_accumulate and
 * MPI_Fetch_and_op, against a few lines of C; and MPI_ERR_OP for what the standard's table leaves out. */
#include "rma_types.h"

enum {
    ITEMS = 5,
    ITEM = 32, /* bytes of the largest type's items */
    ROOM = 64 + ITEMS * ITEM
};

static int combine_bits(MPI_Op op, int a, int b)
{
    if (op == MPI_LAND)
        return a && b;
    if (op == MPI_LOR)
        return a || b;
    if (op == MPI_LXOR)
        return !a != !b;
    if (op == MPI_BAND)
        return a & b;
    if (op == MPI_BOR)
        return a | b;
    return a ^ b;
}

/* (a, b) at the target and (c, d) from the origin. */
static void combine(const struct predefined *t, MPI_Op op, int *a, int *b, int c, int d)
{
    int before = *a;

    if (op == MPI_NO_OP)
        return;
    if (op == MPI_REPLACE) {
        *a = c, *b = d;
    } else if (op == MPI_MINLOC || op == MPI_MAXLOC) {
        if (*a == c)
            *b = d < *b ? d : *b;
        else if ((c < *a) == (op == MPI_MINLOC))
            *a = c, *b = d;
    } else if (op == MPI_SUM) {
        *a += c, *b += d;
    } else if (op == MPI_PROD) {
        *a = t->group == COMPLEX ? before * c - *b * d : before * c;
        *b = before * d + *b * c;
    } else if (op == MPI_MAX || op == MPI_MIN) {
        *a = (c > *a) == (op == MPI_MAX) ? c : *a;
    } else {
        *a = combine_bits(op, *a, c);
    }
}

static int has_two(const struct predefined *t)
{
    return t->group == COMPLEX || t->group == PAIR;
}

/* Small, so that no type overflows; 0 and 1 of a logical type. Some pairs are equal, for the LOCs. */
static void numbers(const struct predefined *t, int who, int i, int *a, int *b)
{
    *a = (who * 3 + i * 5) % 9;
    if (t->bytes == 1) /* so that products fit */
        *a %= 3;
    *b = has_two(t) ? (who * 7 + i) % 5 : 0;
    if (t->group == LOGICAL)
        *a %= 2;
}

static void put_numbers(const struct predefined *t, void *at, int who)
{
    for (int i = 0, a, b; i < ITEMS; i++) {
        numbers(t, who, i, &a, &b);
        store(t, (unsigned char *)at + i * t->bytes, a, b);
    }
}

/* The numbers of `target`, combined `times` times with those of `origin`. */
static void check_numbers(const struct predefined *t, const struct operation *o, const void *at, int items,
                          int target, int origin, int times)
{
    for (int i = 0; i < items; i++) {
        long double found_a, found_b;
        int a, b, c, d;

        numbers(t, target, i, &a, &b);
        numbers(t, origin, i, &c, &d);
        for (int k = 0; k < times; k++)
            combine(t, o->op, &a, &b, c, d);
        if (t->group == LOGICAL)
            a = a != 0;
        load(t, (const unsigned char *)at + i * t->bytes, &found_a, &found_b);
        if (found_a != a || (has_two(t) && found_b != b)) {
            fprintf(stderr, "%s of %s, item %d: (%Lg %Lg) is not (%d %d)\n", o->name, t->name, i, found_a,
                    found_b, a, b);
            CHECK(found_a == a && (!has_two(t) || found_b == b));
        }
    }
}

/* Each rank works on the next one's memory: accumulate, get_accumulate, fetch_and_op, one after the other in
 * one epoch, which the default ordering keeps in this order. */
static void try(const struct window *w, const struct predefined *t, const struct operation *o)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, accumulates = o->op != MPI_NO_OP;
    _Alignas(16) unsigned char mine[ROOM], old[ROOM], fetched[ROOM];
    MPI_Aint at = window_at(w, to, 0);

    put_numbers(t, w->base, rank);
    put_numbers(t, mine, rank + 100);
    OK(MPI_Win_fence(0, w->win));
    if (accumulates) /* MPI_NO_OP is not for MPI_Accumulate */
        OK(MPI_Accumulate(mine, ITEMS, t->type, to, at, ITEMS, t->type, o->op, w->win));
    if (accumulates)
        OK(MPI_Get_accumulate(mine, ITEMS, t->type, old, ITEMS, t->type, to, at, ITEMS, t->type, o->op,
                              w->win));
    else
        OK(MPI_Get_accumulate(NULL, 0, MPI_DATATYPE_NULL, old, ITEMS, t->type, to, at, ITEMS, t->type, o->op,
                              w->win));
    OK(MPI_Fetch_and_op(mine, fetched, t->type, to, at, o->op, w->win));
    OK(MPI_Win_fence(0, w->win));
    check_numbers(t, o, old, ITEMS, to, rank + 100, accumulates);
    check_numbers(t, o, fetched, 1, to, rank + 100, accumulates * 2);
    check_numbers(t, o, w->base, 1, rank, from + 100, accumulates * 3);
    for (int i = t->bytes * ITEMS; i < ROOM; i++)
        CHECK_EQ(w->base[i], 0);
    OK(MPI_Win_fence(0, w->win));
    memset(w->base, 0, ROOM);
    OK(MPI_Win_fence(0, w->win));
}

/* docs/TOLERANCES.md: characters, bytes, and truth values of multi-language types. */
static int is_tolerated(const struct predefined *t, const struct operation *o)
{
    return t->type == MPI_CHAR || (t->type == MPI_BYTE && o->op != MPI_MINLOC && o->op != MPI_MAXLOC) ||
           (t->group == MULTI && (o->op == MPI_LAND || o->op == MPI_LOR || o->op == MPI_LXOR));
}

static void refuse(const struct window *w, const struct predefined *t, const struct operation *o)
{
    _Alignas(16) unsigned char mine[ROOM] = {0}, old[ROOM];
    MPI_Aint at = window_at(w, rank, 0);

    OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_RETURN));
    OK(MPI_Win_fence(0, w->win));
    if (class_of(MPI_Accumulate(mine, 1, t->type, rank, at, 1, t->type, o->op, w->win)) != MPI_ERR_OP) {
        fprintf(stderr, "%s of %s is let pass\n", o->name, t->name);
        CHECK(!"an operation that the type does not have");
    }
    CHECK_EQ(
        class_of(MPI_Get_accumulate(mine, 1, t->type, old, 1, t->type, rank, at, 1, t->type, o->op, w->win)),
        MPI_ERR_OP);
    CHECK_EQ(class_of(MPI_Fetch_and_op(mine, old, t->type, rank, at, o->op, w->win)), MPI_ERR_OP);
    OK(MPI_Win_fence(0, w->win));
    OK(MPI_Win_set_errhandler(w->win, MPI_ERRORS_ARE_FATAL));
}

/* Everybody adds to everybody's numbers of all types at once, while others do. */
static void sums_of_all(const struct window *w)
{
    int count;
    const struct predefined *types = predefined_types(&count);

    for (int i = 0; i < count; i++) {
        const struct predefined *t = &types[i];
        _Alignas(16) unsigned char one[ITEM];
        long double a, b;

        if (!(t->group & (INTEGER | FORTRAN_INTEGER | FLOATING | COMPLEX | MULTI)))
            continue;
        memset(w->base, 0, ROOM);
        store(t, one, 1, 1);
        OK(MPI_Win_fence(0, w->win));
        for (int round = 0; round < 20; round++)
            for (int to = 0; to < size; to++)
                OK(MPI_Accumulate(one, 1, t->type, to, window_at(w, to, 0), 1, t->type, MPI_SUM, w->win));
        OK(MPI_Win_fence(0, w->win));
        load(t, w->base, &a, &b);
        CHECK(a == 20 * size);
        if (has_two(t))
            CHECK(b == 20 * size);
    }
}

int main(int argc, char **argv)
{
    int types_count, operations_count;
    const struct predefined *types = predefined_types(&types_count);
    const struct operation *operations = predefined_operations(&operations_count);

    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (int i = 0; i < types_count; i++)
            for (int k = 0; k < operations_count; k++)
                if (types[i].group & operations[k].groups)
                    try(&w, &types[i], &operations[k]);
                else if (way == ALLOCATED && !is_tolerated(&types[i], &operations[k]))
                    refuse(&w, &types[i], &operations[k]);
        sums_of_all(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
