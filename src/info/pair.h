/* pair: access to the pairs of an info. The caller holds the info's lock, or no other thread can see the info. */
#ifndef INFO_PAIR_H
#define INFO_PAIR_H

#include "info/info.h"

/* Takes the lock of the info. The first call for MPI_INFO_ENV gathers its pairs. */
void info_take(struct info *info);
void info_release(struct info *info);

/* Checks lengths, then adds the pair or replaces the value. */
int pair_set(struct info *info, const char *key, const char *value);
/* NULL when there is none. */
struct info_pair *pair_find(const struct info *info, const char *key);

/* Adds what is known about how this process was started (see info_env_new). */
int env_gather(struct info *info, int argc, char *const argv[]);

#endif
