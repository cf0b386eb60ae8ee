/* situations: what the parts of that program share. */
#ifndef SITUATIONS_H
#define SITUATIONS_H

#include <mpi.h>

extern int rank; /* in MPI_COMM_WORLD and in: */
extern MPI_Comm halo;

/* Computes until the job is ended. */
void smooth(void);

/* requests.c. They never return. */
void posted(void);
void started(void);
void kinds(void);
void exchanged(void);
void paced(void);

#endif
