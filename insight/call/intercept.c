#include "insight/call/intercept.h"

#include "insight/call/tracked.h"
#include "insight/call/type_signature.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static struct intercept *under_way; /* owned by the lock */
static _Atomic uint64_t productive; /* written under the lock; relaxed: the watchdog only compares it */
__thread enum intercept_where intercept_where;

void intercept_add(struct intercept *call)
{
    call->next = under_way;
    under_way = call;
}

void intercept_remove(struct intercept *call)
{
    struct intercept **place = &under_way;

    while (*place != call)
        place = &(*place)->next;
    *place = call->next;
}

struct intercept *intercept_calls(void)
{
    return under_way;
}

bool intercept_is_inside(void)
{
    return intercept_where != INTERCEPT_PROGRAM;
}

uint64_t intercept_progress(void)
{
    return atomic_load_explicit(&productive, memory_order_relaxed);
}

void intercept_count_progress(void)
{
    atomic_store_explicit(&productive, intercept_progress() + 1, memory_order_relaxed);
}

void intercept_want_status(struct intercept *call)
{
    int64_t *status = &call->argument[(int)call->procedure->at[AT_STATUS]];

    if ((MPI_Status *)(intptr_t)*status != MPI_STATUS_IGNORE)
        return;
    call->ignores_status = true;
    call->status = (MPI_Status){.MPI_SOURCE = MPI_ANY_SOURCE};
    *status = (int64_t)(intptr_t)&call->status;
}

static const char *constant_name(uint64_t value)
{
    for (const struct constant_name *row = constant_names; row->name; row++)
        if (row->value == value)
            return row->name;
    return NULL;
}

/* A name that the program gave, of a communicator, datatype or window. */
static void describe_handle(char letter, uint64_t handle, char *text, size_t size)
{
    const char *constant = constant_name(handle);
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;

    if (constant) {
        snprintf(text, size, "%s", constant);
        return;
    }
    if (letter == 'C' && tracked_find(TRACKED_COMM, handle))
        real.Comm_get_name((MPI_Comm)(uintptr_t)handle, name, &length);
    else if (letter == 'D' && tracked_find(TRACKED_TYPE, handle))
        real.Type_get_name((MPI_Datatype)(uintptr_t)handle, name, &length);
    else if (letter == 'W' && tracked_find(TRACKED_WIN, handle))
        real.Win_get_name((MPI_Win)(uintptr_t)handle, name, &length);
    if (length > 0)
        snprintf(text, size, "\"%.100s\"", name);
    else
        snprintf(text, size, "0x%llx", (unsigned long long)handle);
}

static void describe_argument(const char *name, char letter, int64_t value, char *text, size_t size)
{
    static const struct {
        const char *names;
        int value;
        const char *word;
    } special[] = {{"dest source target_rank rank root", MPI_PROC_NULL, "MPI_PROC_NULL"},
                   {"source", MPI_ANY_SOURCE, "MPI_ANY_SOURCE"},
                   {"root", MPI_ROOT, "MPI_ROOT"},
                   {"tag recvtag", MPI_ANY_TAG, "MPI_ANY_TAG"},
                   {"lock_type", MPI_LOCK_EXCLUSIVE, "MPI_LOCK_EXCLUSIVE"},
                   {"lock_type", MPI_LOCK_SHARED, "MPI_LOCK_SHARED"}};

    for (size_t i = 0; i < sizeof special / sizeof *special; i++) {
        if (special[i].value == value && strstr(special[i].names, name)) {
            snprintf(text, size, "%s", special[i].word);
            return;
        }
    }
    if (strchr("CDOWFEIJGSQMA", letter))
        describe_handle(letter, (uint64_t)value, text, size);
    else if (letter == '"' && value)
        snprintf(text, size, "\"%.60s\"", (const char *)(intptr_t)value);
    else if (strchr("inNLdsRtT", letter))
        snprintf(text, size, "%lld", (long long)value);
    else if (strchr("bpqrxoe", letter) && (void *)(intptr_t)value == MPI_IN_PLACE)
        snprintf(text, size, "MPI_IN_PLACE");
    else
        snprintf(text, size, value ? "0x%llx" : "NULL", (unsigned long long)value);
}

void intercept_describe(const struct intercept *call, char *text, size_t size)
{
    const char *letter = call->procedure->letters, *name = call->procedure->arguments;
    size_t used = (size_t)snprintf(text, size, "%s(", call->procedure->name);

    for (int i = 0; *letter && used < size; i++, letter++) {
        size_t length = strcspn(name, ",");
        char word[64], value[160];

        if (*letter == '&' || *letter == '+') /* a handle through a pointer */
            letter++;
        snprintf(word, sizeof word, "%.*s", (int)length, name);
        describe_argument(word, *letter, call->argument[i], value, sizeof value);
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? ", " : "", word, value);
        name += length + (name[length] == ',');
    }
    if (used + 1 < size)
        snprintf(text + used, size - used, ")");
}
