#include "hint/kinds.h"

#include "hint/hint.h"
#include "hint/parse.h"

#include <mpi.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static const char minimum[] = "mpi,system"; /* whatever was requested */

/* Each kind with its restrictors. */
static const char *const supported[][2] = {
    {"system", ""},
    {"mpi", "alloc_mem,win_allocate,win_allocate_shared"},
};

static bool is_listed(const char *list, struct span word)
{
    struct span element;

    for (const char *rest = list; list_next(&rest, &element);)
        if (element.length == word.length && memcmp(element.start, word.start, word.length) == 0)
            return true;
    return false;
}

/* The part of *s before the next ':', taken off it; what is left starts behind the ':', or is NULL. */
static struct span take_part(struct span *s)
{
    const char *colon = memchr(s->start, ':', s->length);
    struct span part = *s;

    if (!colon) {
        s->start = NULL;
        return part;
    }
    part.length = (size_t)(colon - s->start);
    s->start = colon + 1;
    s->length -= part.length + 1;
    return part;
}

static bool is_supported(struct span element)
{
    struct span kind = take_part(&element);
    const char *restrictors = NULL;

    for (size_t i = 0; i < sizeof supported / sizeof *supported; i++)
        if (span_is(kind, supported[i][0]))
            restrictors = supported[i][1];
    if (!restrictors)
        return false;
    while (element.start) {
        struct span restrictor = take_part(&element);

        if (restrictor.length == 0 || !is_listed(restrictors, restrictor))
            return false;
    }
    return true;
}

/* A blank list is the empty list, not one empty element. */
static bool is_blank(const char *list)
{
    return span_trim((struct span){list, strlen(list)}).length == 0;
}

bool kinds_are_supported(const char *list)
{
    struct span element;

    if (is_blank(list))
        return true;
    for (const char *rest = list; list_next(&rest, &element);)
        if (!is_supported(element))
            return false;
    return true;
}

/* Appends the element unless it is there or more than `room` characters would be used. */
static void append(char *buffer, size_t room, struct span element)
{
    size_t used = strlen(buffer);

    if (used && is_listed(buffer, element))
        return;
    if (used + (used > 0) + element.length > room)
        return;
    if (used)
        buffer[used++] = ',';
    memcpy(buffer + used, element.start, element.length);
    buffer[used + element.length] = '\0';
}

void kinds_provide(const char *requested, const char *besides, char *buffer, size_t size)
{
    size_t reserved = *besides ? strlen(besides) + 1 : 0;
    struct span element;

    buffer[0] = '\0';
    for (const char *rest = requested; list_next(&rest, &element);)
        if (is_supported(element))
            append(buffer, size - 1 - reserved, element);
    for (const char *rest = besides; list_next(&rest, &element);)
        if (element.length)
            append(buffer, size - 1, element);
}

void kinds_provide_for_model(const char *requested, char *buffer, size_t size)
{
    kinds_provide(requested, minimum, buffer, size);
}

static char world_kinds[MPI_MAX_INFO_VAL];
static pthread_once_t world_kinds_once = PTHREAD_ONCE_INIT;

static void provide_world_kinds(void)
{
    const char *requested = getenv("INKLING_JOB_MEMORY_KINDS");

    kinds_provide_for_model(requested ? requested : minimum, world_kinds, sizeof world_kinds);
}

const char *hint_world_kinds(void)
{
    pthread_once(&world_kinds_once, provide_world_kinds);
    return world_kinds;
}
