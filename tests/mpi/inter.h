/* inter: what tests of intercommunicators share. */
#ifndef TESTS_MPI_INTER_H
#define TESTS_MPI_INTER_H

#include "check.h"

/* MPI_COMM_WORLD in two groups and the intercommunicator of both. */
struct sides {
    MPI_Comm local, inter;
    int side; /* 0 or 1 */
    int rank, size, remote;
    int world; /* rank there */
    int step;  /* from a rank's rank in the world to the next rank's; -1: the groups are in reverse order */
};

/* The world's ranks below `cut` are one side. Leaders: of the world's ranks cut - 1 and cut. */
static inline struct sides sides_make_ordered(int cut, int step)
{
    struct sides s = {.step = step};
    int all, leader;

    MPI_Comm_rank(MPI_COMM_WORLD, &s.world);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    s.side = s.world >= cut;
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, s.side, step * s.world, &s.local), MPI_SUCCESS);
    MPI_Comm_rank(s.local, &s.rank);
    MPI_Comm_size(s.local, &s.size);
    s.remote = all - s.size;
    leader = (s.side == 0) == (step > 0) ? s.size - 1 : 0;
    CHECK_EQ(MPI_Intercomm_create(s.local, leader, MPI_COMM_WORLD, s.side == 0 ? cut : cut - 1, 7, &s.inter),
             MPI_SUCCESS);
    return s;
}

static inline struct sides sides_make(int cut)
{
    return sides_make_ordered(cut, 1);
}

static inline void sides_free(struct sides *s)
{
    CHECK_EQ(MPI_Comm_free(&s->inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&s->local), MPI_SUCCESS);
}

/* World rank of a remote rank. */
static inline int sides_world_of_remote(const struct sides *s, int remote_rank)
{
    return (s->side == 0 ? s->size : 0) + (s->step > 0 ? remote_rank : s->remote - 1 - remote_rank);
}

/* Every rank sends its world rank to every remote rank; checks who the remote ranks are: `first` is the world
 * rank of remote rank 0, `step` the distance to the next. */
static inline void sides_check_messages(MPI_Comm inter, int first, int step)
{
    int world, remote, got;
    MPI_Status status;
    MPI_Request request;

    MPI_Comm_rank(MPI_COMM_WORLD, &world);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    for (int r = 0; r < remote; r++) {
        CHECK_EQ(MPI_Isend(&world, 1, MPI_INT, r, 3, inter, &request), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, r, 3, inter, &status), MPI_SUCCESS);
        CHECK_EQ(got, first + r * step);
        CHECK_EQ(status.MPI_SOURCE, r);
        CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
}

#endif
