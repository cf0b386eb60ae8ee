/* consent: what all makers of topologies share; see topo.h for the steps. */
#ifndef TOPO_CONSENT_H
#define TOPO_CONSENT_H

#include "comm/comm.h"

/* Arguments that must be the same everywhere, boiled down to a word; start from 0. */
uint64_t consent_add(uint64_t word, int count, const int *value);

/* Collective over an intracommunicator: whether all ranks are well and mean the same. An error if this rank
 * has one, which is then the result, or another rank, or if the words differ. */
int consent(struct comm *comm, int error, uint64_t word);

/* A communicator as a topology asks for it. */
struct plan {
    struct topology *topology; /* a reference, given away */
    int rank;                  /* of this process in it; MPI_UNDEFINED: it is not in it */
    int64_t color;             /* ranks of one color are together */
    struct info *info;         /* for its hints; NULL: none */
    const char *call;          /* that was given the info */
};

/* Collective: makes it, unless a rank has an error. *newcomm is NULL where the process is not in it. */
int consent_make(const struct plan *plan, struct comm *comm, int error, struct comm **newcomm);

#endif
