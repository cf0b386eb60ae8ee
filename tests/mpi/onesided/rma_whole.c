/* ranks: 2 3 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Accumulates of types of 1, 2 and 4 bytes. Programs move whole objects by them, {rank, address} as 16 times MPI_BYTE: what one has
 * replaced another fetches whole, however it is aligned, and in any kind of window. Sums by all ranks of one element and of
 * vectors lose nothing, towards each other and MPI_Compare_and_swap. */
#include "win.h"

enum {
    OBJECT_MOST = 40,
    BYTES = 256,
    ROUNDS = 3000,
    ADDED = 40
};

/* Enough rounds to meet others, and no more messages than need be. */
static int rounds_of(const struct window *w)
{
    return w->way != CREATED && w->way != DYNAMIC && shares_memory(MPI_COMM_WORLD) ? ROUNDS : ROUNDS / 30;
}

/* All bytes are the same. */
static int is_whole(const unsigned char *object, int bytes)
{
    for (int i = 1; i < bytes; i++)
        if (object[i] != object[0])
            return 0;
    return 1;
}

/* All ranks replace an object of rank 0 and fetch it, by calls of several kinds. */
static void objects_are_whole(const struct window *w, int at, int bytes, MPI_Datatype type)
{
    unsigned char mine[OBJECT_MOST], had[OBJECT_MOST];
    int rounds = rounds_of(w), item, count;

    OK(MPI_Type_size(type, &item));
    count = bytes / item;
    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 0; i < rounds; i++) {
        memset(mine, 1 + (rank * 50 + i) % 250, sizeof mine);
        if (i % 3 == 0)
            OK(MPI_Accumulate(mine, count, type, 0, window_at(w, 0, at), count, type, MPI_REPLACE, w->win));
        else if (i % 3 == 1)
            OK(MPI_Get_accumulate(NULL, 0, type, had, count, type, 0, window_at(w, 0, at), count, type,
                                  MPI_NO_OP, w->win));
        else
            OK(MPI_Get_accumulate(mine, count, type, had, count, type, 0, window_at(w, 0, at), count, type,
                                  MPI_REPLACE, w->win));
        OK(MPI_Win_flush(0, w->win));
        CHECK(i % 3 == 0 || is_whole(had, bytes));
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(rank || is_whole(w->base + at, bytes));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static unsigned get_item(const void *at, int item)
{
    uint32_t word;
    uint16_t half;

    memcpy(&word, at, item == 4 ? 4 : 1);
    memcpy(&half, at, item >= 2 ? 2 : 1);
    return item == 4 ? word : item == 2 ? half : *(const uint8_t *)at;
}

static void set_item(void *at, int item, unsigned value)
{
    uint32_t word = value;
    uint16_t half = (uint16_t)value;
    uint8_t narrow = (uint8_t)value;

    memcpy(at, item == 4 ? (void *)&word : item == 2 ? (void *)&half : &narrow, (size_t)item);
}

/* Adds 1 by comparing and swapping until nobody else was faster. */
static void add_by_swaps(const struct window *w, MPI_Aint at, MPI_Datatype type, int item)
{
    unsigned char guess[4] = {0}, seen[4] = {0}, next[4];

    for (;;) {
        set_item(next, item, get_item(guess, item) + 1);
        OK(MPI_Compare_and_swap(next, guess, seen, type, 0, at, w->win));
        OK(MPI_Win_flush(0, w->win));
        if (memcmp(seen, guess, (size_t)item) == 0)
            return;
        memcpy(guess, seen, sizeof guess);
    }
}

/* The items from the second one on are added to as a vector, the second alone too, at this byte and behind it. */
static void sums_are_complete(const struct window *w, int at, MPI_Datatype type, int item)
{
    unsigned char ones[32] = {0}, one[4] = {0}, had[32];
    int count = (int)sizeof ones / item;
    MPI_Aint second = window_at(w, 0, at + item);

    for (int i = 0; i < count; i++)
        set_item(ones + i * item, item, 1);
    memcpy(one, ones, (size_t)item);
    memset(w->base, 0, BYTES);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, w->win));
    for (int i = 0; i < ADDED / size; i++) {
        OK(MPI_Accumulate(ones, count, type, 0, second, count, type, MPI_SUM, w->win));
        OK(MPI_Get_accumulate(ones, count, type, had, count, type, 0, second, count, type, MPI_SUM, w->win));
        OK(MPI_Win_flush(0, w->win));
        OK(MPI_Fetch_and_op(one, had, type, 0, second, MPI_SUM, w->win));
        OK(MPI_Win_flush(0, w->win));
        add_by_swaps(w, second, type, item);
    }
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < count && rank == 0; i++)
        CHECK_EQ(get_item(w->base + at + (1 + i) * item, item),
                 (unsigned)((i ? 2 : 4) * (ADDED / size) * size));
    CHECK(is_whole(w->base, rank ? 1 : at + item) && w->base[0] == 0);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w;

        if (!window_open(&w, way, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        objects_are_whole(&w, 64, 16, MPI_BYTE);
        objects_are_whole(&w, 72, 16, MPI_BYTE);
        objects_are_whole(&w, 131, 16, MPI_CHAR);
        objects_are_whole(&w, 56, OBJECT_MOST, MPI_UNSIGNED_CHAR);
        objects_are_whole(&w, 54, 20, MPI_SHORT);
        objects_are_whole(&w, 64, OBJECT_MOST, MPI_INT);
        sums_are_complete(&w, 0, MPI_UINT8_T, 1);
        sums_are_complete(&w, 63, MPI_INT8_T, 1);
        sums_are_complete(&w, 32, MPI_SHORT, 2);
        sums_are_complete(&w, 33, MPI_UINT16_T, 2); /* not aligned */
        sums_are_complete(&w, 32, MPI_INT, 4);
        sums_are_complete(&w, 35, MPI_UINT32_T, 4);
        window_close(&w);
    }
    MPI_Finalize();
    return 0;
}
