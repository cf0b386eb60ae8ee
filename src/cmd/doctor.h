/* doctor: `inkling doctor`: what the library can use on this machine, and how to get the rest. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

/* Prints one line for each check. Returns 0 if MPI programs can run here, else 1. */
int doctor_run(const char *argument);

#endif
