/* Bodies of the inquiries that need nothing but this process (MPI-5.0 sections 9.1, 9.6, 5.1.5 and 15.2). */
#ifndef API_ENVIRONMENT_H
#define API_ENVIRONMENT_H

#include <mpi.h>

int api_get_version(int *version, int *subversion);
int api_get_library_version(char *version, int *length);
int api_get_processor_name(char *name, int *length);
double api_wtime(void);
double api_wtick(void);
int api_get_address(const void *location, MPI_Aint *address);
MPI_Aint api_aint_add(MPI_Aint base, MPI_Aint disp);
MPI_Aint api_aint_diff(MPI_Aint left, MPI_Aint right);
int api_pcontrol(int level);

#endif
