/* failing_memory: a program with this header can make the n-th allocation of a call fail, and counts the blocks that are not
 * free:
 *
 *     until_failure = n;
 *     code = TRY(MPI_X(...));   until_failure is 0 then, or the call had fewer
 *     CHECK_EQ(live, before);
 */
#ifndef TESTS_MPI_FAILING_MEMORY_H
#define TESTS_MPI_FAILING_MEMORY_H

#include "check.h"

#include <errno.h>
#include <stdbool.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *at);

#define SEEN_BY_ALL __attribute__((visibility("default"))) /* by the library, which is to call these */

static long until_failure;  /* allocations; 0: none fails */
static bool fails_for_good; /* those behind it fail as well, until the call is over */
static bool is_armed, has_run_out;
static _Atomic long live; /* blocks that are not free */

static bool fails(void)
{
    if (!is_armed || (until_failure == 0 ? !has_run_out : --until_failure))
        return false;
    has_run_out = fails_for_good;
    errno = ENOMEM;
    return true;
}

static void *counted(void *at)
{
    live += at != NULL;
    return at;
}

SEEN_BY_ALL void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

SEEN_BY_ALL void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

SEEN_BY_ALL void *realloc(void *old, size_t size)
{
    if (fails())
        return NULL;
    return old ? __libc_realloc(old, size) : counted(__libc_malloc(size));
}

SEEN_BY_ALL void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

SEEN_BY_ALL int posix_memalign(void **at, size_t alignment, size_t size)
{
    void *found = fails() ? NULL : counted(__libc_memalign(alignment, size));

    if (!found)
        return ENOMEM;
    *at = found;
    return 0;
}

SEEN_BY_ALL void free(void *at)
{
    live -= at != NULL;
    __libc_free(at);
}

/* Allocations may fail in the call only. */
#define TRY(call) (is_armed = true, tried(call))

static inline int tried(int code)
{
    is_armed = false;
    has_run_out = false;
    return code;
}

#endif
