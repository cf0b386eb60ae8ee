/* circles: the communicators of a program that tests collectives: of all processes and of some, in other
 * orders, with assertions, and between two groups of different sizes. */
#ifndef TESTS_COLL_CIRCLES_H
#define TESTS_COLL_CIRCLES_H

#include "check.h"

#include <stdbool.h>

enum {
    RANKS = 17, /* at most */
    CIRCLES = 10
};

/* A communicator, with processes by their ranks in MPI_COMM_WORLD. */
struct circle {
    MPI_Comm comm; /* MPI_COMM_NULL: this process is not in it */
    bool is_inter, is_strict, is_heap_only;
    int size, rank, others; /* of the local group; ranks of the remote one, or of the local one again */
    int local[RANKS], other[RANKS];
    int side; /* of an intercommunicator: 0 or 1 */
};

static int rank, size; /* in MPI_COMM_WORLD */
static int circle_count;
static struct circle circles[CIRCLES];

/* The group of an intercommunicator that a process is in. */
static inline int side_of(const struct circle *circle, int process)
{
    for (int r = 0; r < circle->size; r++)
        if (circle->local[r] == process)
            return circle->side;
    return 1 - circle->side;
}

static inline void list_processes(MPI_Group group, int *processes)
{
    MPI_Group world;
    int ranks[RANKS], count;

    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_size(group, &count);
    for (int r = 0; r < count; r++)
        ranks[r] = r;
    MPI_Group_translate_ranks(group, count, ranks, world, processes);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

static inline struct circle *add_circle(MPI_Comm comm)
{
    struct circle *c = &circles[circle_count++];
    MPI_Group group;
    int is_inter;

    *c = (struct circle){.comm = comm};
    if (comm == MPI_COMM_NULL)
        return c;
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
    MPI_Comm_size(comm, &c->size);
    MPI_Comm_rank(comm, &c->rank);
    MPI_Comm_group(comm, &group);
    list_processes(group, c->local);
    MPI_Comm_test_inter(comm, &is_inter);
    c->is_inter = is_inter;
    if (is_inter) {
        MPI_Comm_remote_size(comm, &c->others);
        MPI_Comm_remote_group(comm, &group);
        list_processes(group, c->other);
        return c;
    }
    c->others = c->size;
    memcpy(c->other, c->local, sizeof c->local);
    return c;
}

static inline MPI_Comm dup_with(const char *key, const char *value)
{
    MPI_Info info;
    MPI_Comm comm;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, &comm);
    MPI_Info_free(&info);
    return comm;
}

/* Between the processes below `cut` and the others, which come in reverse order. */
static inline void add_inter(int cut)
{
    MPI_Comm half, comm;
    int is_high = rank >= cut;

    MPI_Comm_split(MPI_COMM_WORLD, is_high, is_high ? -rank : rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, is_high ? 0 : size - 1, 3, &comm);
    MPI_Comm_free(&half);
    add_circle(comm)->side = is_high;
    circles[circle_count - 1].is_inter = true;
}

static inline void open_circles(void)
{
    MPI_Comm comm;

    add_circle(MPI_COMM_WORLD);
    add_circle(dup_with("mpi_assert_strict_persistent_collective_ordering", "true"))->is_strict = true;
    add_circle(dup_with("mpi_assert_memory_alloc_kinds", "mpi"))->is_heap_only = true;
    MPI_Comm_split(MPI_COMM_WORLD, 0, (rank * 7 + 3) % size, &comm);
    add_circle(comm);
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, -rank, &comm);
    add_circle(comm);
    add_circle(MPI_COMM_SELF);
    if (size > 1)
        add_inter(1);
    if (size > 3)
        add_inter(size / 2);
}

static inline void close_circles(void)
{
    for (int i = 0; i < circle_count; i++)
        if (circles[i].comm != MPI_COMM_NULL && circles[i].comm != MPI_COMM_WORLD &&
            circles[i].comm != MPI_COMM_SELF)
            MPI_Comm_free(&circles[i].comm);
}

#endif
