/* consent: steps that all constructors of topologies share. topo.h lists the steps. */
#ifndef TOPO_CONSENT_H
#define TOPO_CONSENT_H

#include "comm/comm.h"

/* Folds arguments that must be the same everywhere into a word. Start from 0. */
uint64_t consent_add(uint64_t word, int count, const int *value);

/* Collective over an intracommunicator: checks that no rank has an error and that all have the same word. If
 * this rank has an error, that is the result. It is also an error if another rank has one or if the words
 * differ. */
int consent(struct comm *comm, int error, uint64_t word);

/* The communicator that a topology asks for. */
struct plan {
    struct topology *topology; /* a reference, consumed */
    int rank;                  /* of this process in it; MPI_UNDEFINED: not a member */
    int64_t color;             /* ranks of one color form one communicator */
    struct info *info;         /* for its hints; NULL: none */
    const char *call;          /* the call that got the info */
};

/* Collective: makes the communicator, unless a rank has an error. *newcomm is NULL where the process is not a
 * member. */
int consent_make(const struct plan *plan, struct comm *comm, int error, struct comm **newcomm);

#endif
