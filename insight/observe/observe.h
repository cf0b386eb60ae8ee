/* observe: counts what a program does, for `mpiexec --advise`: the other half of libinkling_insight.so, beside the checks.
 *
 * observe_before and observe_after see each call that wrap.c lets through, under its lock, and count into a profile of fixed
 * size (profile.h). At MPI_Finalize the profiles are merged along a tree, over a communicator that the program never sees, and
 * rank 0 writes one file into the folder that INKLING_JOB_ADVISE names. insight/advise/ reads it. A program that does not reach
 * MPI_Finalize leaves none, so nothing is advised after half a run.
 *
 * observe.c times calls and hands them on by family to
 *   observe_object.c   which objects there are, the hints they were given, and sizes of datatypes
 *   observe_message.c  receives, sends, requests
 *   observe_access.c   windows and files
 *   observe_end.c      the tree, the file, and profiles that outlive their ranks
 */
#ifndef INSIGHT_OBSERVE_OBSERVE_H
#define INSIGHT_OBSERVE_OBSERVE_H

#include "insight/call/intercept.h"
#include "insight/observe/profile.h"

struct observe {
    bool is_wanted; /* INKLING_JOB_ADVISE names a folder */
    bool is_on;     /* between MPI_Init and MPI_Finalize */
    bool is_kept;   /* the profile outlives the process: observe_end.c */
    int rank, size;
    MPI_Comm
        comm; /* like MPI_COMM_WORLD, for the tree; where ranks may die, of those that live, made at the end */
    uint64_t began, left;    /* when MPI_Init ended, when the last call did */
    struct profile *profile; /* this rank's; owned by call_lock */
};

extern struct observe observe;

/* Reads the environment. */
void observe_open(void);
void observe_before(struct intercept *call);
void observe_after(struct intercept *call, int error);

/* The rest is for observe_*.c. */

/* observe_object.c. NULL: none, or no room. */
struct profile_object *observe_object_of(const struct intercept *call);
/* A handle that the call has a pointer to; 0: none. */
uint64_t observe_handle(const struct intercept *call, enum role role);
int observe_index(const struct profile_object *object);
struct profile_object *observe_object_at(int index);
struct profile_place observe_place(void *address);
void observe_object_start(void);
void observe_object_before(struct intercept *call);
void observe_object_after(struct intercept *call);
/* The rank in MPI_COMM_WORLD of a rank of the call's communicator; -1: unknown. */
int observe_world_rank(const struct intercept *call, int rank);

/* observe_message.c */
void observe_message_before(struct intercept *call);
void observe_message_after(struct intercept *call, int error);
/* The bytes of a buffer, from the count and the type of these roles; -1: the type is not known. */
int64_t observe_bytes(const struct intercept *call, enum role count, enum role type);

/* observe_object.c: what is known of a datatype. Nobody is asked about a handle that a program may have made up. */
struct observed_type {
    MPI_Count size;
    bool is_known;
    bool is_plain; /* items lie one behind the other from the buffer's address on */
};
const struct observed_type *observe_type(uint64_t handle);
void observe_type_after(const struct intercept *call);

/* observe_access.c */
void observe_access_before(struct intercept *call);
/* Where a buffer is: of so many bytes of data, counted if they are many; or room, which a message may not fill. True: in memory that is
 * not of MPI, for observe_large once the message has come. */
void observe_buffer(const struct intercept *call, struct profile_object *object, enum role buffer,
                    enum role type, int64_t bytes);
bool observe_room(const struct intercept *call, struct profile_object *object, enum role buffer,
                  enum role type, int64_t bytes);
void observe_large(struct profile_object *object, int64_t bytes);

/* observe_end.c: where ranks may die (mpiexec --survive) each rank's profile is a file in the folder, profile.RANK, that it takes away itself
 * at the end; what is left is of the dead. */
/* A profile of zeros; NULL: no memory. */
struct profile *observe_kept_make(void);

/* observe_end.c */
/* Begins to watch the queue of messages that wait for their receive, through MPI_T. */
void observe_queue(void);
void observe_end(void);

#endif
