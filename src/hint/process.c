#include "hint/hint.h"

#include "base/fail.h"
#include "hint/outside.h"
#include "hint/parse.h"
#include "memory/kind.h"

#include <ctype.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_MAX_SIZE = 64
};

static const char environment[] = "the environment";
static const char prefix[] = "INKLING_";
static const char launcher_prefix[] = "INKLING_JOB_"; /* between mpiexec and its processes */

/* Tools may write rows while others initialize MPI: hint_process.lock is held while one is offered. */
struct hints hint_process;
static struct lock lock = LOCK_INIT; /* held while hint_process is made */
/* Written under hint_process.lock. Relaxed: what changes rows looks at it under the lock. */
static _Atomic bool is_fixed;
static const char tool_giver[] = "MPI_T_cvar_write";

extern char **environ;

/* INKLING_EAGER_LIMIT <-> inkling_eager_limit; truncated to fit. */
static void change_case(const char *from, int (*change)(int), char *to, size_t size)
{
    size_t i = 0;

    for (; i < size - 1 && from[i]; i++)
        to[i] = (char)change((unsigned char)from[i]);
    to[i] = '\0';
}

static int process_fail_unknown(const char *name)
{
    const struct hint_row *near = hint_nearest(name);
    char right[NAME_MAX_SIZE];

    if (!near || !(near->on & hint_process.on))
        return fail(MPI_ERR_OTHER, "%s is no setting of Inkling; `inkling hints` lists them", name);
    change_case(near->key, toupper, right, sizeof right);
    return fail(MPI_ERR_OTHER, "%s is no setting of Inkling; did you mean %s?", name, right);
}

static int fail_value(const struct hint_row *row, const char *name, const char *value)
{
    char legal[128];

    hint_format_legal(row, legal, sizeof legal);
    return fail(MPI_ERR_OTHER, "%s=%.80s is not legal; it takes %s (default %s)", name, value, legal,
                row->def ? row->def : "not set");
}

static void process_prepare(void)
{
    lock_always_take(&lock);
    if (!hint_process.on)
        hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    lock_always_release(&lock);
}

/* What a tool has written stays, and so does all of the environment once MPI is being initialized: the library reads texts without
 * a lock then. */
static enum hint_verdict offer_of_environment(const struct hint_row *row, const char *value)
{
    enum hint_verdict verdict = HINT_ACCEPTED;

    lock_always_take(&hint_process.lock);
    hint_process.giver = environment;
    if (!hint_process_is_fixed() && hint_process.origin[row - hint_table] != tool_giver)
        verdict = hint_offer(&hint_process, AT_START, row->key, value);
    lock_always_release(&hint_process.lock);
    return verdict;
}

int hint_process_set(const char *name, const char *value)
{
    const struct hint_row *row;
    char key[NAME_MAX_SIZE], right[NAME_MAX_SIZE];

    process_prepare();
    change_case(name, tolower, key, sizeof key);
    row = hint_find(key);
    if (!row || !(row->on & hint_process.on))
        return process_fail_unknown(name);
    change_case(key, toupper, right, sizeof right);
    if (strcmp(name, right)) /* part of it is lower case */
        return process_fail_unknown(name);
    if (row == &hint_table[HINT_OUTSIDE] && outside_check(name, value))
        return fail_class();
    switch (offer_of_environment(row, value)) {
    case HINT_ACCEPTED:
        return MPI_SUCCESS;
    case HINT_NO_MEMORY:
        return fail(MPI_ERR_NO_MEM, "no memory for the value of %s", name);
    default:
        return fail_value(row, name, value);
    }
}

void hint_process_fix(void)
{
    lock_always_take(&hint_process.lock);
    atomic_store_explicit(&is_fixed, true, memory_order_relaxed);
    lock_always_release(&hint_process.lock);
}

bool hint_process_is_fixed(void)
{
    return atomic_load_explicit(&is_fixed, memory_order_relaxed);
}

enum hint_verdict hint_process_write(enum hint_id id, const char *value)
{
    enum hint_verdict verdict;

    process_prepare();
    lock_always_take(&hint_process.lock);
    hint_process.giver = tool_giver;
    verdict =
        hint_offer(&hint_process, hint_process_is_fixed() ? AT_SET : AT_START, hint_table[id].key, value);
    lock_always_release(&hint_process.lock);
    return verdict;
}

void hint_process_read_text(enum hint_id id, char *text, size_t size)
{
    const char *now;

    lock_always_take(&hint_process.lock);
    now = hint_text(&hint_process, id);
    snprintf(text, size, "%s", now ? now : "");
    lock_always_release(&hint_process.lock);
}

int hint_process_init(void)
{
    process_prepare();
    for (char **e = environ; e && *e; e++) {
        char name[NAME_MAX_SIZE];
        size_t length = strcspn(*e, "=");
        int error;

        if (strncmp(*e, prefix, sizeof prefix - 1) || !(*e)[length] ||
            !strncmp(*e, launcher_prefix, sizeof launcher_prefix - 1))
            continue;
        if (length >= sizeof name)
            length = sizeof name - 1;
        memcpy(name, *e, length);
        name[length] = '\0';
        error = hint_process_set(name, *e + strcspn(*e, "=") + 1);
        if (error)
            return error;
    }
    if (hint_process.value[HINT_TEST_KIND])
        kind_enable_test();
    return MPI_SUCCESS;
}
