/* dealing: which of a host's cores each rank gets, by --map-by, --rank-by and --bind-to. It knows nothing but the list of cores, so
 * that the tests give it machines that are not there.
 *
 * Cores are dealt to processes first, by objects of a level (--map-by); then the processes get their ranks (--rank-by).
 */
#ifndef CMD_MPIEXEC_LAUNCH_DEALING_H
#define CMD_MPIEXEC_LAUNCH_DEALING_H

#include "cmd/mpiexec/job.h"

/* What one rank may be bound to: a core with the hardware threads of it that mpiexec may use, or one such thread. */
struct core {
    int at[LEVELS]; /* the numbers of the objects that it is in */
    cpu_set_t *threads;
};

enum deal {
    DEAL_SHARES, /* a block of adjacent processes to each object, as equal as they can be */
    DEAL_TURNS,  /* one process to each object in turn */
    DEAL_EACH    /* `each` processes to an object, then as many to the next */
};

struct dealing {
    enum level map;
    enum deal deal;
    int each;
    int width;       /* cores of each process; 0: as many as there are for all */
    int rank_level;  /* an enum level; -1: ranks as dealt */
    bool is_by_slot; /* ranks in the order of their cores */
};

/* Sorts the cores so that those of an object are adjacent. */
void dealing_sort(struct core *core, int count);
/* How many objects of a level the sorted cores are in. */
int dealing_objects(const struct core *core, int count, enum level level);
/* Writes the first core of each rank to first[], and how many it has to *width. Returns whether no two ranks share one. */
bool dealing_assign(const struct core *core, int count, int ranks, const struct dealing *m, int *first,
                    int *width);

#endif
