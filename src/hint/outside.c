#include "hint/outside.h"

#include "hint/parse.h"
#include "hint/report.h"
#include "hint/warn.h"
#include "plain/fail.h"
#include "plain/log.h"

#include <ctype.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum {
    OBJECTS = ON_COMM | ON_WIN | ON_FILE | ON_SESSION | ON_MEMORY,
    COUNTED_LINES = 4096 /* of a text; what later ones match is not told */
};

struct outside_line {
    int number;
    bool switches_off;
    struct hint_span whole, key, value, where; /* .start NULL: there was no = or @ */
};

static const struct outside_kind {
    const char *name;
    unsigned on;
} outside_kinds[] = {
    {"comm", ON_COMM}, {"win", ON_WIN}, {"file", ON_FILE}, {"session", ON_SESSION}, {"memory", ON_MEMORY}};

static const char outside_giver[] = "mpiexec --hint";

/* Objects that a line has matched, by its number. Relaxed: numbers to report, which order nothing. */
static _Atomic unsigned matches[COUNTED_LINES + 1];

static void count_match(const struct outside_line *l)
{
    if (l->number <= COUNTED_LINES)
        atomic_fetch_add_explicit(&matches[l->number], 1, memory_order_relaxed);
}

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

    l->whole = outside_span(start, end);
    l->where = at ? outside_span(at + 1, end) : (struct hint_span){NULL, 0};
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

    if (l->key.length == 0 || (!l->value.start) != l->switches_off || (l->where.start && !l->where.length))
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

static bool outside_is_named(const struct outside_line *l, const char *name)
{
    return l->where.start && name && hint_span_is(l->where, name);
}

static bool outside_is_meant(const struct outside_line *l, const struct hints *h)
{
    if (!l->where.start)
        return true;
    for (size_t i = 0; i < sizeof outside_kinds / sizeof *outside_kinds; i++)
        if (hint_span_is(l->where, outside_kinds[i].name))
            return h->on & outside_kinds[i].on;
    return outside_is_named(l, h->maker) || outside_is_named(l, h->name) ||
           (h->site && call_site_matches(h->site, l->where));
}

static bool knows(const struct hints *h, const char *key)
{
    const struct hint_row *row = hint_find(key);

    return row && row->on & h->on;
}

static const char *outside_text(void)
{
    return hint_text(&hint_process, HINT_OUTSIDE);
}

static bool has_places(const char *text)
{
    struct outside_line l = {.number = 0};

    while (outside_next(&text, &l))
        if (l.where.start && call_site_is_place(l.where))
            return true;
    return false;
}

static void offer_line(struct hints *h, unsigned when, const struct outside_line *l, const char *key)
{
    char value[MPI_MAX_INFO_VAL + 1];

    snprintf(value, sizeof value, "%.*s", (int)l->value.length, l->value.start);
    hint_offer(h, when, key, value);
}

void outside_offer(struct hints *h, unsigned when, const char *call)
{
    const char *text = outside_text();
    struct outside_line l = {.number = 0};
    char key[MPI_MAX_INFO_KEY + 1];

    if (!text)
        return;
    h->maker = call;
    h->site = has_places(text) ? call_site_find() : NULL;
    h->giver = outside_giver;
    while (outside_next(&text, &l)) {
        snprintf(key, sizeof key, "%.*s", (int)l.key.length, l.key.start);
        if (!knows(h, key) || !outside_is_meant(&l, h))
            continue;
        count_match(&l);
        if (!l.switches_off)
            offer_line(h, when, &l, key);
    }
}

bool outside_switches_off(const struct hints *h, const char *key)
{
    const char *text = outside_text();
    struct outside_line l = {.number = 0};

    while (text && outside_next(&text, &l))
        if (l.switches_off && hint_span_is(l.key, key) && outside_is_meant(&l, h))
            return true;
    return false;
}

bool outside_knows_name(const char *name)
{
    const char *text = outside_text();
    struct outside_line l = {.number = 0};

    while (text && outside_next(&text, &l))
        if (outside_is_named(&l, name))
            return true;
    return false;
}

/* The ranks are not asked, and the program may have said something itself. */
static bool may_follow_name(const struct hints *h, const struct hint_row *row)
{
    const char *origin = h->origin[row - hint_table];

    if (row->agree == AGREE_SAME && warn_is_due(row->key))
        log_warn(
            "%s must be the same on all ranks, so a hint from outside cannot give it to \"%s\", which gets "
            "its name later: name the call that makes the object, or its place",
            row->key, h->name);
    return row->agree == AGREE_LOCAL && (!origin || origin == outside_giver);
}

void outside_offer_named(struct hints *h)
{
    const char *text = outside_text();
    struct outside_line l = {.number = 0};
    char key[MPI_MAX_INFO_KEY + 1];

    h->giver = outside_giver;
    while (text && outside_next(&text, &l)) {
        snprintf(key, sizeof key, "%.*s", (int)l.key.length, l.key.start);
        if (!outside_is_named(&l, h->name) || !knows(h, key))
            continue;
        count_match(&l);
        if (!l.switches_off && may_follow_name(h, hint_find(key)))
            offer_line(h, AT_SET, &l, key);
    }
}

void outside_report(int rank)
{
    const char *text = outside_text();
    struct outside_line l = {.number = 0};
    char whole[256], key[MPI_MAX_INFO_KEY + 1];

    while (text && outside_next(&text, &l) && l.number <= COUNTED_LINES) {
        snprintf(whole, sizeof whole, "%.*s", (int)l.whole.length, l.whole.start);
        snprintf(key, sizeof key, "%.*s", (int)l.key.length, l.key.start);
        if (l.where.start || report_level() != REPORT_OFF)
            report_outside(rank, l.number, whole, key,
                           atomic_load_explicit(&matches[l.number], memory_order_relaxed));
    }
}

uint64_t outside_count_matches(void)
{
    uint64_t sum = 0;

    for (int i = 0; i <= COUNTED_LINES; i++)
        sum += atomic_load_explicit(&matches[i], memory_order_relaxed);
    return sum;
}
