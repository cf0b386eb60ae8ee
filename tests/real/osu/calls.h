/* The collectives in their three forms, all on MPI_CHAR and with root 0. */
#ifndef CALLS_H
#define CALLS_H
#include <mpi.h>

enum form {
    BLOCKING,
    NONBLOCKING,
    PERSISTENT
};

/* What a rank has in the end. */
enum result {
    NOTHING,
    OF_ROOT,          /* the root's bytes, in the send buffer */
    PART_OF_ROOT,     /* the root's block for this rank */
    ONE_OF_EACH,      /* a block of each rank */
    MINE_OF_EACH,     /* each rank's block for this rank */
    REDUCED,          /* the reduction of all */
    MY_PART_REDUCED,  /* the reduction of all ranks' blocks for this rank */
    REDUCED_UP_TO_ME, /* the reduction of the ranks up to this one */
};

struct run {
    char *send, *receive;
    int bytes; /* of a block */
    int rank, ranks;
    int *counts, *places; /* of blocks, in bytes */
    MPI_Datatype *types;
    MPI_Op op;
    MPI_Request request;
};

struct collective {
    const char *name;
    enum result result;
    int only_root;    /* only rank 0 has the result */
    int sends_blocks; /* a rank sends a block for each, instead of one */
    void (*blocking)(struct run *);
    void (*nonblocking)(struct run *);
    void (*persistent)(struct run *); /* makes the request */
};

const struct collective *collective_find(const char *name);

#endif
