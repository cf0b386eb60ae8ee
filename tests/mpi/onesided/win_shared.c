/* ranks: 1 2 4 8 */
/* MPI_Win_allocate_shared: one piece of memory after the other, in the order of ranks; what each rank finds
 * out about the others' and MPI_PROC_NULL's, in both forms; loads and stores that others see; and what
 * MPI_Win_shared_query says of windows made in other ways. */
#include "win.h"

static void query(MPI_Win win, int of, MPI_Aint *bytes, int *unit, unsigned char **base)
{
    MPI_Aint large_bytes = -1, large_unit = -1;
    unsigned char *large_base = NULL;

    OK(MPI_Win_shared_query(win, of, bytes, unit, base));
#if MPI_VERSION >= 4
    OK(MPI_Win_shared_query_c(win, of, &large_bytes, &large_unit, &large_base));
    CHECK_EQ(large_bytes, *bytes);
    CHECK_EQ(large_unit, *unit);
    CHECK(large_base == *base);
#endif
    (void)large_bytes, (void)large_unit, (void)large_base;
}

/* Rank r has `bytes(r)`: equal, growing, with holes. */
static MPI_Aint equal(int of)
{
    (void)of;
    return 4096 + 64;
}

static MPI_Aint growing(int of)
{
    return 16 * (of + 1);
}

static MPI_Aint odd_only(int of)
{
    return of % 2 ? 8 * of : 0;
}

static MPI_Aint odd_bytes(int of)
{
    return 3 + of;
}

static MPI_Aint none(int of)
{
    (void)of;
    return 0;
}

static void segments_follow_each_other(MPI_Aint (*bytes_of)(int))
{
    unsigned char *mine = NULL, *base = NULL, *first = NULL, *end = NULL;
    MPI_Aint bytes;
    MPI_Win win;
    int unit;

    OK(MPI_Win_allocate_shared(bytes_of(rank), rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    for (int r = 0; r < size; r++) {
        query(win, r, &bytes, &unit, &base);
        CHECK_EQ(bytes, bytes_of(r));
        CHECK_EQ(unit, r + 1);
        if (!bytes)
            continue;
        if (end)
            CHECK(base == end);
        if (!first)
            first = base;
        end = base + bytes;
        if (r == rank)
            CHECK(base == mine);
    }
    query(win, MPI_PROC_NULL, &bytes, &unit, &base);
    for (int r = 0; r < size; r++)
        if (bytes_of(r)) {
            CHECK_EQ(bytes, bytes_of(r));
            CHECK_EQ(unit, r + 1);
            CHECK(base == first);
            CHECK_EQ((uintptr_t)base % _Alignof(long double), 0);
            break;
        }
    if (!first)
        CHECK_EQ(bytes, 0);
    OK(MPI_Win_free(&win));
}

/* A rank stores into the next one's memory; a message and MPI_Win_sync make it visible. */
static void stores_are_seen(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, unit, token = 0;
    int *mine = NULL, *its = NULL;
    MPI_Aint bytes;
    MPI_Win win;

    OK(MPI_Win_allocate_shared(1000 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_shared_query(win, to, &bytes, &unit, &its));
    OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, win));
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 1000; i++)
            its[i] = 10000 * round + 10 * i + rank;
        OK(MPI_Win_sync(win));
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, to, 0, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        OK(MPI_Win_sync(win));
        for (int i = 0; i < 1000; i++)
            CHECK_EQ(mine[i], 10000 * round + 10 * i + from);
        OK(MPI_Sendrecv_replace(&token, 1, MPI_INT, from, 0, to, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Win_free(&win));
}

/* A fence orders stores as it orders puts. */
static void fence_makes_stores_visible(void)
{
    int to = (rank + 1) % size, from = (rank + size - 1) % size, unit, put;
    int *mine = NULL, *its = NULL;
    MPI_Aint bytes;
    MPI_Win win;

    OK(MPI_Win_allocate_shared(2 * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Win_shared_query(win, to, &bytes, &unit, &its));
    OK(MPI_Win_fence(0, win));
    for (int round = 0; round < 100; round++) {
        its[0] = round * size + rank;
        put = its[0] + 7;
        OK(MPI_Put(&put, 1, MPI_INT, to, 1, 1, MPI_INT, win));
        OK(MPI_Win_fence(0, win));
        CHECK_EQ(mine[0], round * size + from);
        CHECK_EQ(mine[1], round * size + from + 7);
        OK(MPI_Win_fence(0, win));
    }
    OK(MPI_Win_free(&win));
}

/* Each segment may lie by itself, but can still be found. */
static void noncontiguous_segments_are_found(void)
{
    unsigned char *mine = NULL, *its = NULL;
    MPI_Aint bytes;
    MPI_Info info;
    MPI_Win win;
    int unit;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "alloc_shared_noncontig", "true"));
    OK(MPI_Win_allocate_shared(24 + rank, 1, info, MPI_COMM_WORLD, &mine, &win));
    OK(MPI_Info_free(&info));
    CHECK_EQ((uintptr_t)mine % _Alignof(long double), 0); /* of each rank, as the info key promises */
    memset(mine, 100 + rank, (size_t)(24 + rank));
    OK(MPI_Win_fence(0, win));
    for (int r = 0; r < size; r++) {
        query(win, r, &bytes, &unit, &its);
        CHECK_EQ(bytes, 24 + r);
        for (int i = 0; i < 24 + r; i++)
            CHECK_EQ(its[i], 100 + r);
    }
    OK(MPI_Win_fence(0, win));
    OK(MPI_Win_free(&win));
}

#if MPI_VERSION >= 5
/* MPI-5.0: either the memory can be accessed directly, or its size is 0. */
static void other_windows_answer(enum way way)
{
    MPI_Aint bytes;
    unsigned char *its;
    struct window w;
    int unit;

    OK(window_open(&w, way, 256, 4, MPI_INFO_NULL, MPI_COMM_WORLD) ? MPI_SUCCESS : MPI_ERR_OTHER);
    memset(w.base, 50 + rank, 256);
    OK(MPI_Win_fence(0, w.win));
    for (int r = 0; r < size; r++) {
        query(w.win, r, &bytes, &unit, &its);
        CHECK(bytes == 0 || bytes == 256);
        if (r == rank || way != CREATED) /* on this host these can be reached */
            CHECK_EQ(bytes, 256);
        if (bytes == 256)
            CHECK_EQ(unit, 4);
        for (int i = 0; i < bytes; i++)
            CHECK_EQ(its[i], 50 + r);
    }
    OK(MPI_Win_fence(0, w.win));
    window_close(&w);
}
#endif

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    segments_follow_each_other(equal);
    segments_follow_each_other(growing);
    segments_follow_each_other(odd_only);
    segments_follow_each_other(odd_bytes);
    segments_follow_each_other(none);
    stores_are_seen();
    fence_makes_stores_visible();
    noncontiguous_segments_are_found();
#if MPI_VERSION >= 5
    other_windows_answer(ALLOCATED);
    other_windows_answer(IN_HEAP);
    other_windows_answer(CREATED);
#endif
    MPI_Finalize();
    return 0;
}
