#include "insight/advise/advise.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

enum {
    OP_NO_OP = 29, /* places in op_mask: the low bits of the standard's handles */
    OP_REPLACE = 28,
    WORTH = 200 /* bytes of what a hint is worth, behind something else */
};

static struct advice *add(struct advice_list *list, enum advice_kind kind, int object, const char *key,
                          const char *value)
{
    struct advice *a = &list->advice[list->count < ADVICES - 1 ? list->count++ : ADVICES - 1];
    const struct profile *p = list->profile;

    *a = (struct advice){.kind = kind, .object = object, .key = key};
    snprintf(a->value, sizeof a->value, "%s", value);
    for (uint32_t i = 0; kind == ADVICE_HINT && i < p->given; i++)
        a->is_given |= p->hint[i].object == object && strcmp(p->hint[i].key, key) == 0 &&
                       strcasecmp(p->hint[i].now, value) == 0;
    return a;
}

static void say(struct advice *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(struct advice *a, const char *format, ...)
{
    va_list rest;

    va_start(rest, format);
    vsnprintf(a->text, sizeof a->text, format, rest);
    va_end(rest);
}

/* Why the hint gains nothing, behind "none". */
static void gain_nothing(struct advice *a, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void gain_nothing(struct advice *a, const char *format, ...)
{
    size_t used = (size_t)snprintf(a->gain, sizeof a->gain, "none");
    va_list rest;

    a->is_idle = true;
    va_start(rest, format);
    vsnprintf(a->gain + used, sizeof a->gain - used, format, rest);
    va_end(rest);
}

/* What the hint is worth, where it was measured, or why nothing. */
static void tell_gain(const struct advice_list *list, struct advice *a, enum hint_id id)
{
    const struct hint_row *row = &hint_table[id];
    const struct gain *gain = gains_find(list->gains, id);

    if (row->state != EFFECT_ACTIVE)
        gain_nothing(a, " by Inkling: %.250s", row->effect);
    else if (gain && gains_are_none(gain))
        gain_nothing(a, " that was measured: %.250s", gain->text);
    else
        snprintf(a->gain, sizeof a->gain, "%s%.250s",
                 gain ? "" : "not measured here: ", gain ? gain->text : row->effect);
}

typedef unsigned long long big;

/* `each`: nanoseconds. */
static void model_receives(struct advice *a, uint64_t receives, double each)
{
    a->seconds = each / 1e9 * (double)receives;
    snprintf(a->gain, sizeof a->gain,
             "at most %llu messages that wait for their receive x %.0f ns: %.3g ms (%s)", (big)receives, each,
             a->seconds * 1e3, "modelled: make bench-hints");
}

/* One of the asserts on receives: `broken` of `all` contradict it. */
static void assert_receives(struct advice_list *list, int object, enum hint_id id, uint64_t broken,
                            const char *how)
{
    const struct gain *gain = gains_find(list->gains, id);
    const struct profile_object *o = &list->profile->object[object];
    const char *key = hint_table[id].key;
    uint64_t all = o->receives + o->probes;
    struct advice *a;

    if (all < ADVICE_CALLS)
        return;
    if (broken) {
        say(add(list, ADVICE_NOT, object, key, "true"), "%llu of %llu receives and probes name %s",
            (big)broken, (big)all, how);
        return;
    }
    a = add(list, ADVICE_HINT, object, key, "true");
    say(a, "none of %llu receives and %llu probes, on %llu ranks, names %s", (big)o->receives, (big)o->probes,
        (big)o->ranks, how);
    if (!o->receives)
        gain_nothing(a, ": it pays for messages, and none was received");
    else if (!gain || gains_are_none(gain))
        tell_gain(list, a, id);
    else
        model_receives(a, o->receives, gain->off - gain->on);
}

static void exact_length(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    const char *key = hint_table[HINT_EXACT_LENGTH].key;
    struct advice *a;
    char worth[WORTH];

    if (o->exact + o->inexact < ADVICE_CALLS)
        return;
    if (o->inexact || o->unknown_length) {
        say(add(list, ADVICE_NOT, object, key, "true"),
            "%llu of %llu messages are shorter than their receive, and of %llu it cannot be told",
            (big)o->inexact, (big)(o->exact + o->inexact), (big)o->unknown_length);
        return;
    }
    a = add(list, ADVICE_HINT, object, key, "true");
    say(a, "all %llu messages received, on %llu ranks, were as long as their receive", (big)o->exact,
        (big)o->ranks);
    gains_format(gains_find(list->gains, HINT_EXACT_LENGTH), worth, sizeof worth);
    if (o->large)
        snprintf(a->gain, sizeof a->gain,
                 "%llu messages of at least 64 KiB (%.3g MB) can be written before the receiver comes back: "
                 "%s",
                 (big)o->large, (double)o->large_bytes / 1e6, worth);
    else
        gain_nothing(a, ": it pays for messages of at least 64 KiB, and there were none");
}

static void overtaking(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    const char *key = hint_table[HINT_ALLOW_OVERTAKING].key;
    struct advice *a;
    char worth[WORTH];

    if (o->sends < ADVICE_CALLS)
        return;
    if (o->repeated || o->any_tag) {
        say(add(list, ADVICE_NOT, object, key, "true"),
            "%llu of %llu messages went to a rank and tag that an earlier one went to, and %llu receives "
            "name MPI_ANY_TAG: their order "
            "may matter",
            (big)o->repeated, (big)o->sends, (big)o->any_tag);
        return;
    }
    a = add(list, ADVICE_HINT, object, key, "true");
    say(a, "each of %llu messages had a destination and tag of its own", (big)o->sends);
    if (!list->profile->has_threads) {
        gain_nothing(a, ": it pays for threads that send at once, and MPI_THREAD_MULTIPLE was not provided");
        return;
    }
    gains_format(gains_find(list->gains, HINT_ALLOW_OVERTAKING), worth, sizeof worth);
    snprintf(a->gain, sizeof a->gain, "for threads that send at once: %s", worth);
}

static bool is_made_by_all(const struct profile_object *o)
{
    return !o->maker[0] || o->made == o->expected;
}

static void strict_order(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    const char *key = hint_table[HINT_STRICT_PERSISTENT_ORDERING].key;
    struct advice *a;

    if (o->starts < ADVICE_CALLS)
        return;
    if (o->order_differs || !is_made_by_all(o)) {
        say(add(list, ADVICE_NOT, object, key, "true"),
            "the ranks start persistent collectives in different orders, or it cannot be told");
        return;
    }
    a = add(list, ADVICE_HINT, object, key, "true");
    say(a, "%llu starts of persistent collectives, in the same order on all %llu ranks", (big)o->starts,
        (big)o->ranks);
    gains_format(gains_find(list->gains, HINT_STRICT_PERSISTENT_ORDERING), a->gain, sizeof a->gain);
}

static void memory(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    const struct gain *heap = gains_find(list->gains, HINT_MEMORY_KINDS); /* GB/s */
    uint64_t all = o->heap + o->other + o->unknown_memory;
    struct advice *a;

    if (o->heap >= ADVICE_CALLS && o->heap == all) {
        a = add(list, ADVICE_HINT, object, hint_table[HINT_ASSERT_MEMORY_KINDS].key, "mpi");
        say(a, "all %llu buffers, on %llu ranks, were in memory of MPI_Alloc_mem or a window", (big)all,
            (big)o->ranks);
        gains_format(gains_find(list->gains, HINT_ASSERT_MEMORY_KINDS), a->gain, sizeof a->gain);
    }
    if (o->other_large < ADVICE_CALLS)
        return;
    a = add(list, ADVICE_BUFFER, object, NULL, "");
    say(a, "%llu buffers of at least 64 KiB (%.3g MB) were not in memory of MPI_Alloc_mem",
        (big)o->other_large, (double)o->other_large_bytes / 1e6);
    if (!heap) {
        gains_format(NULL, a->gain, sizeof a->gain);
        return;
    }
    a->seconds = (double)o->other_large_bytes / 1e9 * (1 / heap->off - 1 / heap->on);
    snprintf(
        a->gain, sizeof a->gain,
        "about %.3g ms, at %.1f GB/s in place of %.1f, if all is on one host (modelled: make bench-hints)",
        a->seconds * 1e3, heap->on, heap->off);
}

static void no_locks(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    const char *key = hint_table[HINT_NO_LOCKS].key;
    struct advice *a;

    if (o->locks) {
        say(add(list, ADVICE_NOT, object, key, "true"), "locked %llu times", (big)o->locks);
        return;
    }
    a = add(list, ADVICE_HINT, object, key, "true");
    say(a, "%llu accesses on %llu ranks, none under a lock", (big)(o->puts + o->gets + o->accumulates),
        (big)o->ranks);
    gain_nothing(a, " in time: %.250s", hint_table[HINT_NO_LOCKS].effect);
}

/* `differs`: what the ranks gave, of which `what` is the word. */
static void same_on_all(struct advice_list *list, int object, enum hint_id id, bool differs, const char *what)
{
    const struct profile_object *o = &list->profile->object[object];
    struct advice *a;

    if (strcmp(o->maker, "MPI_Win_create_dynamic") == 0 || o->ranks < 2 || differs)
        return;
    a = add(list, ADVICE_HINT, object, hint_table[id].key, "true");
    say(a, "all %llu ranks gave the same %s, each of %llu times", (big)o->ranks, what,
        (big)(o->made / o->ranks));
    tell_gain(list, a, id);
}

static void accumulates(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    bool is_one_op = o->op_mask && !(o->op_mask & (o->op_mask - 1)) && !(o->op_mask >> 63) &&
                     !(o->op_mask >> OP_NO_OP & 1),
         is_replace = o->op_mask >> OP_REPLACE & 1;
    struct advice *a;

    if (o->accumulates < ADVICE_CALLS || !is_one_op)
        return;
    a = add(list, ADVICE_HINT, object, hint_table[HINT_ACCUMULATE_OPS].key, "same_op");
    say(a, "all %llu accumulates had the same operation", (big)o->accumulates);
    if (is_replace)
        tell_gain(list, a, HINT_ACCUMULATE_OPS);
    else
        gain_nothing(a, ": it pays for MPI_REPLACE of items of 8 bytes, and there was none");
    if (is_replace || o->fetches || o->not_integer)
        return;
    a = add(list, ADVICE_HINT, object, hint_table[HINT_ACCUMULATE_ORDERING].key, "none");
    say(a,
        "all %llu accumulates had the same operation on integers, and none read: their order changes "
        "nothing",
        (big)o->accumulates);
    tell_gain(list, a, HINT_ACCUMULATE_ORDERING);
}

static void window(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];

    if (o->puts + o->gets + o->accumulates < ADVICE_CALLS || !is_made_by_all(o))
        return;
    no_locks(list, object);
    same_on_all(list, object, HINT_SAME_DISP_UNIT, o->unit_differs, "displacement unit");
    same_on_all(list, object, HINT_SAME_SIZE, o->size_differs, "size");
    accumulates(list, object);
}

/* `random` is not advised, though it may be true: it pays only for large records that are not in the page cache. */
static void file_style(struct advice_list *list, int object)
{
    const struct profile_object *o = &list->profile->object[object];
    uint64_t all = o->in_order + o->backwards + o->elsewhere;
    struct advice *a;

    if (all < ADVICE_CALLS || o->in_order < all)
        return;
    a = add(list, ADVICE_HINT, object, hint_table[HINT_ACCESS_STYLE].key, "sequential");
    say(a, "all %llu accesses (%llu reads, %llu writes) began where the one before ended", (big)all,
        (big)o->reads, (big)o->writes);
    if (o->reads)
        snprintf(a->gain, sizeof a->gain,
                 "not measured: the kernel reads further ahead, where the file is not in its cache");
    else
        gain_nothing(a, ": it pays for reads, and there were none");
}

/* Why a hint that is in force changed nothing in this run; NULL: it may have. */
static const char *idle_here(const struct profile_object *o, const char *key)
{
    const struct {
        enum hint_id id;
        bool is_idle;
        const char *why;
    } rows[] = {
        {HINT_EXACT_LENGTH, o->large == 0, "no message of at least 64 KiB was sent"},
        {HINT_NO_ANY_SOURCE, o->receives + o->probes == 0, "nothing was received"},
        {HINT_NO_ANY_TAG, o->receives + o->probes == 0, "nothing was received"},
        {HINT_ALLOW_OVERTAKING, o->sends + o->receives == 0, "no message was sent"},
        {HINT_STRICT_PERSISTENT_ORDERING, o->starts == 0, "no persistent collective was started"},
        {HINT_ACCUMULATE_OPS, !(o->op_mask >> OP_REPLACE & 1), "there was no MPI_REPLACE"},
        {HINT_ACCESS_STYLE, o->reads == 0, "nothing was read"},
    };

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(key, hint_table[rows[i].id].key) == 0 && rows[i].is_idle)
            return rows[i].why;
    return NULL;
}

/* A hint in force with another value than the default. */
static void judge_in_force(struct advice_list *list, const struct profile_given *g,
                           const struct hint_row *row)
{
    bool is_default = row->def && strcasecmp(g->now, row->def) == 0;
    const char *why =
        g->object < 0 || is_default ? NULL : idle_here(&list->profile->object[g->object], g->key);

    if (row->state != EFFECT_ACTIVE)
        say(add(list, ADVICE_NO_EFFECT, g->object, g->key, g->value),
            "given %llu times and kept, but not used by Inkling: %.250s", (big)g->count, row->effect);
    else if (why)
        say(add(list, ADVICE_NO_EFFECT, g->object, g->key, g->value),
            "given %llu times, and changed nothing in this run: %s", (big)g->count, why);
}

static void judge_given(struct advice_list *list, const struct profile_given *g)
{
    const struct hint_row *row = hint_find(g->key), *near = row ? NULL : hint_nearest(g->key);
    struct advice *a;

    if (!g->now[0] && !row) {
        a = add(list, ADVICE_UNKNOWN, g->object, g->key, g->value);
        say(a, "given %llu times; no such hint is known%s%s%s", (big)g->count, near ? ": did you mean " : "",
            near ? near->key : "", near ? "?" : "");
    } else if (!g->now[0] || (row && row->def && strcasecmp(g->value, row->def) != 0 &&
                              strcasecmp(g->now, row->def) == 0)) {
        a = add(list, ADVICE_NO_EFFECT, g->object, g->key, g->value);
        say(a, "given %llu times and refused: in force is %s", (big)g->count, g->now[0] ? g->now : "nothing");
    } else if (row) {
        judge_in_force(list, g, row);
    }
}

static void balance(struct advice_list *list, const struct profile_site *s, const struct source_place *line)
{
    const struct profile *p = list->profile;
    double waited = (double)s->time - (double)s->shortest * (double)s->ranks;
    char where[600];
    struct advice *a;

    if (s->use != USE_COLLECTIVE || s->ranks < 2 || waited < 0.05 * (double)p->elapsed * p->size)
        return;
    a = add(list, ADVICE_BALANCE, s->object, NULL, "");
    advise_format_place(list, s->place, line, where, sizeof where);
    a->seconds = waited / 1e9;
    say(a,
        "%s at %.200s: the ranks waited %.3g s in all for those that came last, %.0f %% of the run; rank %d "
        "waited least",
        s->procedure, where, a->seconds, 100 * waited / ((double)p->elapsed * p->size), s->shortest_rank);
}

static const char *last_name(const struct source_place *place)
{
    const char *slash = strrchr(place->file, '/');

    return slash ? slash + 1 : place->file;
}

static bool is_same_line(const struct source_place *a, const struct source_place *b)
{
    return a->number && a->number == b->number && strcmp(last_name(a), last_name(b)) == 0;
}

/* The call that makes an object, in its int form; its length. */
static int call_length(const struct profile_object *o)
{
    size_t length = strlen(o->maker);

    return (int)(length > 2 && strcmp(o->maker + length - 2, "_c") == 0 ? length - 2 : length);
}

static bool is_same_call(const struct profile_object *a, const struct profile_object *b)
{
    return call_length(a) == call_length(b) && strncmp(a->maker, b->maker, (size_t)call_length(a)) == 0;
}

/* The call, place or name that no other object of the kind has, so that what is said of this one meets no other; else none. */
static void find_where(struct advice_list *list, int object)
{
    const struct profile *p = list->profile;
    const struct profile_object *o = &p->object[object];
    const struct source_place *line = &list->object[object];
    bool is_made = o->maker[0] != '\0', is_named = o->name[0] != '\0', is_placed = line->number > 0;

    for (int i = 0; i < (int)p->objects; i++) {
        if (i == object || p->object[i].kind != o->kind)
            continue;
        is_made &= !is_same_call(&p->object[i], o);
        is_named &= !p->object[i].has_names && strcmp(p->object[i].name, o->name) != 0;
        is_placed &= !is_same_line(&list->object[i], line);
    }
    if (is_made)
        snprintf(list->where[object], sizeof list->where[object], "%.*s", call_length(o), o->maker);
    else if (is_placed && o->maker[0])
        snprintf(list->where[object], sizeof list->where[object], "%s:%d", last_name(line), line->number);
    else if (is_named || !o->maker[0])
        snprintf(list->where[object], sizeof list->where[object], "%s", o->name);
}

void advise_apply_rules(struct advice_list *list)
{
    const struct profile *p = list->profile;

    for (uint32_t i = 0; i < p->objects; i++)
        find_where(list, (int)i);
    for (int i = 0; i < (int)p->objects && !p->has_lost_objects; i++) {
        const struct profile_object *o = &p->object[i];

        if (o->kind == PROFILE_COMM) {
            assert_receives(list, i, HINT_NO_ANY_SOURCE, o->any_source, "MPI_ANY_SOURCE");
            assert_receives(list, i, HINT_NO_ANY_TAG, o->any_tag, "MPI_ANY_TAG");
            exact_length(list, i);
            overtaking(list, i);
            strict_order(list, i);
            memory(list, i);
        } else if (o->kind == PROFILE_WIN) {
            window(list, i);
        } else {
            file_style(list, i);
        }
    }
    for (uint32_t i = 0; i < p->given; i++)
        judge_given(list, &p->hint[i]);
    for (uint32_t i = 0; i < p->sites; i++)
        balance(list, &p->site[i], &list->site[i]);
}
