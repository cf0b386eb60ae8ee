#include "hint/hint.h"

#include <stdio.h>
#include <string.h>

static void explain_accepted(const struct hints *h, enum hint_id id, char *buffer, size_t size)
{
    const struct hint_row *row = &hint_table[id];
    char value[64];

    if (row->def && hint_format(h, id, value, sizeof value) && strcmp(value, row->def) == 0)
        snprintf(buffer, size, "default");
    else if (row->state == EFFECT_ACTIVE)
        snprintf(buffer, size, "active: %s", row->effect);
    else
        snprintf(buffer, size, "idle: %s", row->effect);
}

void hint_explain(const struct hints *h, enum hint_id id, char *buffer, size_t size)
{
    const struct hint_row *row = &hint_table[id];

    if (!(row->on & h->on)) {
        snprintf(buffer, size, "ignored: no hint of this kind of object");
        return;
    }
    switch ((enum hint_verdict)h->verdict[id]) {
    case HINT_NOT_OFFERED:
        snprintf(buffer, size, "default");
        break;
    case HINT_ACCEPTED:
        explain_accepted(h, id, buffer, size);
        break;
    case HINT_UNKNOWN:
        snprintf(buffer, size, "ignored: no hint of this kind of object");
        break;
    case HINT_BAD_VALUE:
        snprintf(buffer, size, "ignored: the value last offered is not legal");
        break;
    case HINT_NOT_NOW:
        snprintf(buffer, size, "ignored: %s",
                 row->when & READ_ONLY ? "a program cannot set it" : "it is fixed when the object is made");
        break;
    case HINT_UNSUPPORTED_KIND:
        snprintf(buffer, size, "ignored: the list last offered has a memory kind that is not supported");
        break;
    case HINT_DISAGREED:
        snprintf(buffer, size, "ignored: the ranks gave different values");
        break;
    case HINT_RELIED_ON:
        snprintf(buffer, size, "active: taking it back was ignored, since requests rely on it");
        break;
    case HINT_USELESS:
        snprintf(buffer, size, "ignored: %s", row->effect);
        break;
    case HINT_NO_MEMORY:
        snprintf(buffer, size, "ignored: memory was out");
        break;
    }
}
