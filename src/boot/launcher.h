/* launcher: the functions that each back end of boot implements (boot.h). */
#ifndef BOOT_LAUNCHER_H
#define BOOT_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAUNCHER_ABORT_S = 2 /* how long another launcher has to end the process before it ends itself */
};

struct boot_set;

struct launcher {
    const char *name; /* boot.launcher */
    int (*put)(const char *key, const char *value);
    int (*fence)(void);
    int (*get)(int process, const char *key, char *value, size_t size);
    /* Sets node[process] to the number of its node, the same in all processes that ask. False, with nothing
     * written: the launcher does not say. */
    bool (*find_nodes)(int size, uint64_t *node);
    /* boot_find_sets; NULL: it has none. */
    int (*find_sets)(struct boot_set **sets, int *count);
    bool prints_why; /* of abort, once for the job */
    /* Tells the launcher to end the job, and gives it time to do so. */
    void (*abort)(int code, const char *why);
    int (*close)(void);
};

/* In boot_init: who answers from now on. */
void boot_set_launcher(const struct launcher *launcher);

#endif
