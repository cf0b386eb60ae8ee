/* ranks: 1 2 4 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Dynamic windows: several pieces of memory attached, of malloc and of MPI_Alloc_mem, while others use the
 * window; detached in any order and attached again; addresses as displacements. Types whose items lie in several of them,
 * also at displacement 0 with addresses of their own. */
#include "win.h"

enum {
    PIECES = 20,
    BYTES = 4000
};

static MPI_Aint *addresses_of(MPI_Aint mine[PIECES])
{
    MPI_Aint *all = malloc((size_t)size * PIECES * sizeof *all);

    CHECK(all != NULL);
    OK(MPI_Allgather(mine, PIECES, MPI_AINT, all, PIECES, MPI_AINT, MPI_COMM_WORLD));
    return all;
}

static void *piece(int i)
{
    void *at;

    if (i % 2)
        CHECK((at = malloc(BYTES)) != NULL);
    else
        OK(MPI_Alloc_mem(BYTES, MPI_INFO_NULL, &at));
    memset(at, 0, BYTES);
    return at;
}

static void free_piece(int i, void *at)
{
    if (i % 2)
        free(at);
    else
        OK(MPI_Free_mem(at));
}

/* A window has the attributes that the standard gives it: no memory, at MPI_BOTTOM. */
static void is_empty_at_first(MPI_Win win)
{
    void *base = &win;
    MPI_Aint *bytes;
    int *unit, flag;

    OK(MPI_Win_get_attr(win, MPI_WIN_BASE, &base, &flag));
    CHECK(flag && base == MPI_BOTTOM);
    OK(MPI_Win_get_attr(win, MPI_WIN_SIZE, &bytes, &flag));
    CHECK(flag && *bytes == 0);
    OK(MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &unit, &flag));
    CHECK(flag && *unit == 1);
}

/* Each rank puts into each of the next rank's pieces, at an offset, and gets it from there. */
static void use_all(MPI_Win win, const MPI_Aint *all, int round)
{
    int to = (rank + 1) % size;
    unsigned char data[PIECES][100], got[PIECES][100];

    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, to, 0, win));
    for (int i = 0; i < PIECES; i++) {
        fill(data[i], 100, rank + i + round);
        OK(MPI_Put(data[i], 100, MPI_BYTE, to, MPI_Aint_add(all[to * PIECES + i], 3 * i), 100, MPI_BYTE,
                   win));
    }
    OK(MPI_Win_flush(to, win));
    for (int i = 0; i < PIECES; i++)
        OK(MPI_Get(got[i], 100, MPI_BYTE, to, MPI_Aint_add(all[to * PIECES + i], 3 * i), 100, MPI_BYTE, win));
    OK(MPI_Win_unlock(to, win));
    for (int i = 0; i < PIECES; i++)
        CHECK_EQ(find_wrong(got[i], 100, rank + i + round), -1);
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_all(MPI_Win win, void *const at[PIECES], int round)
{
    int from = (rank + size - 1) % size;

    OK(MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, win));
    for (int i = 0; i < PIECES; i++)
        CHECK_EQ(find_wrong((unsigned char *)at[i] + 3 * i, 100, from + i + round), -1);
    OK(MPI_Win_unlock(rank, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void pieces_come_and_go(MPI_Win win)
{
    MPI_Aint mine[PIECES], *all;
    void *at[PIECES];

    for (int i = 0; i < PIECES; i++) {
        at[i] = piece(i);
        OK(MPI_Win_attach(win, at[i], BYTES));
        OK(MPI_Get_address(at[i], &mine[i]));
    }
    all = addresses_of(mine);
    use_all(win, all, 0);
    check_all(win, at, 0);
    free(all);
    for (int i = 0; i < PIECES; i += 3) { /* others get their places, and some the same one */
        OK(MPI_Win_detach(win, at[i]));
        if (i % 2)
            continue;
        free_piece(i, at[i]);
        at[i] = piece(i);
    }
    for (int i = PIECES - 1; i >= 0; i--)
        if (i % 3 == 0) {
            OK(MPI_Win_attach(win, at[i], BYTES));
            OK(MPI_Get_address(at[i], &mine[i]));
        }
    all = addresses_of(mine);
    use_all(win, all, 5);
    check_all(win, at, 5);
    free(all);
    for (int i = 0; i < PIECES / 2; i++)
        OK(MPI_Win_detach(win, at[i]));
    OK(MPI_Win_free(&win)); /* detaches what is left */
    for (int i = 0; i < PIECES; i++)
        free_piece(i, at[i]);
}

/* Two pieces side by side are two. An address inside one is as good as its first. */
static void neighbours_are_no_overlap(void)
{
    long memory[4] = {0};
    MPI_Aint mine, all[64];
    MPI_Win win;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;
    long x = 5 + rank;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_attach(win, memory, 2 * sizeof(long)));
    OK(MPI_Win_attach(win, memory + 2, 2 * sizeof(long)));
    OK(MPI_Get_address(memory + 1, &mine));
    OK(MPI_Allgather(&mine, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
    OK(MPI_Win_fence(0, win));
    OK(MPI_Put(&x, 1, MPI_LONG, to, all[to], 1, MPI_LONG, win));
    OK(MPI_Accumulate(&x, 1, MPI_LONG, to, MPI_Aint_add(all[to], sizeof(long)), 1, MPI_LONG, MPI_SUM, win));
    OK(MPI_Win_fence(0, win));
    CHECK(memory[0] == 0 && memory[1] == 5 + from && memory[2] == 5 + from && memory[3] == 0);
    OK(MPI_Win_detach(win, memory + 2));
    OK(MPI_Win_detach(win, memory));
    OK(MPI_Win_free(&win));
}

enum {
    MANY = 500, /* pieces */
    PIECE = 64, /* bytes of each, and of the gap behind it */
};

/* The class of the error of a put there, or of what completes it. */
static int put_there(MPI_Win win, int to, MPI_Aint at, const void *data, int bytes)
{
    int put = MPI_Put(data, bytes, MPI_BYTE, to, at, bytes, MPI_BYTE, win), flush = MPI_Win_flush(to, win);

    return class_of(put ? put : flush);
}

/* Puts into all pieces of the next rank. Every third one is refused, if it is gone; all gaps are. */
static void put_into_many(MPI_Win win, MPI_Aint base, int are_gone, int round)
{
    int to = (rank + 1) % size;
    unsigned char data[PIECE];

    OK(MPI_Win_lock(MPI_LOCK_SHARED, to, 0, win));
    for (int i = 0; i < MANY; i++) {
        MPI_Aint at = MPI_Aint_add(base, 2 * PIECE * i);

        fill(data, PIECE, i + round);
        CHECK_EQ(put_there(win, to, at, data, PIECE),
                 are_gone && i % 3 == 0 ? MPI_ERR_RMA_RANGE : MPI_SUCCESS);
        CHECK_EQ(put_there(win, to, MPI_Aint_add(at, PIECE), data, 1), MPI_ERR_RMA_RANGE);
        CHECK_EQ(put_there(win, to, MPI_Aint_add(at, 1), data, PIECE), MPI_ERR_RMA_RANGE);
    }
    OK(MPI_Win_unlock(to, win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void check_many(const unsigned char *memory, int are_gone, int round)
{
    for (int i = 0; i < MANY; i++) {
        int is_old = are_gone && i % 3 == 0;

        CHECK_EQ(find_wrong(memory + 2 * PIECE * i, PIECE, is_old ? i : i + round), -1);
        for (int k = PIECE; k < 2 * PIECE; k++)
            CHECK_EQ(memory[2 * PIECE * i + k], 0xee);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void attach_thirds(MPI_Win win, unsigned char *memory, int is_first, int rest)
{
    for (int i = 0; i < MANY; i++)
        if (i % 3 == 0 ? is_first : rest)
            OK(MPI_Win_attach(win, memory + 2 * PIECE * i, PIECE));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* However many pieces are attached, what is not attached, or no longer, is refused. */
static void many_pieces(int are_of_mpi)
{
    unsigned char *memory = are_of_mpi ? NULL : malloc(2 * PIECE * MANY);
    MPI_Aint mine, next;
    MPI_Win win;
    int to = (rank + 1) % size, from = (rank + size - 1) % size;

    if (are_of_mpi)
        OK(MPI_Alloc_mem(2 * PIECE * MANY, MPI_INFO_NULL, &memory));
    CHECK(memory != NULL);
    memset(memory, 0xee, 2 * PIECE * MANY);
    OK(MPI_Get_address(memory, &mine));
    OK(MPI_Sendrecv(&mine, 1, MPI_AINT, from, 0, &next, 1, MPI_AINT, to, 0, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    attach_thirds(win, memory, 1, 1);
    put_into_many(win, next, 0, 0);
    check_many(memory, 0, 0);
    for (int i = 0; i < MANY; i += 3)
        OK(MPI_Win_detach(win, memory + 2 * PIECE * i));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    put_into_many(win, next, 1, 1);
    check_many(memory, 1, 1);
    attach_thirds(win, memory, 1, 0);
    put_into_many(win, next, 0, 2);
    check_many(memory, 0, 2);
    OK(MPI_Win_free(&win));
    if (are_of_mpi)
        OK(MPI_Free_mem(memory));
    else
        free(memory);
}

/* No bytes may be attached where some are. What is detached there first is what origins could access. */
static void nothing_is_attached_too(void)
{
    long memory[8] = {0}, x = 7;
    MPI_Aint at;
    MPI_Win win;

    OK(MPI_Get_address(memory, &at));
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN));
    for (int order = 0; order < 2; order++) {
        OK(MPI_Win_attach(win, memory, order ? sizeof memory : 0));
        OK(MPI_Win_attach(win, memory, order ? 0 : sizeof memory));
        OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, win));
        CHECK_EQ(put_there(win, 0, at, &x, sizeof x), MPI_SUCCESS);
        OK(MPI_Win_detach(win, memory));
        CHECK_EQ(put_there(win, 0, at, &x, sizeof x), MPI_ERR_RMA_RANGE);
        OK(MPI_Win_unlock(0, win));
        OK(MPI_Win_detach(win, memory));
        CHECK_EQ(class_of(MPI_Win_detach(win, memory)), MPI_ERR_RMA_ATTACH);
    }
    OK(MPI_Win_free(&win));
}

enum {
    CELLS = 1200, /* of each of the two kinds of memory */
    FIRST = 501,  /* so many of them in one attachment, the next ones in another that begins inside a cell */
    GAP = 1000,   /* this one and those after it to the last are not attached */
    BLOCKS = 5
};

/* Two blocks of memory, one that others map and one that they do not, each attached in three parts: two side by side, and the
 * last cell. */
struct parts {
    MPI_Win win;
    int64_t *cell[2];
    MPI_Aint address[64][2];
};

static void parts_open(struct parts *p)
{
    MPI_Aint mine[2];

    OK(MPI_Alloc_mem(CELLS * 8, MPI_INFO_NULL, &p->cell[0]));
    CHECK((p->cell[1] = malloc(CELLS * 8)) != NULL);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &p->win));
    OK(MPI_Win_set_errhandler(p->win, MPI_ERRORS_RETURN));
    for (int i = 0; i < 2; i++) {
        char *cut = (char *)&p->cell[i][FIRST] + 3;

        for (int k = 0; k < CELLS; k++)
            p->cell[i][k] = 1000 * i + k;
        OK(MPI_Win_attach(p->win, cut, (char *)&p->cell[i][GAP] - cut));
        OK(MPI_Win_attach(p->win, p->cell[i], cut - (char *)p->cell[i]));
        OK(MPI_Win_attach(p->win, &p->cell[i][CELLS - 1], 8));
        OK(MPI_Get_address(p->cell[i], &mine[i]));
    }
    OK(MPI_Allgather(mine, 2, MPI_AINT, p->address, 2, MPI_AINT, MPI_COMM_WORLD));
}

static void parts_close(struct parts *p)
{
    OK(MPI_Win_free(&p->win));
    OK(MPI_Free_mem(p->cell[0]));
    free(p->cell[1]);
}

/* Blocks of both kinds, across the cuts and behind the gaps. Which cell of which kind item `i` is. */
static const int kind_of[BLOCKS] = {1, 0, 0, 1, 0},
                 first_of[BLOCKS] = {CELLS - 1, FIRST - 9, 0, 7, CELLS - 1},
                 cells_of[BLOCKS] = {1, 20, 3, 950, 1};

static int cells_of_all(void)
{
    int sum = 0;

    for (int i = 0; i < BLOCKS; i++)
        sum += cells_of[i];
    return sum;
}

static MPI_Datatype type_of(const struct parts *p, int target, MPI_Aint base)
{
    MPI_Aint at[BLOCKS];
    MPI_Datatype type;

    for (int i = 0; i < BLOCKS; i++)
        at[i] = MPI_Aint_diff(MPI_Aint_add(p->address[target][kind_of[i]], 8 * first_of[i]), base);
    OK(MPI_Type_create_hindexed(BLOCKS, cells_of, at, MPI_INT64_T, &type));
    OK(MPI_Type_commit(&type));
    return type;
}

/* The first item that is not what its place was filled with, times `factor`, plus `more`; -1: none. */
static int find_odd(const int64_t *item, int factor, int more)
{
    for (int i = 0, n = 0; i < BLOCKS; n += cells_of[i++])
        for (int k = 0; k < cells_of[i]; k++)
            if (item[n + k] != factor * (1000 * kind_of[i] + first_of[i] + k) + more)
                return n + k;
    return -1;
}

static void complete(MPI_Request *r)
{
    OK(MPI_Wait(r, MPI_STATUS_IGNORE));
}

/* Every call, with and without a request; everything is then as it was. */
static void all_calls(const struct parts *p, int to, MPI_Aint base)
{
    int n = cells_of_all();
    int64_t *had = malloc(n * sizeof *had), *twice = malloc(n * sizeof *had), *got = malloc(n * sizeof *had);
    MPI_Datatype type = type_of(p, to, base);
    MPI_Win win = p->win;
    MPI_Request r;

    OK(MPI_Get(had, n, MPI_INT64_T, to, base, 1, type, win));
    OK(MPI_Win_flush(to, win));
    CHECK_EQ(find_odd(had, 1, 0), -1);
    for (int i = 0; i < n; i++)
        twice[i] = 2 * had[i];
    OK(MPI_Put(twice, n, MPI_INT64_T, to, base, 1, type, win));
    OK(MPI_Win_flush(to, win));
    OK(MPI_Rget(got, n, MPI_INT64_T, to, base, 1, type, win, &r));
    complete(&r);
    CHECK_EQ(find_odd(got, 2, 0), -1);
    OK(MPI_Rput(had, n, MPI_INT64_T, to, base, 1, type, win, &r));
    complete(&r);
    OK(MPI_Win_flush(to, win));
    OK(MPI_Accumulate(had, n, MPI_INT64_T, to, base, 1, type, MPI_SUM, win));
    OK(MPI_Raccumulate(had, n, MPI_INT64_T, to, base, 1, type, MPI_SUM, win, &r));
    complete(&r);
    OK(MPI_Get_accumulate(twice, n, MPI_INT64_T, got, n, MPI_INT64_T, to, base, 1, type, MPI_REPLACE, win));
    OK(MPI_Win_flush(to, win));
    CHECK_EQ(find_odd(got, 3, 0), -1);
    OK(MPI_Rget_accumulate(had, n, MPI_INT64_T, got, n, MPI_INT64_T, to, base, 1, type, MPI_MIN, win, &r));
    complete(&r);
    CHECK_EQ(find_odd(got, 2, 0), -1);
    OK(MPI_Get_accumulate(NULL, 0, MPI_INT64_T, got, n, MPI_INT64_T, to, base, 1, type, MPI_NO_OP, win));
    OK(MPI_Win_flush(to, win));
    CHECK_EQ(find_odd(got, 1, 0), -1);
    OK(MPI_Type_free(&type));
    free(had);
    free(twice);
    free(got);
}

/* So do items without a derived type, from one attachment into the one beside it; not into what is not attached. */
static void items_touch_two_parts(const struct parts *p, int to)
{
    int64_t had[20], got[20], twice[20];
    MPI_Win win = p->win;

    for (int kind = 0; kind < 2; kind++) {
        MPI_Aint at = MPI_Aint_add(p->address[to][kind], 8 * (FIRST - 9)),
                 behind = MPI_Aint_add(p->address[to][kind], 8 * (GAP - 9));

        OK(MPI_Get(had, 20, MPI_INT64_T, to, at, 20, MPI_INT64_T, win));
        OK(MPI_Win_flush(to, win));
        for (int i = 0; i < 20; i++) {
            CHECK_EQ(had[i], 1000 * kind + FIRST - 9 + i);
            twice[i] = 2 * had[i];
        }
        OK(MPI_Put(twice, 20, MPI_INT64_T, to, at, 20, MPI_INT64_T, win));
        OK(MPI_Win_flush(to, win));
        OK(MPI_Get_accumulate(had, 20, MPI_INT64_T, got, 20, MPI_INT64_T, to, at, 20, MPI_INT64_T,
                              MPI_REPLACE, win));
        OK(MPI_Win_flush(to, win));
        CHECK(memcmp(got, twice, sizeof got) == 0);
        CHECK_EQ(put_there(win, to, behind, had, 10 * 8), MPI_ERR_RMA_RANGE);
    }
}

/* A type that touches what is not attached, between its parts or behind them, is refused by every call, and changes
 * nothing. */
static void gaps_are_refused(const struct parts *p, int to)
{
    MPI_Aint at[3] = {p->address[to][1], MPI_Aint_add(p->address[to][1], 8 * GAP - 4), p->address[to][0]};
    int ones[3] = {1, 1, 1};
    int64_t x[3] = {-1, -1, -1};
    MPI_Datatype type;

    OK(MPI_Type_create_hindexed(3, ones, at, MPI_INT64_T, &type));
    OK(MPI_Type_commit(&type));
    for (int call = 0; call < 4; call++) {
        int error = call == 0   ? MPI_Put(x, 3, MPI_INT64_T, to, 0, 1, type, p->win)
                    : call == 1 ? MPI_Get(x, 3, MPI_INT64_T, to, 0, 1, type, p->win)
                    : call == 2 ? MPI_Accumulate(x, 3, MPI_INT64_T, to, 0, 1, type, MPI_SUM, p->win)
                                : MPI_Get_accumulate(x, 3, MPI_INT64_T, x, 3, MPI_INT64_T, to, 0, 1, type,
                                                     MPI_SUM, p->win);
        int flush = MPI_Win_flush(to, p->win);

        CHECK_EQ(class_of(error ? error : flush), MPI_ERR_RMA_RANGE);
    }
    OK(MPI_Type_free(&type));
}

/* All ranks add to the same cells at once, some through one type and some one by one: nothing is lost. */
static void all_add(const struct parts *p)
{
    int n = cells_of_all();
    int64_t *ones = malloc(n * sizeof *ones), *had = malloc(n * sizeof *had), one = 1, old;

    for (int i = 0; i < n; i++)
        ones[i] = 1;
    for (int to = 0; to < size; to++) {
        MPI_Datatype type = type_of(p, to, 0);

        for (int round = 0; round < 4; round++) {
            OK(MPI_Get_accumulate(ones, n, MPI_INT64_T, had, n, MPI_INT64_T, to, 0, 1, type, MPI_SUM,
                                  p->win));
            OK(MPI_Win_flush(to, p->win));
        }
        for (int i = 0; i < 200; i++) {
            MPI_Aint at = MPI_Aint_add(p->address[to][i % 2], 8 * (FIRST - 9 + i / 2 % 20));

            OK(MPI_Fetch_and_op(&one, &old, MPI_INT64_T, to, at, MPI_SUM, p->win));
            OK(MPI_Win_flush(to, p->win));
        }
        OK(MPI_Type_free(&type));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < 20; i++)
        for (int kind = 0; kind < 2; kind++)
            CHECK_EQ(p->cell[kind][FIRST - 9 + i], 1000 * kind + FIRST - 9 + i + size * 4 + size * 5);
    CHECK_EQ(p->cell[0][CELLS - 1], CELLS - 1 + size * 4);
    CHECK_EQ(p->cell[0][GAP], GAP);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    free(ones);
    free(had);
}

static void types_touch_several_parts(void)
{
    struct parts p;

    parts_open(&p);
    OK(MPI_Win_lock_all(0, p.win));
    for (int shift = 0; shift < size; shift++) {
        int to = (rank + shift) % size;

        all_calls(&p, to, 0);
        all_calls(&p, to, p.address[to][1]);
        all_calls(&p, to, MPI_Aint_add(p.address[to][0], -4096));
        items_touch_two_parts(&p, to);
        gaps_are_refused(&p, to);
        OK(MPI_Barrier(MPI_COMM_WORLD));
    }
    all_add(&p);
    OK(MPI_Win_unlock_all(p.win));
    parts_close(&p);
}

int main(int argc, char **argv)
{
    MPI_Win win;

    set_up(&argc, &argv);
    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    is_empty_at_first(win);
    pieces_come_and_go(win);
    neighbours_are_no_overlap();
    many_pieces(0);
    many_pieces(1);
    nothing_is_attached_too();
    types_touch_several_parts();
    MPI_Finalize();
    return 0;
}
