/* pair: the pairs of an info, for whoever holds its lock or is alone with it. */
#ifndef INFO_PAIR_H
#define INFO_PAIR_H

#include "info/info.h"

/* Takes info's lock; the first to look at MPI_INFO_ENV gathers its pairs. */
void info_take(struct info *info);
void info_release(struct info *info);

/* Checks lengths, then adds the pair or replaces the value. */
int pair_set(struct info *info, const char *key, const char *value);
/* NULL when there is none. */
struct info_pair *pair_find(const struct info *info, const char *key);

/* Sets what is known of how this process was started (see info_env_new). */
int env_gather(struct info *info, int argc, char *const argv[]);

#endif
