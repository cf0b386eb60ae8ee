/* doctor: what `inkling doctor` finds. The machine is looked at by doctor.c, what the user has set up by doctor_setup.c. */
#ifndef CMD_DOCTOR_H
#define CMD_DOCTOR_H

enum finding {
    FINE,
    SLOWER, /* works, but could be better */
    BROKEN  /* MPI programs cannot run */
};

/* Prints a finding, for people or as JSON. `fix` is printed unless all is fine; NULL: there is none. Returns the finding. */
enum finding doctor_tell(enum finding finding, const char *what, const char *found, const char *fix);

/* What newcomers trip over: commands of another MPI first in PATH, another library in LD_LIBRARY_PATH, a host name or an address of this
 * host that leads nowhere. */
void doctor_check_setup(void);

#endif
