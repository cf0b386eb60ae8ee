/* pmix: the client side of PMIx, for prterun, Open MPI's launcher and srun --mpi=pmix.
 *
 * The wire protocol is internal to libpmix, so Inkling uses libpmix. Its headers are needed at build time
 * (without them pmix_absent.c replaces pmix.c). The library is loaded when a PMIx launcher started the
 * process, and runs a thread of its own. What a process puts stays on its host until somebody gets it.
 * pmix_sets.c reads process sets, which launchers with PMIx 4 and later may have.
 */
#ifndef BOOT_PMIX_H
#define BOOT_PMIX_H

#include "boot/launcher.h"

#include <stdbool.h>

#define PMIX_LIBRARY "libpmix.so.2" /* of PMIx 2 to 5 */

enum {
    PMIX_JOB_NAME_SIZE = 256
};

struct pmix_place {
    char job[PMIX_JOB_NAME_SIZE];
    int rank, size;
    int appnum, universe_size; /* -1: the launcher does not say */
};

/* Whether the environment is that of a process started by a PMIx launcher. */
bool pmix_is_around(void);
/* An error's note says what to install. */
int pmix_load(void);
/* After pmix_load(). From now on this process ends when the launcher ends. */
int pmix_open(struct pmix_place *place);

/* boot_find_sets for this job (pmix_sets.c). */
int pmix_ask_sets(const char *job, int rank, struct boot_set **sets, int *count);

extern const struct launcher pmix_launcher;

#endif
