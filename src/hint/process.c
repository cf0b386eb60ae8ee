/* The settings of the process: read from the environment, fixed when MPI opens, changed by MPI_T_cvar_write. */
#include "hint/hint.h"

#include "hint/coll_rules.h"
#include "hint/outside.h"
#include "hint/parse.h"
#include "memory/kind.h"
#include "plain/fail.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
    NAME_MAX_SIZE = 64
};

static const char environment[] = "the environment";
static const char prefix[] = "INKLING_";
static const char launcher_prefix[] = "INKLING_JOB_"; /* between mpiexec and its processes */

/* Guards hint_process until it is fixed, is_fixed, and always MPI_T_cvar_write. Each thread that opens MPI takes it in
 * hint_process_fix(), and may read hint_process from then on: after that only MPI_T_cvar_write changes values, by one
 * atomic store each, and no texts. */
static struct lock lock = LOCK_INIT;
static bool is_fixed;
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

static void process_prepare(const char *giver)
{
    if (!hint_process.on)
        hints_init(&hint_process, ON_PROCESS | ON_COMMAND);
    hint_process.giver = giver;
}

int hint_process_set(const char *name, const char *value)
{
    const struct hint_row *row;
    char key[NAME_MAX_SIZE], right[NAME_MAX_SIZE];

    process_prepare(environment);
    change_case(name, tolower, key, sizeof key);
    row = hint_find(key);
    if (!row || !(row->on & hint_process.on))
        return process_fail_unknown(name);
    change_case(key, toupper, right, sizeof right);
    if (strcmp(name, right)) /* part of it is lower case */
        return process_fail_unknown(name);
    if (hint_process.origin[row - hint_table] == tool_giver)
        return MPI_SUCCESS;
    if (row == &hint_table[HINT_OUTSIDE] && outside_check(name, value))
        return fail_class();
    switch (hint_offer(&hint_process, AT_START, key, value)) {
    case HINT_ACCEPTED:
        return MPI_SUCCESS;
    case HINT_NO_MEMORY:
        return fail(MPI_ERR_NO_MEM, "no memory for the value of %s", name);
    default:
        return fail_value(row, name, value);
    }
}

bool hint_process_is_fixed(void)
{
    bool fixed;

    lock_always_take(&lock);
    fixed = is_fixed;
    lock_always_release(&lock);
    return fixed;
}

enum hint_verdict hint_process_write(enum hint_id id, const char *value)
{
    enum hint_verdict verdict;

    lock_always_take(&lock);
    process_prepare(tool_giver);
    verdict = hint_offer(&hint_process, is_fixed ? AT_SET : AT_START, hint_table[id].key, value);
    lock_always_release(&lock);
    return verdict;
}

void hint_process_read_text(enum hint_id id, char *text, size_t size)
{
    const char *now;

    lock_always_take(&lock);
    now = hint_text(&hint_process, id);
    snprintf(text, size, "%s", now ? now : "");
    lock_always_release(&lock);
}

static int read_environment(void)
{
    process_prepare(environment);
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
    coll_rules_open_process();
    if (hint_process.value[HINT_TEST_KIND])
        kind_enable_test();
    return MPI_SUCCESS;
}

/* Reads the environment, unless the values are fixed, and perhaps fixes them. */
static int process_read(bool fixes)
{
    int error;

    lock_always_take(&lock);
    error = is_fixed ? MPI_SUCCESS : read_environment();
    is_fixed = is_fixed || (fixes && !error);
    lock_always_release(&lock);
    return error;
}

int hint_process_init(void)
{
    return process_read(false);
}

int hint_process_fix(void)
{
    return process_read(true);
}
