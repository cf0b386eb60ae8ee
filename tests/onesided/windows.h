/* windows: the windows of the random test, of each flavour, with hints. */
#ifndef TESTS_ONESIDED_WINDOWS_H
#define TESTS_ONESIDED_WINDOWS_H

#include "mpi/win.h"
#include "plan.h"

struct tested {
    MPI_Win win;
    MPI_Comm comm;
    enum way way;
    int rank;  /* in comm, which may be in another order */
    int guard; /* bytes behind the slots, that nobody may touch */
    int units[RANKS];
    unsigned char *half[2];     /* of this rank's slots; a dynamic window's are attached apart */
    unsigned char *part[2][3];  /* ... in so many parts each; NULL: not attached */
    MPI_Aint address[RANKS][2]; /* of a dynamic window */
    bool without_locks;
    char description[400];
    struct model model;
};

/* Draws everything; all ranks get the same kind of window. */
void tested_open(struct tested *t);
void tested_close(struct tested *t);
/* The displacement of a byte of a slot. */
MPI_Aint tested_at(const struct tested *t, int target, int slot, int byte);
/* Puts what the model has into this rank's memory. */
void tested_fill(struct tested *t);
/* Compares all of this rank's memory with the model. */
void tested_check(const struct tested *t);

#endif
