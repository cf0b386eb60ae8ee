/* info: ordered (key, value) pairs (MPI-5.0 chapter 10).
 *
 * An info object keeps every pair byte for byte, whether recognised or not. What an object does with the
 * pairs is decided by the hint table. An info object works before MPI_Init and after MPI_Finalize, from any
 * thread: each has its own lock, which is always taken. The order is that of insertion; setting an existing
 * key keeps its place.
 */
#ifndef INFO_INFO_H
#define INFO_INFO_H

#include "hint/hint.h"
#include "object/object.h"

#include <mpi.h>

struct info_pair {
    char *key, *value;
};

struct info {
    struct object object;
    struct lock lock; /* guards the pairs; initialised once per pool slot and never destroyed */
    bool read_only;   /* MPI_INFO_ENV */
    int count, capacity;
    struct info_pair *pair;
};

extern struct pool info_pool;
/* The live info object of a handle, or NULL. Any value is safe, at any time. MPI_INFO_ENV is filled at its
 * first use. */
struct info *info_find(MPI_Info handle);

int info_new(struct info **info);
void info_unref(struct info *info);
/* The next three change an object. They refuse MPI_INFO_ENV with MPI_ERR_INFO. */
int info_set(struct info *info, const char *key, const char *value);
int info_delete(struct info *info, const char *key); /* MPI_ERR_INFO_NOKEY when the key is not there */
int info_free(struct info *info);                    /* the handle is dead at once */
int info_dup(struct info *info, struct info **copy);
int info_count(struct info *info, int *count);
/* Copies the n-th key into `key`, which holds MPI_MAX_INFO_KEY bytes. */
int info_nth_key(struct info *info, int n, char *key);
/* Finds key and sets *found to 0 or 1. If it is found, up to size bytes of the value with its NUL go to
 * buffer (none if size is 0), and *needed is strlen(value) + 1. */
int info_get(struct info *info, const char *key, char *buffer, size_t size, size_t *needed, int *found);

/* Offers every pair to h in the name of `giver`, the call that got the info (a constant text). A NULL info
 * offers nothing. When an object is made, hints from outside come first (hint/outside.h). */
void info_offer(struct info *info, struct hints *h, unsigned when, const char *giver);
/* Makes an info with every hint of h that has a value. h may be live. */
int info_of_hints(struct hints *h, struct info **info);

/* MPI_INFO_ENV: what the launcher was asked for, and the supported memory kinds. It is read-only and exists
 * once the library is loaded. Its pairs are gathered at the first look. */
extern struct info info_env;
/* Fills a new info as MPI_INFO_ENV is filled. argc and argv are used where no launcher told the command; 0
 * and NULL: unknown. */
int info_env_new(int argc, char *const argv[], struct info **info);
/* Registers the predefined handle. Idempotent; runs when the library is loaded. */
int info_env_init(void);

/* Bodies of MPI_Info_get_string, _get and _get_valuelen. */
int info_read_string(struct info *info, const char *key, int *buflen, char *value, int *flag);
int info_read(struct info *info, const char *key, int valuelen, char *value, int *flag);
int info_read_valuelen(struct info *info, const char *key, int *valuelen, int *flag);

/* The pairs of an info. The caller holds the info's lock, or no other thread can see the info. */

/* Takes the lock of the info. The first call for MPI_INFO_ENV gathers its pairs. */
void info_take(struct info *info);
void info_release(struct info *info);

/* Checks lengths, then adds the pair or replaces the value. */
int info_pair_set(struct info *info, const char *key, const char *value);
/* NULL when there is none. */
struct info_pair *info_pair_find(const struct info *info, const char *key);

#endif
