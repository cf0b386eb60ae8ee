#include "making/make.h"

#include "base/lock.h"
#include "boot/boot.h"
#include "boot/host.h"
#include "net/card.h"
#include "plain/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Process sets: the standard's two, then the launcher's. The launcher is asked once, since a set must keep
 * its number. */

enum {
    SET_WORLD,
    SET_SELF,
    FIRST_OF_LAUNCHER
};

static struct lock lock = LOCK_INIT;
static struct boot_set
    *of_launcher; /* with launcher_count, guarded by the lock until is_asked; then constant */
static int launcher_count;
static bool is_asked;

static int ask_launcher(void)
{
    int error = MPI_SUCCESS;

    lock_always_take(&lock);
    if (!is_asked)
        error = boot_find_sets(&of_launcher, &launcher_count);
    is_asked = is_asked || !error;
    lock_always_release(&lock);
    return error;
}

static const char *pset_name(int set)
{
    return set == SET_WORLD  ? "mpi://WORLD"
           : set == SET_SELF ? "mpi://SELF"
                             : of_launcher[set - FIRST_OF_LAUNCHER].name;
}

/* The standard's names match in any case (docs/TOLERANCES.md), the launcher's exactly. */
static bool is_pset_name(int set, const char *name)
{
    return (set < FIRST_OF_LAUNCHER ? strcasecmp : strcmp)(pset_name(set), name) == 0;
}

/* *set: its number; -1: there is none of this name. */
static int find_pset(const char *name, int *set)
{
    int error = ask_launcher();

    if (error)
        return error;
    *set = -1;
    for (int i = 0; i < FIRST_OF_LAUNCHER + launcher_count && *set < 0; i++)
        if (is_pset_name(i, name))
            *set = i;
    return MPI_SUCCESS;
}

static int refuse_pset(const char *name)
{
    return fail(MPI_ERR_ARG,
                "there is no process set '%.80s'; MPI_Session_get_nth_pset tells those "
                "that there are",
                name);
}

static int pset_size(int set)
{
    return set == SET_WORLD ? boot.size : set == SET_SELF ? 1 : of_launcher[set - FIRST_OF_LAUNCHER].size;
}

static int pset_process(int set, int i)
{
    return set == SET_WORLD  ? i
           : set == SET_SELF ? boot.rank
                             : of_launcher[set - FIRST_OF_LAUNCHER].process[i];
}

/* The last two bits distinguish sets that begin with the same process; among the launcher's sets the name
 * does. */
int64_t session_pset_identity(const char *name)
{
    uint64_t identity;
    int set;

    if (find_pset(name, &set) || set < 0)
        return -1;
    identity = card_identity(pset_process(set, 0));
    if (set >= FIRST_OF_LAUNCHER)
        identity ^= host_hash(name);
    return (int64_t)(identity << 3 >> 1 | (uint64_t)(set < FIRST_OF_LAUNCHER ? set : FIRST_OF_LAUNCHER));
}

int session_count_psets(struct session *session, struct info *info, int *count)
{
    int error = ask_launcher();

    (void)session;
    (void)info;
    if (!error)
        *count = FIRST_OF_LAUNCHER + launcher_count;
    return error;
}

int session_get_nth_pset(struct session *session, struct info *info, int n, int *length, char *name)
{
    int error = ask_launcher();

    (void)session;
    (void)info;
    if (error)
        return error;
    if (n < 0 || n >= FIRST_OF_LAUNCHER + launcher_count)
        return fail(MPI_ERR_ARG, "there is no process set %d; they are numbered from 0 to %d", n,
                    FIRST_OF_LAUNCHER + launcher_count - 1);
    if (*length < 0)
        return fail(MPI_ERR_ARG, "pset_len %d is negative; 0 asks for the size that is needed", *length);
    if (*length > 0 && !name)
        return fail(MPI_ERR_ARG, "pset_name is NULL, but pset_len is %d; 0 asks for the size that is needed",
                    *length);
    if (*length > 0)
        snprintf(name, (size_t)*length, "%s", pset_name(n));
    *length = (int)strlen(pset_name(n)) + 1;
    return MPI_SUCCESS;
}

int session_get_pset_info(struct session *session, const char *name, struct info **info)
{
    struct info *made;
    char size[16];
    int set, error = find_pset(name, &set);

    (void)session;
    if (error)
        return error;
    if (set < 0)
        return refuse_pset(name);
    snprintf(size, sizeof size, "%d", pset_size(set));
    error = info_new(&made);
    if (error)
        return error;
    error = info_set(made, "mpi_size", size);
    if (error) {
        info_free(made);
        return error;
    }
    *info = made;
    return MPI_SUCCESS;
}

/* For an invalid name the standard gives MPI_GROUP_NULL, and names no error: the entry point sets it. */
int session_group_from_pset(struct session *session, const char *name, struct group **group)
{
    struct group *made;
    int *process, set, error = find_pset(name, &set);

    if (error)
        return error;
    if (set < 0)
        return refuse_pset(name);
    process = malloc((size_t)pset_size(set) * sizeof *process);
    if (!process)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", pset_size(set));
    for (int i = 0; i < pset_size(set); i++)
        process[i] = pset_process(set, i);
    error = group_new_in(session, pset_size(set), process, &made);
    free(process);
    if (error)
        return error;
    group_hand_out(made);
    group_unref(made);
    *group = made;
    return MPI_SUCCESS;
}
