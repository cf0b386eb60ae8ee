/* ranks: 2 4 8 timeout: 120 also: INKLING_CMA=false also: INKLING_TRANSPORT=ofi */
/* Examples of MPI-5.0, 12.8, as programs: a counting semaphore, Peterson's algorithm, a critical region by
 * compare and swap, double buffering with MPI_MODE_NOCHECK, chunks by requests, and a linked list on a dynamic
 * window. */
#include "win.h"

#include <stddef.h>

enum {
    TURNS = 50
};

static void add(const struct window *w, int to, int at, int what, MPI_Op op)
{
    OK(MPI_Accumulate(&what, 1, MPI_INT, to, window_at(w, to, at), 1, MPI_INT, op, w->win));
    OK(MPI_Win_flush(to, w->win));
}

static int read_of(const struct window *w, int from, int at)
{
    int value;

    OK(MPI_Get_accumulate(NULL, 0, MPI_INT, &value, 1, MPI_INT, from, window_at(w, from, at), 1, MPI_INT,
                          MPI_NO_OP, w->win));
    OK(MPI_Win_flush(from, w->win));
    return value;
}

/* All but rank 0 count a semaphore down, and rank 0 sees it at 0. */
static void semaphore(const struct window *w)
{
    OK(MPI_Win_lock_all(0, w->win));
    if (rank == 0)
        add(w, 0, 0, size - 1, MPI_REPLACE);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        while (read_of(w, 0, 0) != 0)
            ;
    else
        add(w, 0, 0, -1, MPI_SUM);
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

enum {
    WANTS,
    TURN,
    COUNTER
};

/* Ranks 0 and 1. Each says what it wants in its own memory; whose turn it is stands in rank 0's. */
static void peterson(const struct window *w)
{
    int other = !rank;

    OK(MPI_Win_lock_all(0, w->win));
    if (rank < 2) {
        add(w, rank, WANTS, 0, MPI_REPLACE);
        if (rank == 0)
            add(w, 0, COUNTER, 0, MPI_REPLACE);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; rank < 2 && i < TURNS; i++) {
        int count;

        add(w, rank, WANTS, 1, MPI_REPLACE);
        add(w, 0, TURN, other, MPI_REPLACE);
        while (read_of(w, other, WANTS) && read_of(w, 0, TURN) == other)
            ;
        count = read_of(w, 0, COUNTER) + 1; /* in two steps, that nobody comes between */
        add(w, 0, COUNTER, count, MPI_REPLACE);
        add(w, rank, WANTS, 0, MPI_REPLACE);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    if (rank == 0)
        CHECK_EQ(read_of(w, 0, COUNTER), 2 * TURNS);
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void critical_region(const struct window *w)
{
    OK(MPI_Win_lock_all(0, w->win));
    if (rank == 0) {
        memset(w->base, 0, 8);
        OK(MPI_Win_sync(w->win));
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TURNS; i++) {
        int zero = 0, one = 1, seen, count;

        do {
            OK(MPI_Compare_and_swap(&one, &zero, &seen, MPI_INT, 0, window_at(w, 0, 0), w->win));
            OK(MPI_Win_flush(0, w->win));
        } while (seen);
        OK(MPI_Get(&count, 1, MPI_INT, 0, window_at(w, 0, 1), 1, MPI_INT, w->win));
        OK(MPI_Win_flush(0, w->win));
        count++;
        OK(MPI_Put(&count, 1, MPI_INT, 0, window_at(w, 0, 1), 1, MPI_INT, w->win));
        OK(MPI_Win_flush(0, w->win));
        OK(MPI_Compare_and_swap(&zero, &one, &seen, MPI_INT, 0, window_at(w, 0, 0), w->win));
        OK(MPI_Win_flush(0, w->win));
        CHECK_EQ(seen, 1);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK_EQ(read_of(w, 0, 1), TURNS * size);
    OK(MPI_Win_unlock_all(w->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

/* Two windows in turn; each next start may say MPI_MODE_NOCHECK, since the wait before implies the post. */
static void double_buffer(const struct window *a, const struct window *b)
{
    enum {
        NOTHING = MPI_MODE_NOCHECK | MPI_MODE_NOPUT
    };
    int pair[2] = {(rank + 1) % size, (rank + size - 1) % size}, got[2] = {0, 0};
    const struct window *w[2] = {a, b};
    MPI_Group world, neighbours;

    OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
    OK(MPI_Group_incl(world, size == 2 ? 1 : 2, pair, &neighbours));
    *(int *)(void *)a->base = rank;
    OK(MPI_Win_post(neighbours, NOTHING, a->win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < TURNS; i++) {
        const struct window *now = w[i % 2], *next = w[(i + 1) % 2];

        OK(MPI_Win_start(neighbours, MPI_MODE_NOCHECK, now->win));
        for (int k = 0; k < 2; k++)
            OK(MPI_Get(&got[k], 1, MPI_INT, pair[k], window_at(now, pair[k], 0), 1, MPI_INT, now->win));
        *(int *)(void *)next->base = rank + i + 1;
        if (i < TURNS - 1)
            OK(MPI_Win_post(neighbours, NOTHING, next->win));
        OK(MPI_Win_complete(now->win));
        OK(MPI_Win_wait(now->win));
        CHECK_EQ(got[0], pair[0] + i);
        CHECK_EQ(got[1], pair[1] + i);
    }
    OK(MPI_Group_free(&neighbours));
    OK(MPI_Group_free(&world));
    OK(MPI_Barrier(MPI_COMM_WORLD));
}

enum {
    CHUNKS = 4, /* under way at once */
    CHUNK = 250,
    STEPS = 20
};

static void chunks_by_requests(void)
{
    MPI_Request put[CHUNKS], get;
    double data[CHUNKS][CHUNK], *base;
    int target = (rank + 1) % size, j;
    MPI_Win win;

    for (int i = 0; i < CHUNKS; i++)
        put[i] = MPI_REQUEST_NULL;
    OK(MPI_Win_allocate(STEPS * CHUNK * (MPI_Aint)sizeof(double), sizeof(double), MPI_INFO_NULL,
                        MPI_COMM_WORLD, &base, &win));
    for (int i = 0; i < STEPS * CHUNK; i++)
        base[i] = i + rank;
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < STEPS; i++) {
        if (i < CHUNKS)
            j = i;
        else
            OK(MPI_Waitany(CHUNKS, put, &j, MPI_STATUS_IGNORE));
        OK(MPI_Rget(data[j], CHUNK, MPI_DOUBLE, target, i * CHUNK, CHUNK, MPI_DOUBLE, win, &get));
        OK(MPI_Wait(&get, MPI_STATUS_IGNORE));
        for (int k = 0; k < CHUNK; k++)
            data[j][k] *= 2;
        OK(MPI_Rput(data[j], CHUNK, MPI_DOUBLE, target, i * CHUNK, CHUNK, MPI_DOUBLE, win, &put[j]));
    }
    OK(MPI_Waitall(CHUNKS, put, MPI_STATUSES_IGNORE));
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < STEPS * CHUNK; i++)
        CHECK(base[i] == 2.0 * (i + rank));
    OK(MPI_Win_free(&win));
}

/* The linked list. A place in it is a rank and an address there. */
struct place {
    MPI_Aint at;
    int owner;
};
struct element {
    struct place next;
    int value;
};
enum {
    ELEMENTS = 20
};
static const struct place nil = {0, -1};

static MPI_Aint new_element(MPI_Win win, int value, struct element **made)
{
    MPI_Aint at;

    OK(MPI_Alloc_mem(sizeof **made, MPI_INFO_NULL, made));
    **made = (struct element){nil, value};
    OK(MPI_Win_attach(win, *made, sizeof **made));
    OK(MPI_Get_address(*made, &at));
    return at;
}

/* The element behind the tail, once its maker has said where it is. */
static struct place chase(MPI_Win win, struct place tail, int owner)
{
    struct place next = {nil.at, owner};

    do {
        OK(MPI_Get_accumulate(NULL, 0, MPI_AINT, &next.at, 1, MPI_AINT, tail.owner,
                              MPI_Aint_add(tail.at, offsetof(struct element, next.at)), 1, MPI_AINT,
                              MPI_NO_OP, win));
        OK(MPI_Win_flush(tail.owner, win));
    } while (next.at == nil.at);
    return next;
}

static struct place append(MPI_Win win, struct place tail, struct place made)
{
    for (;;) {
        int owner = 0;

        OK(MPI_Compare_and_swap(&made.owner, &nil.owner, &owner, MPI_INT, tail.owner,
                                MPI_Aint_add(tail.at, offsetof(struct element, next.owner)), win));
        OK(MPI_Win_flush(tail.owner, win));
        if (owner == nil.owner)
            break;
        tail = chase(win, tail, owner);
    }
    OK(MPI_Accumulate(&made.at, 1, MPI_AINT, tail.owner,
                      MPI_Aint_add(tail.at, offsetof(struct element, next.at)), 1, MPI_AINT, MPI_REPLACE,
                      win));
    OK(MPI_Win_flush(tail.owner, win));
    return made;
}

/* Each rank's elements, in its order; all of them. */
static void check_list(MPI_Win win, struct place place)
{
    int found[64] = {0}, total = 0;
    struct element e;

    OK(MPI_Win_lock_all(0, win));
    for (;;) {
        OK(MPI_Get(&e, sizeof e, MPI_BYTE, place.owner, place.at, sizeof e, MPI_BYTE, win));
        OK(MPI_Win_flush(place.owner, win));
        if (e.value >= 0) {
            CHECK_EQ(e.value, place.owner * ELEMENTS + found[place.owner]);
            found[place.owner]++;
            total++;
        }
        if (e.next.owner == nil.owner)
            break;
        place = e.next;
    }
    OK(MPI_Win_unlock_all(win));
    CHECK_EQ(total, size * ELEMENTS);
}

static void linked_list(void)
{
    struct element *mine[ELEMENTS], *first = NULL;
    struct place head = {0, 0}, tail;
    MPI_Win win;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    if (rank == 0)
        head.at = new_element(win, -1, &first);
    OK(MPI_Bcast(&head.at, 1, MPI_AINT, 0, MPI_COMM_WORLD));
    tail = head;
    OK(MPI_Win_lock_all(0, win));
    for (int i = 0; i < ELEMENTS; i++) {
        struct place made = {new_element(win, rank * ELEMENTS + i, &mine[i]), rank};

        tail = append(win, tail, made);
    }
    OK(MPI_Win_unlock_all(win));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    check_list(win, head);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < ELEMENTS; i++) {
        OK(MPI_Win_detach(win, mine[i]));
        OK(MPI_Free_mem(mine[i]));
    }
    OK(MPI_Win_free(&win));
    if (rank == 0)
        OK(MPI_Free_mem(first));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    for (enum way way = 0; way < WAYS; way++) {
        struct window w, other;

        if (!window_open(&w, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD))
            continue;
        CHECK(window_open(&other, way, 64, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD));
        semaphore(&w);
        peterson(&w);
        critical_region(&w);
        double_buffer(&w, &other);
        window_close(&w);
        window_close(&other);
    }
    chunks_by_requests();
    linked_list();
    MPI_Finalize();
    return 0;
}
