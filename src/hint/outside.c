#include "hint/outside.h"

#include "base/fail.h"
#include "hint/parse.h"

#include <ctype.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
    OBJECTS = ON_COMM | ON_WIN | ON_FILE | ON_SESSION | ON_MEMORY
};

struct outside_line {
    int number;
    bool switches_off;
    struct hint_span key, value, where; /* where: empty for all; value.start NULL: there was no = */
};

static const struct outside_kind {
    const char *name;
    unsigned on;
} outside_kinds[] = {
    {"comm", ON_COMM}, {"win", ON_WIN}, {"file", ON_FILE}, {"session", ON_SESSION}, {"memory", ON_MEMORY}};

static struct hint_span outside_span(const char *start, const char *end)
{
    return hint_span_trim((struct hint_span){start, (size_t)(end - start)});
}

static const char *last_of(const char *start, const char *end, char c)
{
    while (end > start)
        if (*--end == c)
            return end;
    return NULL;
}

static void outside_cut(const char *start, const char *end, struct outside_line *l)
{
    const char *at = last_of(start, end, '@'), *equals;

    l->where = at ? outside_span(at + 1, end) : (struct hint_span){end, 0};
    end = at ? at : end;
    equals = memchr(start, '=', (size_t)(end - start));
    l->switches_off = *start == '!';
    start += l->switches_off;
    l->key = outside_span(start, equals ? equals : end);
    l->value = equals ? outside_span(equals + 1, end) : (struct hint_span){NULL, 0};
}

/* The next line of *text that says something; l->number counts on. False: there is none. */
static bool outside_next(const char **text, struct outside_line *l)
{
    while (**text) {
        const char *start = *text, *end = start + strcspn(start, "\n");

        *text = *end ? end + 1 : end;
        l->number++;
        while (start < end && isspace((unsigned char)*start))
            start++;
        if (start == end || *start == '#')
            continue;
        outside_cut(start, end, l);
        return true;
    }
    return false;
}

static int fail_key(const char *source, int number, const char *key)
{
    const struct hint_row *near = hint_nearest(key);

    if (hint_find(key))
        return fail(MPI_ERR_OTHER, "%s, line %d: %s is a setting of the library; give it by --set", source,
                    number, key);
    if (near && near->on & OBJECTS)
        return fail(MPI_ERR_OTHER, "%s, line %d: there is no hint \"%s\"; did you mean %s?", source, number,
                    key, near->key);
    return fail(MPI_ERR_OTHER, "%s, line %d: there is no hint \"%s\"; `inkling hints` lists them", source,
                number, key);
}

static bool is_legal(const struct hint_row *row, const char *value)
{
    int64_t number;

    return row->type == HINT_KINDS || row->type == HINT_STRING ? *value : parse_value(row, value, &number);
}

static int check_line(const char *source, const struct outside_line *l)
{
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1], legal[128];
    const struct hint_row *row;

    if (l->key.length == 0 || (!l->value.start) != l->switches_off)
        return fail(MPI_ERR_INFO, "%s, line %d: a line is KEY=VALUE or !KEY, and may end in @WHERE", source,
                    l->number);
    snprintf(key, sizeof key, "%.*s", (int)l->key.length, l->key.start);
    row = hint_find(key);
    if (!row || !(row->on & OBJECTS))
        return fail_key(source, l->number, key);
    snprintf(value, sizeof value, "%.*s", (int)l->value.length, l->value.start ? l->value.start : "");
    if (l->switches_off || is_legal(row, value))
        return MPI_SUCCESS;
    hint_format_legal(row, legal, sizeof legal);
    return fail(MPI_ERR_OTHER, "%s, line %d: %s cannot be \"%.60s\"; it takes %s", source, l->number, key,
                value, legal);
}

int outside_check(const char *source, const char *text)
{
    struct outside_line l = {.number = 0};
    int error = MPI_SUCCESS;

    while (!error && outside_next(&text, &l))
        error = check_line(source, &l);
    return error;
}

static bool outside_is_meant(const struct outside_line *l, const struct hints *h, const char *call)
{
    if (l->where.length == 0)
        return true;
    for (size_t i = 0; i < sizeof outside_kinds / sizeof *outside_kinds; i++)
        if (hint_span_is(l->where, outside_kinds[i].name))
            return h->on & outside_kinds[i].on;
    return hint_span_is(l->where, call) || (h->name && hint_span_is(l->where, h->name));
}

static bool knows(const struct hints *h, const char *key)
{
    const struct hint_row *row = hint_find(key);

    return row && row->on & h->on;
}

void outside_offer(struct hints *h, unsigned when, const char *call)
{
    const char *text = hint_text(&hint_process, HINT_OUTSIDE);
    struct outside_line l = {.number = 0};
    char key[MPI_MAX_INFO_KEY + 1], value[MPI_MAX_INFO_VAL + 1];

    if (!text)
        return;
    h->giver = "mpiexec --hint";
    while (outside_next(&text, &l)) {
        snprintf(key, sizeof key, "%.*s", (int)l.key.length, l.key.start);
        if (l.switches_off || !knows(h, key) || !outside_is_meant(&l, h, call))
            continue;
        snprintf(value, sizeof value, "%.*s", (int)l.value.length, l.value.start);
        hint_offer(h, when, key, value);
    }
}

bool outside_switches_off(const struct hints *h, const char *call, const char *key)
{
    const char *text = hint_text(&hint_process, HINT_OUTSIDE);
    struct outside_line l = {.number = 0};

    while (text && outside_next(&text, &l))
        if (l.switches_off && hint_span_is(l.key, key) && outside_is_meant(&l, h, call))
            return true;
    return false;
}
