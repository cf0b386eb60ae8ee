/* ranks: 1 2 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Communication calls whose arguments do not fit: the class of each error, nothing written anywhere, and the
 * epoch goes on. Displacements and layouts that leave the window, one byte too far; counts, types, operations
 * and targets that are none; data that does not fit. */
#include "win.h"

#define REFUSED(call, class) CHECK_EQ(class_of(call), class)

enum {
    BYTES = 64
};

static MPI_Win win;
static MPI_Datatype bare, mixed, vector;
static MPI_Op own;
static int to;
static long one = 1, old = 7;

static void make_types(void)
{
    OK(MPI_Type_contiguous(2, MPI_LONG, &bare)); /* not committed */
    OK(MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_LONG, MPI_DOUBLE},
                              &mixed));
    OK(MPI_Type_commit(&mixed));
    OK(MPI_Type_vector(2, 1, 4, MPI_LONG, &vector)); /* bytes 0-7 and 32-39 */
    OK(MPI_Type_commit(&vector));
}

static void add(void *in, void *inout, int *count, MPI_Datatype *type)
{
    (void)type;
    for (int i = 0; i < *count; i++)
        ((long *)inout)[i] += ((long *)in)[i];
}

/* All operations that move `count` of `type` at a displacement. */
static void refused_at(MPI_Aint at, int count, MPI_Datatype type, int class)
{
    long in[BYTES], out[BYTES];
    MPI_Request request = MPI_REQUEST_NULL;

    for (int i = 0; i < BYTES; i++) /* the window's memory has nothing but zeros */
        in[i] = out[i] = 9;

    REFUSED(MPI_Put(in, count, type, to, at, count, type, win), class);
    REFUSED(MPI_Get(out, count, type, to, at, count, type, win), class);
    REFUSED(MPI_Accumulate(in, count, type, to, at, count, type, MPI_REPLACE, win), class);
    REFUSED(MPI_Get_accumulate(in, count, type, out, count, type, to, at, count, type, MPI_REPLACE, win),
            class);
    REFUSED(MPI_Get_accumulate(NULL, 0, type, out, count, type, to, at, count, type, MPI_NO_OP, win), class);
    REFUSED(MPI_Rput(in, count, type, to, at, count, type, win, &request), class);
    REFUSED(MPI_Rget(out, count, type, to, at, count, type, win, &request), class);
    REFUSED(MPI_Raccumulate(in, count, type, to, at, count, type, MPI_REPLACE, win, &request), class);
    CHECK_EQ(request, MPI_REQUEST_NULL);
    for (int i = 0; i < BYTES; i++)
        CHECK_EQ(out[i], 9);
}

static void beyond_the_window(void)
{
    refused_at(BYTES, 1, MPI_BYTE, MPI_ERR_RMA_RANGE);
    refused_at(BYTES - 7, 1, MPI_LONG, MPI_ERR_RMA_RANGE);
    refused_at(0, BYTES / 8 + 1, MPI_LONG, MPI_ERR_RMA_RANGE);
    refused_at((MPI_Aint)1 << 40, 1, MPI_LONG, MPI_ERR_RMA_RANGE);
    refused_at(INT64_MAX - 3, 1, MPI_LONG, MPI_ERR_RMA_RANGE);
    refused_at(BYTES - 39, 1, vector, MPI_ERR_RMA_RANGE);
    REFUSED(MPI_Fetch_and_op(&one, &old, MPI_LONG, to, BYTES, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    REFUSED(MPI_Fetch_and_op(&one, &old, MPI_LONG, to, BYTES - 4, MPI_SUM, win), MPI_ERR_RMA_RANGE);
    REFUSED(MPI_Compare_and_swap(&one, &one, &old, MPI_LONG, to, BYTES, win), MPI_ERR_RMA_RANGE);
}

/* A layout may begin before its displacement. The first byte counts, not the bounds. */
static void before_the_window(void)
{
    MPI_Datatype before, padded;
    long x = 0, zeros[8] = {0};

    OK(MPI_Type_create_hindexed(1, (int[]){1}, (MPI_Aint[]){-8}, MPI_LONG, &before));
    OK(MPI_Type_commit(&before));
    REFUSED(MPI_Put(&x, 1, MPI_LONG, to, 0, 1, before, win), MPI_ERR_RMA_RANGE);
    REFUSED(MPI_Put(&x, 1, MPI_LONG, to, 7, 1, before, win), MPI_ERR_RMA_RANGE);
    OK(MPI_Put(&x, 1, MPI_LONG, to, 8, 1, before, win));
    OK(MPI_Put(&x, 1, MPI_LONG, to, BYTES, 1, before, win));
    OK(MPI_Type_create_resized(MPI_LONG, -100, 1000, &padded));
    OK(MPI_Type_commit(&padded));
    OK(MPI_Put(&x, 1, MPI_LONG, to, BYTES - 8, 1, padded, win));
    OK(MPI_Put(&x, 1, MPI_LONG, to, 0, 1, padded, win));
    OK(MPI_Put(zeros, 1, vector, to, BYTES - 40, 1, vector, win));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Type_free(&before));
    OK(MPI_Type_free(&padded));
}

static void negative_arguments(void)
{
    REFUSED(MPI_Put(&one, 1, MPI_LONG, to, -1, 1, MPI_LONG, win), MPI_ERR_DISP);
    REFUSED(MPI_Get(&old, 1, MPI_LONG, to, -8, 1, MPI_LONG, win), MPI_ERR_DISP);
    REFUSED(MPI_Fetch_and_op(&one, &old, MPI_LONG, to, -1, MPI_SUM, win), MPI_ERR_DISP);
    REFUSED(MPI_Compare_and_swap(&one, &one, &old, MPI_LONG, to, -1, win), MPI_ERR_DISP);
    REFUSED(MPI_Put(&one, -1, MPI_LONG, to, 0, 1, MPI_LONG, win), MPI_ERR_COUNT);
    REFUSED(MPI_Put(&one, 1, MPI_LONG, to, 0, -1, MPI_LONG, win), MPI_ERR_COUNT);
    REFUSED(MPI_Get(&old, -1, MPI_LONG, to, 0, 1, MPI_LONG, win), MPI_ERR_COUNT);
    REFUSED(MPI_Accumulate(&one, -1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win), MPI_ERR_COUNT);
    REFUSED(MPI_Get_accumulate(&one, 1, MPI_LONG, &old, -1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_SUM, win),
            MPI_ERR_COUNT);
    for (int i = 0; i < 3; i++) {
        int rank_of_none[] = {-17, size, 1 << 30};

        REFUSED(MPI_Put(&one, 1, MPI_LONG, rank_of_none[i], 0, 1, MPI_LONG, win), MPI_ERR_RANK);
        REFUSED(MPI_Get(&old, 1, MPI_LONG, rank_of_none[i], 0, 1, MPI_LONG, win), MPI_ERR_RANK);
        REFUSED(MPI_Fetch_and_op(&one, &old, MPI_LONG, rank_of_none[i], 0, MPI_SUM, win), MPI_ERR_RANK);
        REFUSED(MPI_Compare_and_swap(&one, &one, &old, MPI_LONG, rank_of_none[i], 0, win), MPI_ERR_RANK);
    }
}

static void types(void)
{
    long in[4] = {9, 9, 9, 9}, out[4] = {7, 7, 7, 7}, zeros[2] = {0, 0};

    REFUSED(MPI_Put(in, 1, MPI_DATATYPE_NULL, to, 0, 1, MPI_LONG, win), MPI_ERR_TYPE);
    REFUSED(MPI_Put(in, 2, MPI_LONG, to, 0, 1, MPI_DATATYPE_NULL, win), MPI_ERR_TYPE);
    REFUSED(MPI_Put(in, 1, bare, to, 0, 2, MPI_LONG, win), MPI_ERR_TYPE);
    REFUSED(MPI_Put(in, 2, MPI_LONG, to, 0, 1, bare, win), MPI_ERR_TYPE);
    REFUSED(MPI_Get(out, 2, MPI_LONG, to, 0, 1, bare, win), MPI_ERR_TYPE);
    REFUSED(MPI_Accumulate(in, 1, mixed, to, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
    REFUSED(MPI_Accumulate(in, 1, mixed, to, 0, 1, mixed, MPI_REPLACE, win), MPI_ERR_TYPE);
    REFUSED(MPI_Get_accumulate(in, 1, mixed, out, 1, mixed, to, 0, 1, mixed, MPI_SUM, win), MPI_ERR_TYPE);
    REFUSED(MPI_Accumulate(in, 1, MPI_LONG, to, 0, 1, MPI_DOUBLE, MPI_SUM, win), MPI_ERR_TYPE);
    REFUSED(MPI_Get_accumulate(in, 1, MPI_LONG, out, 1, MPI_DOUBLE, to, 0, 1, MPI_LONG, MPI_SUM, win),
            MPI_ERR_TYPE);
    REFUSED(MPI_Fetch_and_op(in, out, vector, to, 0, MPI_SUM, win), MPI_ERR_TYPE);
    REFUSED(MPI_Compare_and_swap(in, in, out, vector, to, 0, win), MPI_ERR_TYPE);
    REFUSED(MPI_Compare_and_swap(in, in, out, MPI_DOUBLE, to, 0, win), MPI_ERR_TYPE);
    REFUSED(MPI_Compare_and_swap(in, in, out, MPI_2INT, to, 0, win), MPI_ERR_TYPE);
    REFUSED(MPI_Compare_and_swap(in, in, out, MPI_C_DOUBLE_COMPLEX, to, 0, win), MPI_ERR_TYPE);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(out[i], 7);
    OK(MPI_Put(zeros, 1, mixed, to, 0, 1, mixed, win)); /* but a put may move it */
}

static void operations(void)
{
    long out;

    REFUSED(MPI_Accumulate(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, own, win), MPI_ERR_OP);
    REFUSED(MPI_Get_accumulate(&one, 1, MPI_LONG, &out, 1, MPI_LONG, to, 0, 1, MPI_LONG, own, win),
            MPI_ERR_OP);
    REFUSED(MPI_Fetch_and_op(&one, &out, MPI_LONG, to, 0, own, win), MPI_ERR_OP);
    REFUSED(MPI_Accumulate(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_OP_NULL, win), MPI_ERR_OP);
    REFUSED(MPI_Fetch_and_op(&one, &out, MPI_LONG, to, 0, MPI_OP_NULL, win), MPI_ERR_OP);
    REFUSED(MPI_Accumulate(&one, 1, MPI_LONG, to, 0, 1, MPI_LONG, MPI_NO_OP, win), MPI_ERR_OP);
    REFUSED(MPI_Accumulate(&one, 1, MPI_DOUBLE, to, 0, 1, MPI_DOUBLE, MPI_BXOR, win), MPI_ERR_OP);
    REFUSED(MPI_Accumulate(&one, 1, vector, to, 0, 1, vector, MPI_MINLOC, win), MPI_ERR_OP);
}

/* More data than its place holds. */
static void does_not_fit(void)
{
    long in[4] = {9, 9, 9, 9}, out[4] = {7, 7, 7, 7};

    REFUSED(MPI_Put(in, 3, MPI_LONG, to, 0, 2, MPI_LONG, win), MPI_ERR_TRUNCATE);
    REFUSED(MPI_Get(out, 2, MPI_LONG, to, 0, 3, MPI_LONG, win), MPI_ERR_TRUNCATE);
    REFUSED(MPI_Accumulate(in, 3, MPI_LONG, to, 0, 2, MPI_LONG, MPI_SUM, win), MPI_ERR_TRUNCATE);
    REFUSED(MPI_Get_accumulate(in, 3, MPI_LONG, out, 3, MPI_LONG, to, 0, 2, MPI_LONG, MPI_SUM, win),
            MPI_ERR_TRUNCATE);
    REFUSED(MPI_Get_accumulate(in, 2, MPI_LONG, out, 1, MPI_LONG, to, 0, 2, MPI_LONG, MPI_SUM, win),
            MPI_ERR_TRUNCATE);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(out[i], 7);
}

/* MPI-5.0, 12.3: memory of a dynamic window that is not attached, or was; at the call or, where only the
 * target knows, when it completes. */
static void not_attached(void)
{
    long memory[8] = {0}, x = 5;
    MPI_Aint mine, all[64];
    MPI_Win dynamic;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &dynamic));
    OK(MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN));
    OK(MPI_Win_attach(dynamic, memory, 4 * sizeof(long)));
    OK(MPI_Get_address(memory, &mine));
    OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    for (int i = 0; i < 3; i++) {
        MPI_Aint at = MPI_Aint_add(all[to], i == 0 ? 4 * 8 : i == 1 ? 3 * 8 + 1 : -8);
        int error, later;

        OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, dynamic));
        error = MPI_Put(&x, 1, MPI_LONG, to, at, 1, MPI_LONG, dynamic);
        later = MPI_Win_unlock(to, dynamic);
        REFUSED(error ? error : later, MPI_ERR_RMA_RANGE);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    for (int i = 0; i < 8; i++)
        CHECK_EQ(memory[i], 0);
    OK(MPI_Barrier(MPI_COMM_WORLD)); /* all have looked */
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, dynamic));
    OK(MPI_Put(&x, 1, MPI_LONG, to, MPI_Aint_add(all[to], 24), 1, MPI_LONG, dynamic));
    OK(MPI_Win_unlock(to, dynamic));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(((volatile long *)memory)[3], 5);
    OK(MPI_Win_free(&dynamic));
}

/* Where the target has no memory, or less than others, and its own unit. */
static void own_sizes_count(void)
{
    long x = 1, *base;
    MPI_Win uneven;

    OK(MPI_Win_allocate(8 * (MPI_Aint)rank, rank + 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &uneven));
    OK(MPI_Win_set_errhandler(uneven, MPI_ERRORS_RETURN));
    OK(MPI_Win_lock_all(0, uneven));
    for (int r = 0; r < size; r++) {
        MPI_Aint bytes = 8 * r, unit = r + 1, last = (bytes - 1) / unit;

        REFUSED(MPI_Put(&x, 1, MPI_BYTE, r, 8, 1, MPI_BYTE, uneven), MPI_ERR_RMA_RANGE);
        OK(MPI_Put(&x, 0, MPI_BYTE, r, 0, 0, MPI_BYTE, uneven));
        if (r == 0)
            continue;
        REFUSED(MPI_Put(&x, 1, MPI_SHORT, r, (bytes + unit - 1) / unit, 1, MPI_SHORT, uneven),
                MPI_ERR_RMA_RANGE);
        OK(MPI_Accumulate(&x, 1, MPI_BYTE, r, last, 1, MPI_BYTE, MPI_BOR, uneven));
    }
    OK(MPI_Win_unlock_all(uneven));
    OK(MPI_Win_free(&uneven));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    OK(MPI_Op_create(add, 1, &own));
    make_types();
    for (enum way way = 0; way < DYNAMIC; way++) {
        struct window w;

        if (!window_open(&w, way, BYTES, 1, MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        win = w.win;
        OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
        for (int by = 0; by < 2; by++) { /* oneself and another */
            to = (rank + by) % size;
            OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
            beyond_the_window();
            before_the_window();
            negative_arguments();
            types();
            operations();
            does_not_fit();
            OK(MPI_Win_unlock(to, win));
            OK(MPI_Barrier(MPI_COMM_WORLD));
        }
        CHECK_EQ(old, 7);
        for (int i = 0; i < BYTES; i++)
            CHECK_EQ(w.base[i], 0);
        window_close(&w);
    }
    not_attached();
    own_sizes_count();
    OK(MPI_Type_free(&bare));
    OK(MPI_Type_free(&mixed));
    OK(MPI_Type_free(&vector));
    OK(MPI_Op_free(&own));
    MPI_Finalize();
    return 0;
}
