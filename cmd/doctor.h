/* doctor: what `inkling doctor` finds. The machine is looked at by doctor.c, what the user has set up by doctor_setup.c, a command line
 * by mpiexec itself (mpiexec/command_line/examine.h). */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

/* What newcomers trip over: commands of another MPI first in PATH, another library in LD_LIBRARY_PATH, a host name or an address of this
 * host that leads nowhere. */
void doctor_check_setup(void);

#endif
