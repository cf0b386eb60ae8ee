/* measure: what advice is worth for a program, `inkling advise --measure`: runs it under mpiexec --advise, and then with the hints
 * advised and without, in turns, so that what else happens on the machine meets both. Whole jobs are timed, start and end
 * included. */
#ifndef CMD_MEASURE_H
#define CMD_MEASURE_H

/* words: options of mpiexec, the program and its arguments; ends with NULL. Returns the exit code of the command. */
int measure_run(char **words);

#endif
