#include "hint/report.h"

#include "hint/print.h"
#include "plain/log.h"

#include <inttypes.h>
#include <mpi.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STRAYS_SIZE = 4096 /* of the longest list */
};

/* Whether the list has the key. A newline ends each key of the list. */
static bool is_kept(const char *list, const char *key)
{
    size_t length = strlen(key);

    for (const char *at = list; at && *at; at = strchr(at, '\n') + 1)
        if (strncmp(at, key, length) == 0 && at[length] == '\n')
            return true;
    return false;
}

void report_keep_stray(struct hints *h, const char *key)
{
    size_t used = h->strays ? strlen(h->strays) : 0, length = strlen(key);
    char *longer;

    if (report_level() == REPORT_OFF || other_key_find(key) || is_kept(h->strays, key))
        return;
    longer = used + length + 2 > STRAYS_SIZE ? NULL : realloc(h->strays, used + length + 2);
    if (!longer) {
        h->strays_lost++;
        return;
    }
    snprintf(longer + used, length + 2, "%s\n", key);
    h->strays = longer;
}

static _Atomic(report_listener_fn *) listener; /* release by report_set_listener, acquire in any thread */

void report_set_listener(report_listener_fn *one)
{
    atomic_store_explicit(&listener, one, memory_order_release);
}

bool report_tell(const char *kind, const char *line)
{
    report_listener_fn *tell = atomic_load_explicit(&listener, memory_order_acquire);

    return tell && tell(kind, line);
}

bool report_is_wanted(int rank)
{
    enum report_level level = report_level();

    return level == REPORT_ALL ||
           (level == REPORT_FIRST && (rank == 0 || atomic_load_explicit(&listener, memory_order_acquire)));
}

/* A separator must not be part of a field. */
static void replace_tabs(char *text)
{
    for (; *text; text++)
        if (*text == '\t' || *text == '\n')
            *text = ' ';
}

static bool report_hand_over(const struct report_line *l)
{
    char title[256], value[512] = "", text[REPORT_LINE_SIZE];

    snprintf(title, sizeof title, "%s", l->title);
    if (l->value)
        snprintf(value, sizeof value, "=%s", l->value);
    replace_tabs(title);
    replace_tabs(value);
    snprintf(text, sizeof text,
             "%d %d %" PRIx64 " %d %d %" PRIu64 " %" PRIu64 " %" PRIu64 "\t%s\t%s\t%s\t%s\t%s\t%s\t%s",
             l->is_each, l->is_final, l->place, l->rank, l->size, l->count[0], l->count[1], l->count[2],
             l->kind, title, l->key, value, l->giver ? l->giver : "", l->counted, l->why);
    return report_tell("hint", text);
}

/* The next field; NULL: there is none. */
static char *report_next_field(char **text)
{
    return strsep(text, "\t");
}

bool report_parse(char *text, struct report_line *l)
{
    const char *field[7];
    int each, final, taken = 0;
    char *numbers = report_next_field(&text);

    if (!numbers ||
        sscanf(numbers, "%d %d %" SCNx64 " %d %d %" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &each, &final,
               &l->place, &l->rank, &l->size, &l->count[0], &l->count[1], &l->count[2], &taken) != 8)
        return false;
    for (int i = 0; i < 7; i++)
        if (!(field[i] = report_next_field(&text)))
            return false;
    l->is_each = each != 0;
    l->is_final = final != 0;
    l->kind = field[0];
    l->title = field[1];
    l->key = field[2];
    l->value = *field[3] == '=' ? field[3] + 1 : NULL;
    l->giver = *field[4] ? field[4] : NULL;
    l->counted = field[5];
    l->why = field[6];
    return true;
}

static void format_counted(const struct report_line *l, char *buffer, size_t size)
{
    size_t used = 0;
    int next = 0;

    *buffer = '\0';
    for (const char *c = l->counted; *c && used + 32 < size; c++) {
        if (*c == '#' && next < REPORT_COUNTS)
            used += (size_t)snprintf(buffer + used, size - used, "%" PRIu64, l->count[next++]);
        else if (*c == '%' && next > 0 && next < REPORT_COUNTS) /* nothing is counted behind it */
            used +=
                (size_t)snprintf(buffer + used, size - used, "%.3g",
                                 (double)l->count[next - 1] / (double)(l->count[next] ? l->count[next] : 1));
        else
            used += (size_t)snprintf(buffer + used, size - used, "%c", *c);
    }
}

void report_format(const struct report_line *l, char *buffer, size_t size)
{
    char counted[256];

    format_counted(l, counted, sizeof counted);
    if (!*l->key)
        snprintf(buffer, size, "%s", *l->counted ? counted : l->why);
    else if (!l->value)
        snprintf(buffer, size, "%s is not set, %s", l->key, l->why);
    else
        snprintf(buffer, size, "%s = \"%.400s\", %s%s%s%s%s", l->key, l->value, l->why,
                 l->giver ? "; given by " : "", l->giver ? l->giver : "", *l->counted ? "; " : "", counted);
}

/* What does not change at the object's end is told then. */
static void report_send(const struct report_object *o, struct report_line *l)
{
    char text[REPORT_LINE_SIZE];

    l->is_each = report_level() == REPORT_ALL;
    l->is_final = o->is_final;
    l->place = (uint64_t)(uintptr_t)o->place;
    l->kind = o->kind;
    l->title = o->title;
    l->rank = o->rank;
    l->size = o->size;
    if (report_hand_over(l) || !o->is_final)
        return;
    report_format(l, text, sizeof text);
    if (o->size)
        log_print("hints", "%s of %d rank%s, rank %d: %s", o->title, o->size, o->size == 1 ? "" : "s",
                  o->rank, text);
    else
        log_print("hints", "%s of process %d: %s", o->title, o->rank, text);
}

static uint64_t report_auth_of(const struct hints *h, enum hint_id id)
{
    enum hint_counted counted = hint_table[id].counted;

    return h->counted[counted] - h->counted_since[counted];
}

/* At the object's end: a hint that could have had an effect, and had none. */
static void settle_effect(const struct hints *h, enum hint_id id, struct report_effect *e)
{
    if (!e->unused || e->count[0])
        return;
    e->counted = NULL;
    if (!e->absence && !report_auth_of(h, id))
        e->absence = e->unused;
}

/* Adds what is counted against the hint to what was counted of its effect. */
static void add_counted(const struct hints *h, enum hint_id id, struct report_effect *e, char *buffer,
                        size_t size)
{
    const struct hint_row *row = &hint_table[id];

    if (!row->counted)
        return;
    snprintf(buffer, size, "proof: # %s%s%s", row->counted_as, e->counted ? "; " : "",
             e->counted ? e->counted : "");
    memmove(&e->count[1], &e->count[0], sizeof e->count - sizeof e->count[0]);
    e->count[0] = report_auth_of(h, id);
    e->counted = buffer;
}

static void tell_row(const struct report_object *o, struct hints *h, enum hint_id id, struct report_effect *e)
{
    char value[MPI_MAX_INFO_VAL + 1] = "", why[800], counted[256];
    struct report_line line = {.key = hint_table[id].key, .giver = h->origin[id], .counted = ""};

    if (hint_format(h, id, value, sizeof value))
        line.value = value;
    if (o->is_final)
        settle_effect(h, id, e);
    hint_explain(h, id, e->absence, why, sizeof why);
    line.why = why;
    if (o->is_final) {
        add_counted(h, id, e, counted, sizeof counted);
        line.counted = e->counted ? e->counted : "";
        memcpy(line.count, e->count, sizeof line.count);
    }
    report_send(o, &line);
}

static int tell_strays(const struct report_object *o, const struct hints *h)
{
    int count = 0;
    char text[STRAYS_SIZE + 64];
    struct report_line line = {.key = "", .why = text, .counted = ""};

    for (const char *at = h->strays; at && *at; at = strchr(at, '\n') + 1, count++) {
        snprintf(text, sizeof text, "%.*s, ignored: no hint of this kind of object", (int)strcspn(at, "\n"),
                 at);
        report_send(o, &line);
    }
    if (h->strays_lost == 0)
        return count;
    snprintf(text, sizeof text,
             "%d offers of keys, ignored: no hints of this kind of object, and no room for their names",
             h->strays_lost);
    report_send(o, &line);
    return count + 1;
}

int report_hints(const struct report_object *object, struct hints *h, report_effect_fn *effect,
                 const void *of)
{
    struct hints copy;
    int count = 0;

    if (!hints_copy(h, &copy)) {
        report_send(object,
                    &(struct report_line){.key = "", .why = "no memory to tell of its hints", .counted = ""});
        return 1;
    }
    for (int id = 0; id < HINT_COUNT; id++) {
        struct report_effect e = {0};

        if (copy.verdict[id] == HINT_NOT_OFFERED || id == HINT_HINTS_REPORT)
            continue;
        if (effect)
            effect(of, (enum hint_id)id, &e);
        tell_row(object, &copy, (enum hint_id)id, &e);
        count++;
    }
    count += tell_strays(object, &copy);
    hints_fini(&copy);
    return count;
}

void report_fact(const struct report_object *object, const char *counted, const uint64_t count[REPORT_COUNTS])
{
    struct report_line line = {.key = "", .why = "", .counted = counted};

    memcpy(line.count, count, sizeof line.count);
    report_send(object, &line);
}

void report_outside(int rank, int number, const char *text, const char *key, uint64_t matches)
{
    char why[512];
    struct report_line line = {.is_final = true,
                               .place = (uint64_t)number,
                               .rank = rank,
                               .kind = "outside",
                               .title = text,
                               .key = "",
                               .why = why,
                               .counted = "",
                               .count = {matches}};

    snprintf(
        why, sizeof why,
        "matched no object that takes %s; after @ stands a kind of object, the call that makes it, the place "
        "of that call (FILE:LINE or FUNCTION()), or a name that the object has",
        key);
    if (!report_hand_over(&line) && rank == 0 && matches == 0)
        log_print("hints", "%s %s (of rank 0)", text, why);
}

void report_none(int rank)
{
    if (!report_hand_over(&(struct report_line){.kind = "none",
                                                .title = "",
                                                .key = "",
                                                .why = "",
                                                .counted = "",
                                                .rank = rank,
                                                .is_final = true})) {
        if (rank == 0)
            log_print("hints", "none were given");
    }
}
