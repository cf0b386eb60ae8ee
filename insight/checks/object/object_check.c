#include "insight/checks/object/object_check.h"

#include "insight/board/process_record.h"
#include "insight/call/program_site.h"
#include "insight/call/tracked.h"
#include "insight/checks/request/request_check.h"
#include "insight/findings/finding.h"
#include "insight/memory/memory_use.h"
#include "insight/objects/comm_loss.h"

#include <insight/checks.h>
#include <stdlib.h>
#include <string.h>

static enum tracked_kind kind_of(enum family family)
{
    switch (family) {
    case FAMILY_OP_MAKE:
    case FAMILY_OP_FREE:
        return TRACKED_OP;
    case FAMILY_GROUP_MAKE:
    case FAMILY_GROUP_FREE:
        return TRACKED_GROUP;
    case FAMILY_INFO_MAKE:
    case FAMILY_INFO_FREE:
        return TRACKED_INFO;
    case FAMILY_KEYVAL_MAKE:
    case FAMILY_KEYVAL_FREE:
        return TRACKED_KEYVAL;
    case FAMILY_TYPE_FREE:
        return TRACKED_TYPE;
    default:
        return TRACKED_ERRHANDLER;
    }
}

/* Keyvals are integers; what is predefined is never made. */
void object_check_made(struct intercept *call, int error)
{
    enum tracked_kind kind = kind_of(call->procedure->family);
    struct tracked *made = NULL;
    uint64_t handle;

    if (error)
        return;
    if (kind == TRACKED_KEYVAL)
        handle = (uint64_t) * (int *)(intptr_t)intercept_argument(call, AT_KEYVAL);
    else
        handle = *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW);
    if (kind == TRACKED_KEYVAL || handle > 0xffff)
        made = tracked_add(kind, handle, sizeof(struct tracked), call);
    if (made)
        made->variable = (void *)(intptr_t)intercept_argument(call, AT_NEW);
}

/* Where the handle is that the call frees. */
static const int64_t *freed_variable(const struct intercept *call)
{
    static const enum role roles[] = {AT_OP, AT_GROUP, AT_INFO, AT_ERRHANDLER, AT_TYPE};

    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (intercept_argument(call, roles[i]))
            return (int64_t *)(intptr_t)intercept_argument(call, roles[i]);
    return NULL;
}

static int64_t freed_handle(const struct intercept *call)
{
    const int64_t *variable = freed_variable(call);

    if (intercept_has(call, AT_KEYVAL))
        return intercept_argument(call, AT_KEYVAL) ? *(int *)(intptr_t)intercept_argument(call, AT_KEYVAL)
                                                   : 0;
    return variable ? *variable : 0;
}

enum {
    CACHING_PLACES = 256
};

/* Lines of scripts whose call made a binding store what it keeps for a communicator. */
static const void *caching[CACHING_PLACES];
static int caching_places;

static bool is_caching(const void *site)
{
    for (int i = 0; i < caching_places; i++)
        if (caching[i] == site)
            return true;
    return false;
}

/* A binding of Python that makes a key and stores an attribute under it in one call of the script's, or under such a key, caches
 * something: the program never has the key. */
void object_check_attached(struct intercept *call, int error)
{
    struct tracked *key = tracked_find(TRACKED_KEYVAL, (uint64_t)intercept_argument(call, AT_KEYVAL));

    if (error || !key || !program_site_is_script(call->site))
        return;
    key->is_cached = key->is_cached || key->site == call->site;
    if (key->is_cached && !is_caching(call->site) && caching_places < CACHING_PLACES)
        caching[caching_places++] = call->site;
}

/* What bindings keep: objects of a module that are made while it is imported, keys as above, and duplicates that were made in the
 * same call. */
static bool is_kept_by_binding(const struct tracked *record)
{
    return program_site_is_importing(record->site) || record->is_cached ||
           (record->kind == TRACKED_COMM && is_caching(record->site) &&
            strncmp(record->maker->name, "MPI_Comm_dup", strlen("MPI_Comm_dup")) == 0);
}

void object_check_freeing(struct intercept *call)
{
    call->saved[0] = freed_handle(call);
}

void object_check_freed(struct intercept *call, int error)
{
    if (!error)
        tracked_remove_of(kind_of(call->procedure->family), (uint64_t)call->saved[0], freed_variable(call));
}

void object_check_memory(struct intercept *call, int error)
{
    if (!error)
        tracked_add(TRACKED_MEMORY, *(uint64_t *)(intptr_t)intercept_argument(call, AT_BASE_OUT),
                    sizeof(struct tracked), call);
}

void object_check_memory_freed(struct intercept *call)
{
    memory_use_mpi_frees(call, (void *)(intptr_t)intercept_argument(call, AT_BASE));
    tracked_remove(TRACKED_MEMORY, (uint64_t)intercept_argument(call, AT_BASE));
}

static const struct {
    const char *what, *fix;
} kinds[TRACKED_KINDS] = {
    [TRACKED_COMM] = {"a communicator", "call MPI_Comm_free"},
    [TRACKED_REQUEST] = {"a request", "complete it, or free a persistent one with MPI_Request_free"},
    [TRACKED_TYPE] = {"a datatype", "call MPI_Type_free"},
    [TRACKED_WIN] = {"a window", "call MPI_Win_free"},
    [TRACKED_FILE] = {"a file", "call MPI_File_close"},
    [TRACKED_OP] = {"an operation", "call MPI_Op_free"},
    [TRACKED_GROUP] = {"a group", "call MPI_Group_free"},
    [TRACKED_INFO] = {"an info object", "call MPI_Info_free"},
    [TRACKED_ERRHANDLER] = {"an error handler", "call MPI_Errhandler_free"},
    [TRACKED_KEYVAL] = {"an attribute key", "free it with MPI_Comm_free_keyval or its kin"},
    [TRACKED_MESSAGE] = {"a message", "receive it by MPI_Mrecv"},
    [TRACKED_SESSION] = {"a session", "call MPI_Session_finalize"},
    [TRACKED_MEMORY] = {"memory of MPI_Alloc_mem", "call MPI_Free_mem"},
};

/* A collective that differed from the others' has not freed it. */
static bool is_of_mismatch(const struct tracked *record)
{
    return (record->kind == TRACKED_COMM || record->kind == TRACKED_WIN || record->kind == TRACKED_FILE) &&
           finding_is_known(UINT64_C(1) << FINDING_COLLECTIVE);
}

static void visit_leak(struct tracked *record)
{
    const struct request_record *request = (struct request_record *)record;
    bool is_pending = record->kind == TRACKED_REQUEST && request->is_active;

    if (record->is_ours || is_of_mismatch(record) || (is_pending && comm_loss_has_ended(request)) ||
        (!is_pending && record->kind != TRACKED_MESSAGE && is_kept_by_binding(record)))
        return;
    if (record->kind == TRACKED_REQUEST)
        persistent_check_end(request);
    finding_add(&(struct finding_about){.class = is_pending                        ? FINDING_REQUEST
                                                 : record->kind == TRACKED_MESSAGE ? FINDING_LOST
                                                                                   : FINDING_LEAK,
                                        .where = record->site,
                                        .fix = kinds[record->kind].fix},
                is_pending
                    ? process.has_world
                          ? "%s of %s is still active at MPI_Finalize: nothing has completed it"
                          : "%s of %s is still active when the last session ends: nothing has completed it"
                : record->kind == TRACKED_MESSAGE ? "%s of %s was never received"
                                                  : "%s of %s was never freed",
                kinds[record->kind].what, record->maker->name);
}

/* May be freed when MPI has ended, too. Who tells elsewhere than in mpiexec cannot wait for that. */
static bool may_be_freed_late(int kind)
{
    return kind == TRACKED_INFO || kind == TRACKED_SESSION ||
           (kind == TRACKED_ERRHANDLER && !process.has_world && !process.was_up);
}

void object_check_leaks(struct intercept *call)
{
    (void)call;
    if (process.has_world && process.sessions > 0) /* their objects live on */
        return;
    request_record_track_all();
    for (int kind = 0; kind < TRACKED_KINDS; kind++)
        if (!may_be_freed_late(kind) || (!process.is_told && process.has_world))
            tracked_each(kind, visit_leak);
}

__attribute__((destructor)) static void find_late_leaks(void)
{
    if (!process.is_told || (!process.was_up && !process.had_sessions))
        return;
    for (int kind = 0; kind < TRACKED_KINDS; kind++)
        if (may_be_freed_late(kind))
            tracked_each(kind, visit_leak);
}

static enum tracked_kind kind_of_letter(char letter)
{
    switch (letter) {
    case 'C':
        return TRACKED_COMM;
    case 'G':
        return TRACKED_GROUP;
    case 'W':
        return TRACKED_WIN;
    default:
        return TRACKED_KINDS;
    }
}

/* The next object among the arguments from `*at` on; NULL: there is none. */
static const struct tracked *next_object(const struct intercept *call, const char **letter, int *at)
{
    for (; **letter; ++*letter, ++*at) {
        const struct tracked *object;

        if (**letter == '&' || **letter == '+') { /* a handle through a pointer */
            ++*letter;
            continue;
        }
        object = tracked_find(kind_of_letter(**letter), (uint64_t)call->argument[*at]);
        if (kind_of_letter(**letter) == TRACKED_KINDS || !object)
            continue;
        ++*letter, ++*at;
        return object;
    }
    return NULL;
}

bool object_session_is_of_session(const struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    const struct tracked *first = next_object(call, &letter, &at);

    return first && first->session;
}

void object_session_mixed(struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    const struct tracked *first = next_object(call, &letter, &at), *other;

    while (first && (other = next_object(call, &letter, &at))) {
        if (other->session == first->session)
            continue;
        finding_add(
            &(struct finding_about){.class = FINDING_ARGUMENT,
                                    .call = call,
                                    .made = other->site,
                                    .made_by = "the other object",
                                    .fix = "derive both from one session, or both from MPI_COMM_WORLD"},
            "%s gets objects of two sessions, or of a session and of MPI_COMM_WORLD", call->procedure->name);
        return;
    }
}

void object_session_inherit(const struct intercept *call)
{
    const char *letter = call->procedure->letters;
    int at = 0;
    enum family family = call->procedure->family;
    enum tracked_kind kind = family == FAMILY_GROUP_MAKE ? TRACKED_GROUP
                             : family == FAMILY_WIN_MAKE ? TRACKED_WIN
                                                         : TRACKED_COMM;
    const struct tracked *from = next_object(call, &letter, &at);
    struct tracked *new;

    if (kind == TRACKED_COMM && family != FAMILY_COMM_MAKE && family != FAMILY_COMM_IMAKE &&
        family != FAMILY_COMM_GROUP_MAKE && family != FAMILY_COMM_SHRINK && family != FAMILY_COMM_ISHRINK)
        return;
    new = tracked_find(kind, *(uint64_t *)(intptr_t)intercept_argument(call, AT_NEW));
    if (new)
        new->session = from ? from->session : (uint64_t)intercept_argument(call, AT_SESSION);
}
