#include "hint/parse.h"

#include "hint/hint.h"

#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char minimum[] = "mpi,system"; /* always provided */

static bool is_listed(const char *list, struct hint_span word)
{
    struct hint_span element;

    for (const char *rest = list; hint_list_next(&rest, &element);)
        if (element.length == word.length && memcmp(element.start, word.start, word.length) == 0)
            return true;
    return false;
}

/* Takes the part before the next ':' off *s. What is left starts behind the ':', or is NULL. */
static struct hint_span kinds_take_part(struct hint_span *s)
{
    const char *colon = memchr(s->start, ':', s->length);
    struct hint_span part = *s;

    if (!colon) {
        s->start = NULL;
        return part;
    }
    part.length = (size_t)(colon - s->start);
    s->start = colon + 1;
    s->length -= part.length + 1;
    return part;
}

/* KIND_COUNT: no kind has this name. */
static enum kind_id kinds_kind_of(struct hint_span name)
{
    int id = 0;

    while (id < KIND_COUNT && !hint_span_is(name, kind_table[id].name))
        id++;
    return (enum kind_id)id;
}

/* The kinds that an element stands for; 0: it is ill-formed or not supported. Device drivers are looked for
 * only when everything else is right. */
static int64_t kinds_set_of(struct hint_span element)
{
    struct hint_span name = kinds_take_part(&element);
    enum kind_id id = kinds_kind_of(name);
    bool is_restricted = element.start, is_loadable = true;

    if (id == KIND_COUNT)
        return 0;
    while (element.start) {
        struct hint_span restrictor = kinds_take_part(&element);

        if (restrictor.length == 0 || !is_listed(kind_table[id].restrictors, restrictor))
            return 0;
        is_loadable &= is_listed(kind_table[id].loadable, restrictor);
    }
    if (!kind_is_there(id))
        return 0;
    if (!kind_table[id].device || (is_restricted && is_loadable))
        return (int64_t)1 << id;
    return (int64_t)1 << id | (int64_t)1 << (id + KIND_DEVICE_SHIFT);
}

static bool is_supported(struct hint_span element)
{
    return kinds_set_of(element) != 0;
}

/* A blank list is the empty list, not one empty element. */
static bool is_blank(const char *list)
{
    return hint_span_trim((struct hint_span){list, strlen(list)}).length == 0;
}

/* Why an element cannot be asserted; NULL: it can. */
static const char *kinds_refusal(struct hint_span element, int64_t set)
{
    struct hint_span rest = element;
    enum kind_id id = kinds_kind_of(kinds_take_part(&rest));

    if (id == KIND_COUNT)
        return "there is no such kind of memory";
    if (!(set >> id & 1))
        return "it was not requested with mpiexec --memory-alloc-kinds or in MPI_Session_init, or this "
               "machine "
               "has none";
    if (is_supported(element))
        return NULL;
    return "this kind has no such restrictor";
}

const char *kinds_refused(const char *list, int64_t set, char *buffer, size_t size)
{
    const char *why = NULL;
    struct hint_span element;

    if (is_blank(list))
        return NULL;
    for (const char *rest = list; !why && hint_list_next(&rest, &element);)
        why = kinds_refusal(element, set);
    if (why)
        snprintf(buffer, size, "%.*s", (int)element.length, element.start);
    return why;
}

int64_t kinds_set(const char *list)
{
    int64_t set = 0;
    struct hint_span element;

    for (const char *rest = list; hint_list_next(&rest, &element);)
        set |= kinds_set_of(element);
    return set;
}

/* Appends the element, unless it is already there or more than `room` characters would be used. */
static void kinds_append(char *buffer, size_t room, struct hint_span element)
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

/* What those of `besides` take that are neither in the buffer nor the next element. */
static size_t room_to_reserve(const char *besides, const char *buffer, struct hint_span next)
{
    size_t room = 0;
    struct hint_span element;

    for (const char *rest = besides; hint_list_next(&rest, &element);)
        if (element.length && !is_listed(buffer, element) &&
            (element.length != next.length || memcmp(element.start, next.start, next.length) != 0))
            room += element.length + 1;
    return room;
}

void kinds_provide(const char *requested, const char *besides, char *buffer, size_t size)
{
    struct hint_span element;

    buffer[0] = '\0';
    for (const char *rest = requested; hint_list_next(&rest, &element);)
        if (is_supported(element))
            kinds_append(buffer, size - 1 - room_to_reserve(besides, buffer, element), element);
    for (const char *rest = besides; hint_list_next(&rest, &element);)
        if (element.length)
            kinds_append(buffer, size - 1, element);
}

/* As it was spelled; NULL: nothing was requested. */
static const char *requested_kinds(void)
{
    const char *by_launcher = getenv("INKLING_JOB_MEMORY_KINDS");

    return by_launcher ? by_launcher : getenv("INKLING_MEMORY_ALLOC_KINDS");
}

void kinds_provide_for_model(const char *requested, char *buffer, size_t size)
{
    kinds_provide(requested, minimum, buffer, size);
}

static char world_kinds[MPI_MAX_INFO_VAL + 1];
static int64_t world_set;
static pthread_once_t world_kinds_once = PTHREAD_ONCE_INIT;

static void provide_world_kinds(void)
{
    const char *requested = requested_kinds();

    kinds_provide_for_model(requested ? requested : minimum, world_kinds, sizeof world_kinds);
    world_set = kinds_set(world_kinds);
}

int64_t kinds_world_set(void)
{
    pthread_once(&world_kinds_once, provide_world_kinds);
    return world_set;
}

const char *hint_world_kinds(void)
{
    pthread_once(&world_kinds_once, provide_world_kinds);
    return world_kinds;
}
