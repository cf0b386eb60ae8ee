/* ranks: 2 3 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Put, get, accumulate and get_accumulate with derived types on either side, against what MPI_Pack and
 * MPI_Unpack do with the same types in this process's own memory; the types freed as soon as the call has
 * returned, and used again. */
#include "win.h"

#include <stddef.h>

enum {
    INTS = 360,  /* that each layout selects in all */
    ROOM = 8192, /* bytes that hold each layout */
    LAYOUTS = 9
};

struct gappy {
    char pad;
    int a[2];
    double between;
    int b;
};

/* A committed type and how many of it make INTS ints. All of int, as accumulates ask. */
static int make_layout(int which, MPI_Datatype *type)
{
    int lengths[] = {3, 0, 5, 1}, at[] = {20, 4, 2, 11}, sizes[] = {8, 10}, part[] = {4, 6}, start[] = {2, 3};
    MPI_Datatype inner;
    int count = 1;

    if (which == 0) {
        OK(MPI_Type_dup(MPI_INT, type));
        count = INTS;
    } else if (which == 1) {
        OK(MPI_Type_contiguous(INTS / 4, MPI_INT, type));
        count = 4;
    } else if (which == 2) {
        OK(MPI_Type_vector(INTS / 3, 3, 5, MPI_INT, type));
    } else if (which == 3) { /* the last first */
        OK(MPI_Type_vector(INTS, 1, -2, MPI_INT, &inner));
        OK(MPI_Type_create_hindexed(1, &count, (MPI_Aint[]){4 * 2 * (INTS - 1)}, inner, type));
        OK(MPI_Type_free(&inner));
    } else if (which == 4) {
        OK(MPI_Type_indexed(4, lengths, at, MPI_INT, type));
        count = INTS / 9;
    } else if (which == 5) {
        OK(MPI_Type_create_struct(2, (int[]){2, 1},
                                  (MPI_Aint[]){offsetof(struct gappy, a), offsetof(struct gappy, b)},
                                  (MPI_Datatype[]){MPI_INT, MPI_INT}, &inner));
        OK(MPI_Type_create_resized(inner, 0, sizeof(struct gappy), type));
        OK(MPI_Type_free(&inner));
        count = INTS / 3;
    } else if (which == 6) {
        OK(MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, MPI_INT, type));
        count = INTS / 24;
    } else if (which == 7) { /* negative lower bound */
        OK(MPI_Type_create_hindexed_block(3, 2, (MPI_Aint[]){-8, 8, 24}, MPI_INT, &inner));
        OK(MPI_Type_create_hindexed(1, &count, (MPI_Aint[]){16}, inner, type));
        OK(MPI_Type_free(&inner));
        count = INTS / 6;
    } else { /* a vector of vectors */
        OK(MPI_Type_vector(6, 2, 3, MPI_INT, &inner));
        OK(MPI_Type_create_hvector(INTS / 12, 1, 4 * 20, inner, type));
        OK(MPI_Type_free(&inner));
    }
    OK(MPI_Type_commit(type));
    return count;
}

static void pack(void *data, void *user, MPI_Datatype type, int count, int is_unpack)
{
    int position = 0;

    if (is_unpack)
        OK(MPI_Unpack(data, INTS * 4, &position, user, count, type, MPI_COMM_SELF));
    else
        OK(MPI_Pack(user, count, type, data, INTS * 4, &position, MPI_COMM_SELF));
    CHECK_EQ(position, INTS * 4);
}

static void number(int *at, int from)
{
    for (int i = 0; i < ROOM / 4; i++)
        at[i] = from + 3 * i;
}

static void check_same_memory(const void *a, const void *b, const char *what, int origin, int target)
{
    const int *x = a, *y = b;

    for (int i = 0; i < ROOM / 4; i++)
        if (x[i] != y[i])
            fprintf(stderr, "%s: origin layout %d, target layout %d: int %d\n", what, origin, target, i);
    CHECK(memcmp(a, b, ROOM) == 0);
}

enum operation {
    PUT,
    ACCUMULATE,
    GET,
    GET_ACCUMULATE,
    OPERATIONS
};
static const char *const names[] = {"put", "accumulate", "get", "get_accumulate"};

/* What a target's memory and the buffer of a get hold afterwards, made by packing. */
static void expect(enum operation operation, int origin, int target, int *memory, int *buffer)
{
    int before[INTS], data[INTS], given[ROOM / 4];
    MPI_Datatype otype, ttype;
    int ocount = make_layout(origin, &otype), tcount = make_layout(target, &ttype);

    number(given, 1000000 + origin);
    pack(before, memory, ttype, tcount, 0);
    pack(data, given, otype, ocount, 0);
    if (operation == ACCUMULATE || operation == GET_ACCUMULATE)
        for (int i = 0; i < INTS; i++)
            data[i] += before[i];
    if (operation != GET)
        pack(data, memory, ttype, tcount, 1);
    if (operation >= GET)
        pack(before, buffer, otype, ocount, 1);
    OK(MPI_Type_free(&otype));
    OK(MPI_Type_free(&ttype));
}

static void run(enum operation operation, const struct window *w, int to, int origin, int target, int *given,
                int *buffer)
{
    MPI_Aint at = window_at(w, to, 0);
    MPI_Datatype otype, ttype;
    int ocount = make_layout(origin, &otype), tcount = make_layout(target, &ttype);

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, w->win));
    if (operation == PUT)
        OK(MPI_Put(given, ocount, otype, to, at, tcount, ttype, w->win));
    if (operation == ACCUMULATE)
        OK(MPI_Accumulate(given, ocount, otype, to, at, tcount, ttype, MPI_SUM, w->win));
    if (operation == GET)
        OK(MPI_Get(buffer, ocount, otype, to, at, tcount, ttype, w->win));
    if (operation == GET_ACCUMULATE)
        OK(MPI_Get_accumulate(given, ocount, otype, buffer, ocount, otype, to, at, tcount, ttype, MPI_SUM,
                              w->win));
    OK(MPI_Type_free(&otype)); /* MPI-5.0 12.5.6: safe once the call has returned */
    OK(MPI_Type_free(&ttype));
    OK(MPI_Win_unlock(to, w->win));
}

static void try_pair(const struct window *w, enum operation operation, int origin, int target)
{
    int to = (rank + 1) % size;
    int *given = malloc(ROOM), *buffer = malloc(ROOM), *memory = malloc(ROOM), *want = malloc(ROOM);

    CHECK(given && buffer && memory && want);
    number((int *)(void *)w->base, 7 * rank);
    number(given, 1000000 + origin);
    memset(buffer, 0x55, ROOM);
    memset(want, 0x55, ROOM);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    run(operation, w, to, origin, target, given, buffer);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, w->win));
    number(memory, 7 * rank); /* what the previous rank did here */
    expect(operation, origin, target, memory, given);
    check_same_memory(w->base, memory, names[operation], origin, target);
    OK(MPI_Win_unlock(rank, w->win));
    number(memory, 7 * to); /* what this rank got there */
    expect(operation, origin, target, memory, want);
    check_same_memory(buffer, want, names[operation], origin, target);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(given), free(buffer), free(memory), free(want);
}

/* A type that is kept and used by many calls, and types of one layout made again and again. */
static void types_are_used_again(const struct window *w)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, data[INTS];
    MPI_Datatype kept, again;
    int count = make_layout(2, &kept);

    memset(w->base, 0, ROOM);
    OK(MPI_Win_fence(0, w->win));
    for (int i = 0; i < INTS; i++)
        data[i] = rank + i;
    for (int round = 0; round < 200; round++) {
        OK(MPI_Accumulate(data, INTS, MPI_INT, to, window_at(w, to, 0), count, kept, MPI_SUM, w->win));
        make_layout(2, &again);
        OK(MPI_Accumulate(data, INTS, MPI_INT, to, window_at(w, to, 0), count, again, MPI_SUM, w->win));
        OK(MPI_Type_free(&again));
    }
    OK(MPI_Win_fence(0, w->win));
    pack(data, w->base, kept, count, 0);
    for (int i = 0; i < INTS; i++)
        CHECK_EQ(data[i], 400 * (from + i));
    OK(MPI_Type_free(&kept));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, ROOM, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        for (enum operation operation = 0; operation < OPERATIONS; operation++)
            for (int pair = 0; pair < LAYOUTS * LAYOUTS; pair++)
                try_pair(&w, operation, pair / LAYOUTS, pair % LAYOUTS);
        types_are_used_again(&w);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
