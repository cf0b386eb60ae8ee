/* doctor: `inkling doctor`: what the library can use on this machine, and how to get the rest. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

#include <stdbool.h>

/* Prints one line for each check, or an object with the array "findings". Returns 0 if MPI programs can run here, else 1. */
int doctor_run(const char *argument, bool as_json);

#endif
