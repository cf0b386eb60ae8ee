#include "hint/hint.h"

#include "hint/coll_rules.h"
#include "hint/parse.h"
#include "hint/report.h"
#include "hint/warn.h"
#include "metric/event.h"
#include "plain/spelling.h"

#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct hint_row *hint_find(const char *key)
{
    for (int i = 0; i < HINT_COUNT; i++)
        if (strcmp(hint_table[i].key, key) == 0)
            return &hint_table[i];
    return NULL;
}

/* Whether `key` is a misspelling of the full key, or of its last part without the common prefix:
 * "no_any_tags" for "mpi_assert_no_any_tag". */
static bool find_is_near(const char *key, const char *full, int *distance)
{
    static const char *const prefixes[] = {"", "mpi_assert_", "mpi_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(full, prefixes[i], length) == 0 && spelling_is_near(key, full + length, distance))
            return true;
    }
    return false;
}

const struct hint_row *hint_nearest(const char *key)
{
    const struct hint_row *nearest = NULL;
    int least = INT_MAX, distance;

    for (int i = 0; i < HINT_COUNT; i++) {
        const struct hint_row *row = &hint_table[i];

        if (find_is_near(key, row->key, &distance) && distance < least) {
            nearest = row;
            least = distance;
        }
    }
    return nearest;
}

bool hint_has_variable(const struct hint_row *row, bool of_comm)
{
    return row->on & ON_PROCESS && (!of_comm || row->on & ON_COMM);
}

void hint_variable_name(const struct hint_row *row, bool of_comm, char *name, size_t size)
{
    snprintf(name, size, "%s%s", of_comm ? "inkling_comm_" : "",
             of_comm ? strchr(row->key, '_') + 1 : row->key);
}

struct hints hint_process;

static bool applies(const struct hints *h, int id)
{
    return hint_table[id].on & h->on;
}

static bool is_text(int id)
{
    return hint_table[id].type == HINT_KINDS || hint_table[id].type == HINT_STRING;
}

static void set_value(struct hints *h, int id, int64_t value)
{
    /* relaxed: a hint affects operations that start later and orders nothing */
    __atomic_store_n(&h->value[id], value, __ATOMIC_RELAXED);
}

static const char *model_kinds(const struct hints *h)
{
    return h->model_kinds ? h->model_kinds : hint_world_kinds();
}

static int64_t model_set(const struct hints *h)
{
    return h->model_kinds ? kinds_set(h->model_kinds) : kinds_world_set();
}

/* Whether another kind of object has its own value of a row of processes. */
static bool may_follow(const struct hints *h, int id)
{
    return hint_table[id].on & ON_PROCESS && !(h->on & ON_PROCESS);
}

bool hint_follows(const struct hints *h, enum hint_id id)
{
    return may_follow(h, (int)id) && hint_value(h, id) == HINT_FOLLOWS;
}

static _Atomic int64_t caps[HINT_COUNT]; /* relaxed: to report; 0: none */

void hint_cap(enum hint_id id, int64_t most)
{
    if (most > atomic_load_explicit(&caps[id], memory_order_relaxed))
        atomic_store_explicit(&caps[id], most, memory_order_relaxed);
}

int64_t hint_effective(const struct hints *h, enum hint_id id)
{
    int64_t value = hint_value(hint_follows(h, id) ? &hint_process : h, id);
    int64_t cap = atomic_load_explicit(&caps[id], memory_order_relaxed);

    return cap && value > cap ? cap : value;
}

static int64_t default_value(const struct hints *h, int id)
{
    int64_t value = 0;

    if (may_follow(h, id))
        return HINT_FOLLOWS;
    if (hint_table[id].type == HINT_KINDS)
        return model_set(h);
    if (!is_text(id))
        (void)parse_value(&hint_table[id], hint_table[id].def, &value);
    return value;
}

static void set_default(struct hints *h, int id)
{
    set_value(h, id, default_value(h, id));
    free(h->text[id]);
    h->text[id] = NULL;
    h->origin[id] = NULL;
}

void hints_init(struct hints *h, unsigned on)
{
    memset(h, 0, sizeof *h);
    h->on = on;
    h->lock = (struct lock)LOCK_INIT;
    for (int id = 0; id < HINT_COUNT; id++)
        if (applies(h, id))
            set_value(h, id, default_value(h, id));
}

void hints_set_model(struct hints *h, const char *kinds)
{
    h->model_kinds = kinds;
    set_default(h, HINT_MEMORY_KINDS);
    set_default(h, HINT_ASSERT_MEMORY_KINDS);
}

void hints_fini(struct hints *h)
{
    for (int id = 0; id < HINT_COUNT; id++) {
        if (!h->text[id])
            continue;
        free(h->text[id]);
        h->text[id] = NULL;
    }
    free(h->strays);
    h->strays = NULL;
    h->strays_lost = 0;
}

/* Caller holds h's lock. False if memory is out. */
static bool copy_texts(struct hints *h, struct hints *copy)
{
    for (int id = 0; id < HINT_COUNT; id++) {
        if (!h->text[id])
            continue;
        copy->text[id] = strdup(h->text[id]);
        if (!copy->text[id])
            return false;
    }
    if (h->strays)
        copy->strays = strdup(h->strays);
    return !h->strays || copy->strays;
}

bool hints_copy(struct hints *h, struct hints *copy)
{
    bool done;

    hints_init(copy, h->on);
    copy->keep_kinds = h->keep_kinds;
    copy->name = h->name;
    copy->maker = h->maker;
    copy->site = h->site;
    copy->model_kinds = h->model_kinds;
    lock_always_take(&h->lock);
    done = copy_texts(h, copy);
    copy->strays_lost = h->strays_lost;
    copy->refused_why = h->refused_why;
    memcpy(copy->refused_kind, h->refused_kind, sizeof copy->refused_kind);
    memcpy(copy->value, h->value, sizeof copy->value);
    for (int counted = 0; counted < COUNTED_COUNT; counted++)
        copy->counted[counted] = __atomic_load_n(&h->counted[counted], __ATOMIC_RELAXED);
    memcpy(copy->counted_since, h->counted_since, sizeof copy->counted_since);
    memcpy(copy->verdict, h->verdict, sizeof copy->verdict);
    memcpy(copy->origin, h->origin, sizeof copy->origin);
    lock_always_release(&h->lock);
    if (!done)
        hints_fini(copy);
    return done;
}

void hints_move(struct hints *h, struct hints *from)
{
    char *strays;

    lock_always_take(&h->lock);
    for (int id = 0; id < HINT_COUNT; id++) {
        int64_t value = h->value[id];
        char *text = h->text[id];

        if (from->value[id] != value)
            h->counted_since[hint_table[id].counted] =
                __atomic_load_n(&h->counted[hint_table[id].counted], __ATOMIC_RELAXED);
        set_value(h, id, from->value[id]);
        from->value[id] = value;
        h->text[id] = from->text[id];
        from->text[id] = text;
        h->verdict[id] = from->verdict[id];
        h->origin[id] = from->origin[id];
    }
    strays = h->strays;
    h->strays = from->strays;
    from->strays = strays;
    h->strays_lost = from->strays_lost;
    h->refused_why = from->refused_why;
    memcpy(h->refused_kind, from->refused_kind, sizeof h->refused_kind);
    lock_always_release(&h->lock);
}

/* An unknown key is left to other libraries, unless it looks like a misspelling of a known one. */
static void warn_of_unknown(const struct hints *h, const char *key)
{
    const struct hint_row *near = warn_is_known(key) ? NULL : hint_nearest(key);

    if (!near)
        warn_is_due(key); /* somebody else's key is looked for once */
    if (near && near->on & h->on && strcmp(near->key, key))
        warn_of_key(h, key, "info key \"%s\" is not known and changes nothing; did you mean \"%s\"?", key,
                    near->key);
}

static void warn_of_value(const struct hints *h, const struct hint_row *row, const char *value)
{
    char legal[128];

    hint_format_legal(row, legal, sizeof legal);
    warn_of_key(h, row->key, "info key \"%s\" cannot be \"%s\" and keeps its value; legal is %s", row->key,
                value, legal);
}

/* Whether everything in the list is supported, also by the model that the object belongs to. A driver that
 * nobody requested when the model began is not loaded now. */
static bool may_assert(struct hints *h, const char *list)
{
    h->refused_why = kinds_refused(list, model_set(h), h->refused_kind, sizeof h->refused_kind);
    return !h->refused_why;
}

/* An accepted assertion also narrows what mpi_memory_alloc_kinds reports. */
static enum hint_verdict set_kinds(struct hints *h, int id, const char *value)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    char *text, *narrowed = NULL;

    if (!may_assert(h, value))
        return HINT_UNSUPPORTED_KIND;
    kinds_provide(value, "", kinds, sizeof kinds);
    text = strdup(value);
    if (!h->keep_kinds)
        narrowed = strdup(kinds);
    if (!text || (!h->keep_kinds && !narrowed)) {
        free(text);
        free(narrowed);
        return HINT_NO_MEMORY;
    }
    free(h->text[id]);
    h->text[id] = text;
    set_value(h, id, kinds_set(value));
    if (narrowed) {
        set_value(h, HINT_MEMORY_KINDS, kinds_set(value));
        free(h->text[HINT_MEMORY_KINDS]);
        h->text[HINT_MEMORY_KINDS] = narrowed;
    }
    return HINT_ACCEPTED;
}

/* The supported kinds among those that a session requests, and always the minimum. */
static enum hint_verdict set_model_kinds(struct hints *h, const char *requested)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    char *text;

    kinds_provide_for_model(requested, kinds, sizeof kinds);
    text = strdup(kinds);
    if (!text)
        return HINT_NO_MEMORY;
    free(h->text[HINT_MEMORY_KINDS]);
    h->text[HINT_MEMORY_KINDS] = text;
    set_value(h, HINT_MEMORY_KINDS, kinds_set(kinds));
    return HINT_ACCEPTED;
}

static enum hint_verdict set_string(struct hints *h, int id, const char *value)
{
    struct hint_span s = hint_span_trim((struct hint_span){value, strlen(value)});
    char *text;

    if (s.length == 0)
        return HINT_BAD_VALUE;
    text = strndup(s.start, s.length);
    if (!text)
        return HINT_NO_MEMORY;
    free(h->text[id]);
    h->text[id] = text;
    return HINT_ACCEPTED;
}

/* mpiexec reads the environment before its ranks do. */
static bool is_told(const struct hints *h)
{
    return h == &hint_process && getenv("INKLING_JOB_RANK");
}

static enum hint_verdict offer_row(struct hints *h, unsigned when, int id, const char *value)
{
    const struct hint_row *row = &hint_table[id];
    struct hint_span now;
    int64_t number;

    if (row->state == EFFECT_NONE)
        return HINT_USELESS;
    if (!(row->when & when))
        return HINT_NOT_NOW;
    if (id == HINT_MEMORY_KINDS)
        return set_model_kinds(h, value);
    if (row->type == HINT_KINDS)
        return set_kinds(h, id, value);
    if (id == HINT_RULES)
        return coll_rules_offer(h, value);
    if (row->type == HINT_STRING)
        return set_string(h, id, value);
    if (!parse_value(row, value, &number))
        return HINT_BAD_VALUE;
    if (hint_value_is_renamed(row, value, &now) && !is_told(h))
        warn_of_key(h, row->key, "\"%s\" of \"%s\" is taken for its new name; write \"%.*s\"", value,
                    row->key, (int)now.length, now.start);
    set_value(h, id, number);
    return HINT_ACCEPTED;
}

static enum hint_verdict offer_key(struct hints *h, unsigned when, const char *key, const char *value)
{
    const struct hint_row *row = hint_find(key);
    enum hint_verdict verdict;

    if (!row || !(row->on & h->on)) {
        warn_of_unknown(h, key);
        report_keep_stray(h, key);
        return HINT_UNKNOWN;
    }
    verdict = offer_row(h, when, (int)(row - hint_table), value);
    h->verdict[row - hint_table] = (uint8_t)verdict;
    if (verdict == HINT_ACCEPTED)
        h->origin[row - hint_table] = h->giver;
    if (verdict == HINT_BAD_VALUE && row != &hint_table[HINT_RULES] && !(h->on & (ON_PROCESS | ON_COMMAND)))
        warn_of_value(h, row, value);
    return verdict;
}

enum hint_verdict hint_offer(struct hints *h, unsigned when, const char *key, const char *value)
{
    enum hint_verdict verdict = offer_key(h, when, key, value);
    struct event e = {.id = EVENT_HINT, .value = {verdict}};

    if (event_is_wanted(EVENT_HINT)) {
        snprintf(e.key, sizeof e.key, "%s", key);
        event_raise(e);
    }
    return verdict;
}

void hint_set_text(struct hints *h, enum hint_id id, const char *text)
{
    if (strlen(text) < MPI_MAX_INFO_VAL)
        (void)set_string(h, (int)id, text);
}

void hint_refuse(struct hints *h, enum hint_id id, const char *legal)
{
    const struct hint_row *row = &hint_table[id];

    warn_of_key(h, row->key, "info key \"%s\" cannot be \"%s\" and keeps its value; legal is %s", row->key,
                h->text[id], legal);
    set_default(h, (int)id);
    h->verdict[id] = HINT_BAD_VALUE;
}

const char *hint_origin(struct hints *h, enum hint_id id)
{
    const char *origin;

    lock_always_take(&h->lock);
    origin = h->origin[id];
    lock_always_release(&h->lock);
    return origin ? origin : "the library";
}

/* The text in force; NULL: none. At first, the kinds of an object are those of its model. */
static const char *text_of(const struct hints *h, enum hint_id id)
{
    if (h->text[id])
        return h->text[id];
    return id == HINT_MEMORY_KINDS ? model_kinds(h) : hint_table[id].def;
}

const char *hint_text(const struct hints *h, enum hint_id id)
{
    return text_of(h, id);
}

const char *hint_kinds(const struct hints *h)
{
    return text_of(h, HINT_MEMORY_KINDS);
}

/* Whether the row has a value on the object of these hints. */
static bool hint_is_set(const struct hints *h, enum hint_id id)
{
    return applies(h, (int)id) && (hint_table[id].def || !is_text((int)id) || text_of(h, id));
}

bool hint_format(const struct hints *h, enum hint_id id, char *buffer, size_t size)
{
    if (!hint_is_set(h, id))
        return false;
    if (is_text((int)id))
        snprintf(buffer, size, "%s", text_of(h, id));
    else
        hint_format_value(&hint_table[id], hint_effective(h, id), buffer, size);
    return true;
}

enum hint_id hint_agreed_from(const struct hints *h, int id)
{
    while (id < HINT_COUNT && !(applies(h, id) && hint_table[id].agree == AGREE_SAME && !is_text(id)))
        id++;
    return (enum hint_id)id;
}

void hint_disagreed(struct hints *h, enum hint_id id)
{
    set_default(h, (int)id);
    h->verdict[id] = HINT_DISAGREED;
}

void hint_keep(struct hints *h, const struct hints *old, enum hint_id id)
{
    set_value(h, (int)id, old->value[id]);
    h->origin[id] = old->origin[id];
    h->verdict[id] = HINT_RELIED_ON;
}

/* Says of a hint of an object, in one line, whether it is in force, and why not. */

static bool is_default(const struct hints *h, enum hint_id id)
{
    char value[64];

    if (hint_table[id].on & ON_PROCESS && !(h->on & ON_PROCESS))
        return hint_value_here(h, id) == hint_process.value[id];
    if (!hint_table[id].def)
        return !hint_is_set(h, id);
    if (!is_text((int)id))
        return h->value[id] == default_value(h, (int)id);
    return hint_format(h, id, value, sizeof value) && strcmp(value, hint_table[id].def) == 0;
}

static bool is_off(const struct hints *h, enum hint_id id)
{
    const struct hint_row *row = &hint_table[id];

    return !h->value[id] &&
           (row->type == HINT_BOOL || (row->type == HINT_CHOICE && strncmp(row->choices, "false,", 6) == 0));
}

/* Of a value that was accepted, and may be older than the last offer. */
static void explain_accepted(const struct hints *h, enum hint_id id, const char *absence, char *buffer,
                             size_t size)
{
    const struct hint_row *row = &hint_table[id];

    if (is_default(h, id))
        snprintf(buffer, size, "default");
    else if (row->state != EFFECT_ACTIVE)
        snprintf(buffer, size, "idle: %s", row->effect);
    else if (is_off(h, id))
        snprintf(buffer, size, "active: switched off; when it is on, %s", row->effect);
    else if (absence)
        snprintf(buffer, size, "no effect: %s", absence);
    else
        snprintf(buffer, size, "active: %s", row->effect);
}

/* Why the last offer was not accepted. */
static void explain_refusal(const struct hints *h, enum hint_id id, char *buffer, size_t size)
{
    const struct hint_row *row = &hint_table[id];
    const char *why = "no hint of this kind of object";

    switch ((enum hint_verdict)h->verdict[id]) {
    case HINT_BAD_VALUE:
        why = "the value last offered is not legal";
        break;
    case HINT_NOT_NOW:
        why = row->when & READ_ONLY ? "a program cannot set it" : "it is fixed when the object is made";
        break;
    case HINT_UNSUPPORTED_KIND:
        snprintf(buffer, size, "the list last offered has \"%s\": %s", h->refused_kind, h->refused_why);
        return;
    case HINT_DISAGREED:
        why = "the ranks gave different values";
        break;
    case HINT_USELESS:
        why = row->effect;
        break;
    case HINT_NO_MEMORY:
        why = "memory was out";
        break;
    case HINT_NOT_OFFERED:
    case HINT_ACCEPTED:
    case HINT_UNKNOWN:
    case HINT_RELIED_ON:
        break;
    }
    snprintf(buffer, size, "%s", why);
}

/* What was accepted before the last offer, which was refused, is still in force. */
static bool is_older_in_force(const struct hints *h, enum hint_id id)
{
    return !(hint_table[id].when & READ_ONLY) && !is_default(h, id);
}

void hint_explain(const struct hints *h, enum hint_id id, const char *absence, char *buffer, size_t size)
{
    enum hint_verdict verdict = (enum hint_verdict)h->verdict[id];
    char why[256], accepted[512];

    explain_refusal(h, id, why, sizeof why);
    if (!(hint_table[id].on & h->on))
        snprintf(buffer, size, "ignored: no hint of this kind of object");
    else if (verdict == HINT_NOT_OFFERED)
        snprintf(buffer, size, "default");
    else if (verdict == HINT_ACCEPTED)
        explain_accepted(h, id, absence, buffer, size);
    else if (verdict == HINT_RELIED_ON)
        snprintf(buffer, size, "active: taking it back was ignored, since requests rely on it");
    else if (is_older_in_force(h, id)) {
        explain_accepted(h, id, absence, accepted, sizeof accepted);
        snprintf(buffer, size, "%s; a later offer was ignored: %s", accepted, why);
    } else
        snprintf(buffer, size, "ignored: %s", why);
}
