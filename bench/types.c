/* types [microseconds]: messages of datatypes with gaps: half a round trip, in microseconds, per layout, sent
 * and received as the same type; the median over batches of about the given time, 50 batches. Beside each,
 * `<name>_hand`: the same data packed by a hand-written loop into a buffer and unpacked from it into memory
 * of the same layout, by one process: what a message costs if sending were free. `<name>_pack`: MPI_Pack and
 * MPI_Unpack, as the loops. `put_<name>` and `get_<name>`: MPI_Put and MPI_Get with this type on both sides and
 * a flush, into and from memory of MPI_Win_allocate. Every layout's data is checked. */
#include "measure.h"

#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    BATCHES = 50,
    WARM = 5,
    ROWS = 1000,
    CUBE = 128,
    BLOCKS = 10000, /* of 1 double; of 4 and of 64 there are fewer, so that the data is the same */
    STRUCTS = 10000,
    OUTER = 100,
    INNER = 100,
    DATA_MAX = 1 << 20 /* bytes of data in one message at most */
};

struct gappy {
    char kind;
    double at[3];
    int id;
    short spin;
};

static char packed[DATA_MAX];
static int *displs; /* of the indexed blocks */

/* How a person would write it: moves the data of the layout at `user` to (or from) `data`. */
typedef void hand_fn(char *user, char *data, int is_unpack);

/* One copy between the two sides; the loops below are read with this in mind. */
static inline void move(void *user, void *data, size_t bytes, int is_unpack)
{
    if (is_unpack)
        memcpy(user, data, bytes);
    else
        memcpy(data, user, bytes);
}

static inline void strided(char *user, char *data, int count, size_t stride, size_t bytes, int is_unpack)
{
    if (is_unpack)
        for (int i = 0; i < count; i++)
            memcpy(user + (size_t)i * stride, data + (size_t)i * bytes, bytes);
    else
        for (int i = 0; i < count; i++)
            memcpy(data + (size_t)i * bytes, user + (size_t)i * stride, bytes);
}

static void hand_column(char *user, char *data, int is_unpack)
{
    strided(user, data, ROWS, ROWS * sizeof(double), sizeof(double), is_unpack);
}

static void hand_face_i(char *user, char *data, int is_unpack)
{
    move(user, data, (size_t)CUBE * CUBE * sizeof(double), is_unpack);
}

static void hand_face_j(char *user, char *data, int is_unpack)
{
    strided(user, data, CUBE, (size_t)CUBE * CUBE * sizeof(double), CUBE * sizeof(double), is_unpack);
}

static void hand_face_k(char *user, char *data, int is_unpack)
{
    strided(user, data, CUBE * CUBE, CUBE * sizeof(double), sizeof(double), is_unpack);
}

static inline void blocks(char *user, char *data, int count, size_t bytes, int is_unpack)
{
    if (is_unpack)
        for (int i = 0; i < count; i++)
            memcpy(user + (size_t)displs[i] * sizeof(double), data + (size_t)i * bytes, bytes);
    else
        for (int i = 0; i < count; i++)
            memcpy(data + (size_t)i * bytes, user + (size_t)displs[i] * sizeof(double), bytes);
}

static void hand_indexed_1(char *user, char *data, int is_unpack)
{
    blocks(user, data, BLOCKS, sizeof(double), is_unpack);
}

static void hand_indexed_4(char *user, char *data, int is_unpack)
{
    blocks(user, data, BLOCKS / 4, 4 * sizeof(double), is_unpack);
}

static void hand_indexed_64(char *user, char *data, int is_unpack)
{
    blocks(user, data, BLOCKS / 64, 64 * sizeof(double), is_unpack);
}

static void hand_struct(char *user, char *data, int is_unpack)
{
    struct gappy *g = (struct gappy *)(void *)user;

    for (int i = 0; i < STRUCTS; i++, data += 31) {
        move(&g[i].kind, data, 1, is_unpack);
        move(g[i].at, data + 1, 24, is_unpack);
        move(&g[i].id, data + 25, 4, is_unpack);
        move(&g[i].spin, data + 29, 2, is_unpack);
    }
}

static void hand_vector_of_vector(char *user, char *data, int is_unpack)
{
    for (int i = 0; i < OUTER; i++)
        strided(user + (size_t)i * INNER * 4 * sizeof(double), data + (size_t)i * INNER * sizeof(double),
                INNER, 3 * sizeof(double), sizeof(double), is_unpack);
}

static MPI_Datatype type_column(void)
{
    MPI_Datatype type;
    MPI_Type_vector(ROWS, 1, ROWS, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype type_face(int across)
{
    int sizes[3] = {CUBE, CUBE, CUBE}, subsizes[3] = {CUBE, CUBE, CUBE}, starts[3] = {0, 0, 0};
    MPI_Datatype type;
    subsizes[across] = 1;
    MPI_Type_create_subarray(3, sizes, subsizes, starts, MPI_ORDER_C, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype type_face_i(void)
{
    return type_face(0);
}

static MPI_Datatype type_face_j(void)
{
    return type_face(1);
}

static MPI_Datatype type_face_k(void)
{
    return type_face(2);
}

/* Blocks with gaps of 1 to 3 blocks between them, the same on both sides. */
static MPI_Datatype type_indexed(int count, int length)
{
    MPI_Datatype type;
    unsigned state = 1;
    for (int i = 0, at = 0; i < count; i++) {
        displs[i] = at;
        state = state * 1103515245u + 12345u;
        at += length * (2 + (int)(state >> 16) % 3);
    }
    MPI_Type_create_indexed_block(count, length, displs, MPI_DOUBLE, &type);
    return type;
}

static MPI_Datatype type_indexed_1(void)
{
    return type_indexed(BLOCKS, 1);
}

static MPI_Datatype type_indexed_4(void)
{
    return type_indexed(BLOCKS / 4, 4);
}

static MPI_Datatype type_indexed_64(void)
{
    return type_indexed(BLOCKS / 64, 64);
}

static MPI_Datatype type_struct(void)
{
    int lengths[] = {1, 3, 1, 1};
    MPI_Aint at[] = {offsetof(struct gappy, kind), offsetof(struct gappy, at), offsetof(struct gappy, id),
                     offsetof(struct gappy, spin)};
    MPI_Datatype parts[] = {MPI_CHAR, MPI_DOUBLE, MPI_INT, MPI_SHORT}, type;
    MPI_Type_create_struct(4, lengths, at, parts, &type);
    return type;
}

static MPI_Datatype type_vector_of_vector(void)
{
    MPI_Datatype inner, type;
    MPI_Type_vector(INNER, 1, 3, MPI_DOUBLE, &inner);
    MPI_Type_create_hvector(OUTER, 1, (MPI_Aint)(INNER * 4 * sizeof(double)), inner, &type);
    MPI_Type_free(&inner);
    return type;
}

static const struct layout {
    const char *name;
    MPI_Datatype (*make)(void);
    hand_fn *hand;
    int count;
    size_t span; /* bytes of memory */
} layouts[] = {
    {"column", type_column, hand_column, 1, (size_t)ROWS *ROWS * sizeof(double)},
    {"face_i", type_face_i, hand_face_i, 1, (size_t)CUBE *CUBE *CUBE * sizeof(double)},
    {"face_j", type_face_j, hand_face_j, 1, (size_t)CUBE *CUBE *CUBE * sizeof(double)},
    {"face_k", type_face_k, hand_face_k, 1, (size_t)CUBE *CUBE *CUBE * sizeof(double)},
    {"indexed_1", type_indexed_1, hand_indexed_1, 1, (size_t)4 * BLOCKS * sizeof(double)},
    {"indexed_4", type_indexed_4, hand_indexed_4, 1, (size_t)4 * BLOCKS * sizeof(double)},
    {"indexed_64", type_indexed_64, hand_indexed_64, 1, (size_t)4 * BLOCKS * sizeof(double)},
    {"struct", type_struct, hand_struct, STRUCTS, STRUCTS * sizeof(struct gappy)},
    {"vector_of_vector", type_vector_of_vector, hand_vector_of_vector, 1,
     (size_t)OUTER *INNER * 4 * sizeof(double)},
};

/* A layout at work. */
struct work {
    const struct layout *layout;
    MPI_Datatype type;
    char *mine, *other; /* memory of the layout */
    int rank;
    char *exposed; /* more of it, which is a window */
    MPI_Win win;
};

typedef void once_fn(const struct work *w);

static void message_once(const struct work *w)
{
    if (w->rank == 0) {
        MPI_Send(w->mine, w->layout->count, w->type, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(w->mine, w->layout->count, w->type, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(w->mine, w->layout->count, w->type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(w->mine, w->layout->count, w->type, 0, 0, MPI_COMM_WORLD);
    }
}

/* Twice, as a round trip has two messages. */
static void hand_once(const struct work *w)
{
    for (int i = 0; i < 2; i++) {
        w->layout->hand(w->mine, packed, 0);
        __asm__ volatile("" : : "r"(packed) : "memory");
        w->layout->hand(w->other, packed, 1);
        __asm__ volatile("" : : "r"(w->other) : "memory");
    }
}

static void pack_once(const struct work *w)
{
    for (int i = 0; i < 2; i++) {
        int at = 0;
        MPI_Pack(w->mine, w->layout->count, w->type, packed, DATA_MAX, &at, MPI_COMM_WORLD);
        at = 0;
        MPI_Unpack(packed, DATA_MAX, &at, w->other, w->layout->count, w->type, MPI_COMM_WORLD);
    }
}

static void put_once(const struct work *w)
{
    for (int i = 0; i < 2; i++) {
        MPI_Put(w->mine, w->layout->count, w->type, 1, 0, w->layout->count, w->type, w->win);
        MPI_Win_flush(1, w->win);
    }
}

static void get_once(const struct work *w)
{
    for (int i = 0; i < 2; i++) {
        MPI_Get(w->mine, w->layout->count, w->type, 1, 0, w->layout->count, w->type, w->win);
        MPI_Win_flush(1, w->win);
    }
}

/* Microseconds of half a call. A batch is as many calls as take about `budget` microseconds; rank 0 decides.
 */
static double time_of(const struct work *w, once_fn *once, double budget, int is_common)
{
    double each[BATCHES], start, spent;
    int calls = 1;
    for (int i = 0; i < WARM; i++)
        once(w);
    start = MPI_Wtime();
    for (int i = 0; i < WARM; i++)
        once(w);
    spent = (MPI_Wtime() - start) / WARM * 1e6;
    calls = spent < budget ? (int)(budget / spent) : 1;
    if (is_common)
        MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int b = 0; b < BATCHES; b++) {
        start = MPI_Wtime();
        for (int i = 0; i < calls; i++)
            once(w);
        each[b] = (MPI_Wtime() - start) / (2 * calls) * 1e6;
    }
    return measure_median(each, BATCHES);
}

static void compare(const struct work *w, const char *memory)
{
    size_t wrong = 0;
    while (wrong < w->layout->span && memory[wrong] == w->other[wrong])
        wrong++;
    if (wrong < w->layout->span) {
        fprintf(stderr, "types: %s: byte %zu of rank %d is wrong\n", w->layout->name, wrong, w->rank);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

/* Rank 0 puts and gets what it has; rank 1 waits. */
static void measure_window(struct work *w, double budget)
{
    double put = 0, get = 0;
    MPI_Win_allocate((MPI_Aint)w->layout->span, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w->exposed, &w->win);
    memset(w->exposed, 0, w->layout->span);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, w->win);
    if (w->rank == 0) {
        put = time_of(w, put_once, budget, 0);
        memset(w->mine, 0, w->layout->span);
        get = time_of(w, get_once, budget, 0);
        printf("put_%s %.3f\nget_%s %.3f\n", w->layout->name, put, w->layout->name, get);
    }
    MPI_Win_unlock_all(w->win);
    MPI_Barrier(MPI_COMM_WORLD);
    compare(w, w->rank == 0 ? w->mine : w->exposed);
    MPI_Win_free(&w->win);
}

/* Rank 1's memory, all 0 but for the data, which rank 0 sent. */
static void check(const struct work *w)
{
    memset(w->other, 0, w->layout->span);
    for (size_t i = 0; i < sizeof packed; i++)
        packed[i] = (char)(i * 7 + i / 256);
    w->layout->hand(w->other, packed, 1);
    if (w->rank == 0)
        memcpy(w->mine, w->other, w->layout->span);
    else
        memset(w->mine, 0, w->layout->span);
    message_once(w);
    compare(w, w->mine);
}

static void measure(const struct layout *layout, int rank, double budget)
{
    struct work w = {layout, layout->make(), malloc(layout->span), malloc(layout->span),
                     rank,   NULL,           MPI_WIN_NULL};
    double message, hand = 0, pack = 0;
    if (!w.mine || !w.other)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Type_commit(&w.type);
    check(&w);
    message = time_of(&w, message_once, budget, 1);
    if (rank == 0) {
        hand = time_of(&w, hand_once, budget, 0);
        pack = time_of(&w, pack_once, budget, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    measure_window(&w, budget);
    if (rank == 0)
        printf("types_%s %.3f\ntypes_%s_hand %.3f\ntypes_%s_pack %.3f\n", layout->name, message, layout->name,
               hand, layout->name, pack);
    MPI_Type_free(&w.type);
    free(w.mine);
    free(w.other);
}

int main(int argc, char **argv)
{
    int rank;
    double budget = (double)measure_argument(argc, argv, 1, 2000);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    displs = malloc(BLOCKS * sizeof *displs);
    if (!displs)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        measure(&layouts[i], rank, budget);
    free(displs);
    MPI_Finalize();
    return 0;
}
