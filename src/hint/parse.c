#include "hint/parse.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct unit {
    const char *name;
    int64_t factor;
};

/* Largest first: formatting takes the first that divides the value. */
static const struct unit size_units[] = {{"G", 1 << 30}, {"M", 1 << 20}, {"K", 1 << 10}, {"", 1}, {NULL, 0}};
static const struct unit time_units[] = {
    {"s", 1000000000}, {"ms", 1000000}, {"us", 1000}, {"ns", 1}, {NULL, 0}};

static bool is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

struct hint_span hint_span_trim(struct hint_span s)
{
    while (s.length && is_space(*s.start)) {
        s.start++;
        s.length--;
    }
    while (s.length && is_space(s.start[s.length - 1]))
        s.length--;
    return s;
}

bool hint_span_is(struct hint_span s, const char *word)
{
    return strlen(word) == s.length && memcmp(s.start, word, s.length) == 0;
}

bool hint_list_next(const char **list, struct hint_span *element)
{
    struct hint_span s;

    if (!*list)
        return false;
    s = (struct hint_span){*list, strcspn(*list, ",")};
    *list = s.start[s.length] ? s.start + s.length + 1 : NULL;
    *element = hint_span_trim(s);
    return true;
}

/* Takes the digits at the start off *s. False when there are none or they exceed int64_t. */
static bool take_digits(struct hint_span *s, int64_t *value)
{
    int64_t n = 0;
    size_t i = 0;

    for (; i < s->length && s->start[i] >= '0' && s->start[i] <= '9'; i++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, s->start[i] - '0', &n))
            return false;
    s->start += i;
    s->length -= i;
    *value = n;
    return i > 0;
}

static bool parse_int(struct hint_span s, int64_t *value)
{
    bool negative = s.length && *s.start == '-';
    int64_t n;

    if (s.length && (*s.start == '-' || *s.start == '+')) {
        s.start++;
        s.length--;
    }
    if (!take_digits(&s, &n) || s.length)
        return false;
    *value = negative ? -n : n;
    return true;
}

static bool parse_bool(struct hint_span s, int64_t *value)
{
    if (!hint_span_is(s, "true") && !hint_span_is(s, "false"))
        return false;
    *value = hint_span_is(s, "true");
    return true;
}

static bool parse_with_unit(struct hint_span s, const struct unit *units, int64_t *value)
{
    int64_t n;

    if (!take_digits(&s, &n))
        return false;
    if (n == 0 && s.length == 0) { /* zero needs no unit */
        *value = 0;
        return true;
    }
    for (const struct unit *u = units; u->name; u++)
        if (hint_span_is(s, u->name))
            return !__builtin_mul_overflow(n, u->factor, value);
    return false;
}

static bool parse_choice(struct hint_span s, const char *choices, int64_t *value)
{
    struct hint_span choice;
    int64_t index = 0;

    for (const char *rest = choices; hint_list_next(&rest, &choice); index++)
        if (choice.length == s.length && memcmp(choice.start, s.start, s.length) == 0) {
            *value = index;
            return true;
        }
    return false;
}

/* The name that a value has now whose former name this is; no length: it is none. */
static struct hint_span find_renamed(struct hint_span s, const char *former)
{
    struct hint_span pair;

    for (const char *rest = former; hint_list_next(&rest, &pair);)
        if (pair.length > s.length && pair.start[s.length] == '=' &&
            memcmp(pair.start, s.start, s.length) == 0)
            return (struct hint_span){pair.start + s.length + 1, pair.length - s.length - 1};
    return (struct hint_span){NULL, 0};
}

bool hint_value_is_renamed(const struct hint_row *row, const char *text, struct hint_span *now)
{
    *now = find_renamed(hint_span_trim((struct hint_span){text, strlen(text)}), row->former);
    return now->length > 0;
}

/* Members in any order, each once; "none" is the empty set. After the span its text has but spaces. */
static bool parse_set(struct hint_span s, const char *members, int64_t *value)
{
    const char *rest = hint_span_is(s, "none") ? NULL : s.start;
    struct hint_span member;
    int64_t set = 0, index;

    while (hint_list_next(&rest, &member)) {
        if (!parse_choice(member, members, &index) || set >> index & 1)
            return false;
        set |= (int64_t)1 << index;
    }
    *value = set;
    return true;
}

static bool parse_by_type(const struct hint_row *row, struct hint_span s, int64_t *value)
{
    switch (row->type) {
    case HINT_BOOL:
        return parse_bool(s, value);
    case HINT_INT:
        return parse_int(s, value);
    case HINT_SIZE:
        return parse_with_unit(s, size_units, value);
    case HINT_DURATION:
        return parse_with_unit(s, time_units, value);
    case HINT_CHOICE:
        return parse_choice(s, row->choices, value) ||
               parse_choice(find_renamed(s, row->former), row->choices, value);
    case HINT_SET:
        return parse_set(s, row->choices, value);
    case HINT_KINDS:
    case HINT_STRING:
        break;
    }
    return false;
}

bool parse_value(const struct hint_row *row, const char *text, int64_t *value)
{
    int64_t n;

    if (!parse_by_type(row, hint_span_trim((struct hint_span){text, strlen(text)}), &n))
        return false;
    if ((row->min || row->max) && (n < row->min || n > row->max))
        return false;
    if (row->is_power && (n & (n - 1)))
        return false;
    *value = n;
    return true;
}

static void format_with_unit(const struct unit *units, int64_t value, char *buffer, size_t size)
{
    const struct unit *u = units;

    while (u[1].name && value % u->factor)
        u++;
    if (value == 0)
        snprintf(buffer, size, "0");
    else
        snprintf(buffer, size, "%" PRId64 "%s", value / u->factor, u->name);
}

static void format_choice(const char *choices, int64_t index, char *buffer, size_t size)
{
    struct hint_span choice;

    for (const char *rest = choices; hint_list_next(&rest, &choice); index--)
        if (index == 0) {
            snprintf(buffer, size, "%.*s", (int)choice.length, choice.start);
            return;
        }
}

static void format_set(const char *members, int64_t set, char *buffer, size_t size)
{
    struct hint_span member;
    size_t used = 0;

    if (!set)
        snprintf(buffer, size, "none");
    for (const char *rest = members; hint_list_next(&rest, &member); set >>= 1)
        if (set & 1 && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%.*s", used ? "," : "",
                                     (int)member.length, member.start);
}

void hint_format_value(const struct hint_row *row, int64_t value, char *buffer, size_t size)
{
    switch (row->type) {
    case HINT_BOOL:
        snprintf(buffer, size, "%s", value ? "true" : "false");
        break;
    case HINT_SIZE:
        format_with_unit(size_units, value, buffer, size);
        break;
    case HINT_DURATION:
        format_with_unit(time_units, value, buffer, size);
        break;
    case HINT_CHOICE:
        format_choice(row->choices, value, buffer, size);
        break;
    case HINT_SET:
        format_set(row->choices, value, buffer, size);
        break;
    case HINT_INT:
    case HINT_KINDS:
    case HINT_STRING:
        snprintf(buffer, size, "%" PRId64, value);
        break;
    }
}

static void format_limits(const struct hint_row *row, char *buffer, size_t size)
{
    char min[32], max[32];

    hint_format_value(row, row->min, min, sizeof min);
    hint_format_value(row, row->max, max, sizeof max);
    if (row->min || row->max)
        snprintf(buffer, size, "%s from %s to %s", row->is_power ? ", a power of two" : "", min, max);
    else
        snprintf(buffer, size, "%s", row->is_power ? ", a power of two" : "");
}

void hint_format_legal(const struct hint_row *row, char *buffer, size_t size)
{
    char limits[112];

    format_limits(row, limits, sizeof limits);
    switch (row->type) {
    case HINT_BOOL:
        snprintf(buffer, size, "true or false");
        break;
    case HINT_INT:
        snprintf(buffer, size, "an integer%s", limits);
        break;
    case HINT_SIZE:
        snprintf(buffer, size, "a size like 4096, 64K, 2M%s", limits);
        break;
    case HINT_DURATION:
        snprintf(buffer, size, "a time like 500ns, 20us, 3ms, 1s%s", limits);
        break;
    case HINT_CHOICE:
        snprintf(buffer, size, "one of %s", row->choices);
        break;
    case HINT_SET:
        snprintf(buffer, size, "none, or a list of some of %s", row->choices);
        break;
    case HINT_KINDS:
        snprintf(buffer, size, "a list of memory allocation kinds");
        break;
    case HINT_STRING:
        snprintf(buffer, size, "a text");
        break;
    }
}
