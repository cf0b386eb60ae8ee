/* survive_steps.h: what the kinds of programs share (survive_steps.c). */
#ifndef SURVIVE_STEPS_H
#define SURVIVE_STEPS_H

#include <mpi.h>
#include <stdbool.h>

enum {
    ITEMS = 64,
    LARGE = 1 << 17, /* bytes that do not travel at once */
    PARTS = 4,
    LATE = 60, /* ms */
    ALARM = 30,
    STOPPED = 8,   /* s */
    PAUSED = 3,    /* s, which is longer than inkling_peer_timeout */
    AWAKE = 4,     /* s, in which who was paused is to be ended */
    FORWARD = 300, /* ms */
    LAUNCHER = 4   /* s that it may take to start a program on other hosts */
};

struct step {
    const char *name;
    int (*call)(void);
};

extern int rank, size, victim, partner;
extern bool has_failed; /* some step, here */
extern bool is_one_host;
extern double limit;
extern MPI_Win win;
extern MPI_File file;
extern MPI_Request request[2];
extern int memory[ITEMS], out[ITEMS];
extern char path[256];

_Noreturn void wrong(const char *what);
int value_of(int r); /* what the memory of rank r holds */

extern const struct step fence[], locks[], everybody[], partners[], dynamic[], files[],
    pointers[]; /* survive_windows.c */

#endif
