/* What the hints were worth when they were measured. Written by bench/hints.py (make bench-hints). */
#include "hint/hint.h"

const char *const hint_gain[HINT_COUNT] = {
    [HINT_NO_ANY_TAG] = 0,
};
