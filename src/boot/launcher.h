/* launcher: what each back end of boot does for its procedures (boot.h). */
#ifndef BOOT_LAUNCHER_H
#define BOOT_LAUNCHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAUNCHER_ABORT_S = 2 /* how long a launcher of others has to end us before we do it */
};

struct boot_set;

struct launcher {
    const char *name; /* boot.launcher */
    int (*put)(const char *key, const char *value);
    int (*fence)(void);
    int (*get)(int process, const char *key, char *value, size_t size);
    /* node[process] becomes the number of its node, the same for all who ask; false, nothing written: not
     * told. */
    bool (*find_nodes)(int size, uint64_t *node);
    /* boot_find_sets; NULL: it knows none. */
    int (*find_sets)(struct boot_set **sets, int *count);
    /* Tells the launcher to end the job, and leaves it the time to do so. */
    void (*abort)(int code, const char *why);
    int (*close)(void);
};

#endif
