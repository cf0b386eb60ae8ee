/* environment: bodies of the inquiries that need nothing but this process (MPI-5.0 sections 9.1, 9.6, 5.1.5 and 15.2). */
#ifndef RUNTIME_ENVIRONMENT_H
#define RUNTIME_ENVIRONMENT_H

#include <mpi.h>

int environment_get_version(int *version, int *subversion);
int environment_get_library_version(char *version, int *length);
int environment_get_processor_name(char *name, int *length);
double environment_wtime(void);
double environment_wtick(void);
int environment_get_address(const void *location, MPI_Aint *address);
MPI_Aint environment_aint_add(MPI_Aint base, MPI_Aint disp);
MPI_Aint environment_aint_diff(MPI_Aint left, MPI_Aint right);
int environment_pcontrol(int level);

#endif
