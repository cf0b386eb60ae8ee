/* win: shared by the tests of windows.
 *
 *     for (enum way way = 0; way < WAYS; way++) {
 *         struct window w;
 *
 *         if (!window_open(&w, way, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD))
 *             continue;                               no memory is shared here
 *         MPI_Put(..., target, window_at(&w, target, i), ...);
 *         window_close(&w);
 *     }
 *
 * is one test of every way to make a window. */
#ifndef TESTS_MPI_WIN_H
#define TESTS_MPI_WIN_H

#include "host.h"

#include <pthread.h>
#include <stdint.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

static int rank, size;

static inline void set_up(int *argc, char ***argv)
{
    OK(MPI_Init(argc, argv));
    OK(MPI_Comm_rank(MPI_COMM_WORLD, &rank));
    OK(MPI_Comm_size(MPI_COMM_WORLD, &size));
}

enum {
    THREADS_MOST = 16
};

/* body(0) to body(count - 1), each in a thread of its own. */
static inline void run_threads(void *(*body)(void *), int count)
{
    pthread_t thread[THREADS_MOST];

    CHECK(count <= THREADS_MOST);
    for (intptr_t i = 0; i < count; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, body, (void *)i), 0);
    for (int i = 0; i < count; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

enum way {
    CREATED,   /* over memory of malloc */
    IN_HEAP,   /* over memory of MPI_Alloc_mem */
    ALLOCATED, /* by MPI_Win_allocate */
    SHARED,    /* by MPI_Win_allocate_shared */
    DYNAMIC,   /* with one piece of memory attached */
    WAYS
};

struct window {
    MPI_Win win;
    enum way way;
    int unit;
    unsigned char *base;
    MPI_Aint *address; /* of each rank's memory; a dynamic window's displacements */
};

static inline void window_attach(struct window *w, MPI_Aint bytes, MPI_Info info, MPI_Comm comm)
{
    MPI_Aint mine;
    int members;

    OK(MPI_Win_create_dynamic(info, comm, &w->win));
    OK(MPI_Win_attach(w->win, w->base, bytes));
    OK(MPI_Comm_size(comm, &members));
    w->address = malloc((size_t)members * sizeof *w->address);
    CHECK(w->address != NULL);
    OK(MPI_Get_address(w->base, &mine));
    OK(MPI_Allgather(&mine, 1, MPI_AINT, w->address, 1, MPI_AINT, comm));
}

/* False: this way needs memory that is shared, and there is none. The memory is zeroed, and everybody may
 * access it. */
static inline int window_open(struct window *w, enum way way, MPI_Aint bytes, int unit, MPI_Info info,
                              MPI_Comm comm)
{
    *w = (struct window){.win = MPI_WIN_NULL, .way = way, .unit = unit};
    if (way == SHARED && !shares_memory(comm))
        return 0;
    if (way == IN_HEAP)
        OK(MPI_Alloc_mem(bytes + 1, MPI_INFO_NULL, &w->base));
    if (way == CREATED || way == DYNAMIC)
        CHECK((w->base = malloc((size_t)bytes + 1)) != NULL);
    if (w->base)
        memset(w->base, 0, (size_t)bytes);
    if (way == CREATED || way == IN_HEAP)
        OK(MPI_Win_create(w->base, bytes, unit, info, comm, &w->win));
    if (way == ALLOCATED)
        OK(MPI_Win_allocate(bytes, unit, info, comm, &w->base, &w->win));
    if (way == SHARED)
        OK(MPI_Win_allocate_shared(bytes, unit, info, comm, &w->base, &w->win));
    if (way == DYNAMIC)
        window_attach(w, bytes, info, comm);
    memset(w->base, 0, (size_t)bytes);
    OK(MPI_Barrier(comm));
    return 1;
}

/* The displacement of the target's item i. */
static inline MPI_Aint window_at(const struct window *w, int target, MPI_Aint i)
{
    return w->address ? MPI_Aint_add(w->address[target], i * w->unit) : i;
}

static inline void window_close(struct window *w)
{
    if (w->way == DYNAMIC)
        OK(MPI_Win_detach(w->win, w->base));
    OK(MPI_Win_free(&w->win));
    CHECK_EQ(w->win, MPI_WIN_NULL);
    if (w->way == IN_HEAP)
        OK(MPI_Free_mem(w->base));
    if (w->way == CREATED || w->way == DYNAMIC)
        free(w->base);
    free(w->address);
}

/* Byte i of what a rank puts. */
static inline unsigned char byte_of(int of, size_t i)
{
    return (unsigned char)(((i + 1) * 2654435761u + (unsigned)of * 40503u) >> 7);
}

static inline void fill(void *at, size_t bytes, int of)
{
    for (size_t i = 0; i < bytes; i++)
        ((unsigned char *)at)[i] = byte_of(of, i);
}

/* The first byte that is not of this rank; -1: none. */
static inline long long find_wrong(const void *at, size_t bytes, int of)
{
    for (size_t i = 0; i < bytes; i++)
        if (((const unsigned char *)at)[i] != byte_of(of, i))
            return (long long)i;
    return -1;
}

#endif
