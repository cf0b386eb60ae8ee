/* comm_record: a communicator as checks know it; comm_check.c makes it. */
#ifndef INSIGHT_OBJECTS_COMM_RECORD_H
#define INSIGHT_OBJECTS_COMM_RECORD_H

#include "insight/call/tracked.h"

enum assertion {
    ASSERT_NO_ANY_TAG = 1,
    ASSERT_NO_ANY_SOURCE = 2,
    ASSERT_EXACT_LENGTH = 4,
    ASSERT_ALLOW_OVERTAKING = 8,
    ASSERT_STRICT_ORDERING = 16
};

struct comm_record {
    struct tracked base;
    uint64_t number;
    int rank, size; /* of the own group */
    /* Ranks in MPI_COMM_WORLD of the group that messages go to, and then, of an intercommunicator, of the own group; -1: has
     * another board; NULL: some are not of it. */
    int *world;
    int targets; /* the size of the group that messages go to */
    int members; /* of both groups */
    int sharing; /* how many members have the board */
    bool is_inter;
    bool is_second;     /* of the two groups, in the order that both know */
    bool is_of_session; /* its members have told each other who they are */
    uint64_t calls;     /* collectives so far */
    uint64_t starts;    /* of persistent collectives, where one order is asserted */
    uint64_t made;      /* objects made of it so far */
    uint64_t shrinks;   /* communicators shrunk of it so far, or tried */
    bool is_shrunk;     /* MPIX_Comm_ishrink has made it, and its members have not been looked at */
    unsigned assertions;
    void *asserted_at;
    unsigned kinds; /* of memory that are asserted, also of a window's or a file's: kind_check.c; 0: all */
    void *kinds_at;
    MPI_Errhandler fatal; /* what the program has in place of MPI_ERRORS_RETURN; see error_check.c */
    bool has_own_handler; /* the program has set one */
    bool has_probed;      /* the last call that found a message was a probe, which found this one */
    int probed_source, probed_tag;
    int users; /* receives that still need the record */
    bool is_freed;
};

/* The one of the last look, as most calls are on the communicator of the call before. */
struct comm_last {
    MPI_Comm comm;
    struct comm_record *record; /* NULL: none */
    uint64_t gone;              /* tracked_gone */
};
extern struct comm_last comm_check_last;
struct comm_record *comm_check_look_up(MPI_Comm comm);

static inline struct comm_record *comm_check_find(MPI_Comm comm)
{
    const struct comm_last *last = &comm_check_last;

    return last->comm == comm && last->gone == tracked_gone && last->record ? last->record
                                                                            : comm_check_look_up(comm);
}
struct comm_record *comm_check_of(const struct intercept *call);
/* The record is kept while receives need it, also when the communicator is freed. */
void comm_check_hold(struct comm_record *comm);
void comm_check_release(struct comm_record *comm);
/* The rank in MPI_COMM_WORLD of a rank; -1: unknown, or it has another board. */
int comm_check_world(const struct comm_record *comm, int rank);
/* All members have indices, which they know alike: ranks, or first those of one group and then those of the other. */
uint32_t comm_check_index(const struct comm_record *comm);
/* The rank in MPI_COMM_WORLD of the member with this index; -1: unknown, or it has another board. */
int comm_check_member(const struct comm_record *comm, uint32_t index);
/* Whether this rank has, or has had, a communicator of this number, or another that shares its bit. */
bool comm_record_is_known(uint64_t number);
void comm_record_know(uint64_t number);
/* MPI_Comm_idup has failed. */
void comm_check_not_made(MPI_Comm comm);
/* MPIX_Comm_ishrink has ended: its members are to be looked at. Counts such communicators. */
void comm_record_shrink(MPI_Comm comm);
extern int comm_record_shrunk;

/* Calls of the checks on a communicator of the program's, whose error handler is not to hear of them. */
MPI_Errhandler comm_quiet_begin(MPI_Comm comm);
void comm_quiet_end(MPI_Comm comm, MPI_Errhandler handler);
/* Whether all members that live say so: the same on all, whoever dies meanwhile in a job that goes on then. */
bool comm_quiet_agree(MPI_Comm comm, bool mine);

#endif
