/* doctor: `inkling doctor`, what this machine lets the library do, and how to change what it does not. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

/* One line for each thing that was tried. Returns 0 when MPI programs can run here, else 1. */
int doctor_run(const char *argument);

#endif
