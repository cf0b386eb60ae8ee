/* Says of a hint of an object, in one line, whether it is in force, and why not. */
#include "hint/hint.h"

#include <stdio.h>
#include <string.h>

static bool is_default(const struct hints *h, enum hint_id id)
{
    char value[64];

    if (hint_table[id].on & ON_PROCESS && !(h->on & ON_PROCESS))
        return hint_value_here(h, id) == hint_process.value[id];
    if (!hint_table[id].def)
        return !hint_is_set(h, id);
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
