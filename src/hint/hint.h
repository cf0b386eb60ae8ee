/* hint: THE hint table, and the values that one object holds.
 *
 * Every hint of the standard and every library setting (process scope) is one row of `hint_table`: plain
 * data, no callbacks. From it come parsing, defaults, get_info, agreement, environment variables
 * (INKLING_<NAME>), mpiexec options, `inkling hints`, the docs page and the tests.
 *
 * Values live in the object as an array indexed by the enum: comm->hints.value[HINT_NO_ANY_TAG] is one load.
 * Booleans are 0/1, integers and sizes their value (bytes), durations nanoseconds, enumerations the index in
 * `choices`. Strings (kind lists) are in hints.text[], owned by the struct, NULL when not set.
 *
 * Rules (facts R1-R36): unknown keys are not kept; a bad value is ignored and the old value stays; a key not
 * offered keeps its value; values are interpreted after stripping outer spaces and reported canonically.
 */
#ifndef HINT_HINT_H
#define HINT_HINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum hint_id {
    /* communicators (MPI-5.0 section 7.4.4) */
    HINT_NO_ANY_TAG,
    HINT_NO_ANY_SOURCE,
    HINT_EXACT_LENGTH,
    HINT_ALLOW_OVERTAKING,
    HINT_STRICT_PERSISTENT_ORDERING,
    HINT_ASSERT_MEMORY_KINDS,
    HINT_MEMORY_KINDS,
    /* the process: library settings (INKLING_*) */
    HINT_EAGER_LIMIT,
    HINT_CMA,
    HINT_SPIN_TIME,
    HINT_RING_SIZE,
    HINT_STAGING_SIZE,
    HINT_TRANSPORT,
    HINT_COUNT
};

enum hint_type {
    HINT_BOOL,
    HINT_INT,
    HINT_SIZE,
    HINT_DURATION,
    HINT_CHOICE,
    HINT_KINDS,
    HINT_STRING
};
enum hint_on {
    ON_COMM = 1,
    ON_WIN = 2,
    ON_FILE = 4,
    ON_SESSION = 8,
    ON_PROCESS = 16
};
enum hint_when {
    AT_CREATE = 1,
    AT_SET = 2,
    AT_START = 4,
    READ_ONLY = 8
};
enum hint_agree {
    AGREE_LOCAL,
    AGREE_SAME
};
enum hint_effect {
    EFFECT_ACTIVE,
    EFFECT_IDLE
}; /* used by the code today / accepted, kept, not used yet */

struct hint_row {
    const char *key; /* the info key; for process rows the INKLING_ variable in lower case, inkling_... */
    enum hint_type type;
    const char *def;     /* default, as text; NULL: not set */
    const char *choices; /* HINT_CHOICE: comma separated legal values */
    int64_t min, max;    /* HINT_INT, HINT_SIZE, HINT_DURATION; both 0: not limited */
    unsigned on, when;   /* bits of enum hint_on, enum hint_when */
    enum hint_agree agree;
    enum hint_effect state;
    const char *since;  /* "MPI-4.0", or the Inkling version of a library setting */
    const char *effect; /* what the library does with it, one sentence */
    const char *text;   /* what the program promises or asks, one sentence */
};

extern const struct hint_row hint_table[HINT_COUNT];

/* The hint values of one object. Owner: that object; changed only by hint_offer. */
struct hints {
    unsigned on;               /* which rows apply: one bit of enum hint_on */
    int64_t value[HINT_COUNT]; /* meaningless for rows that do not apply */
    char *text[HINT_COUNT];    /* HINT_KINDS and HINT_STRING rows; NULL: not set */
};

enum hint_verdict {
    HINT_ACCEPTED,
    HINT_UNKNOWN,
    HINT_BAD_VALUE,
    HINT_NOT_NOW,
    HINT_UNSUPPORTED_KIND
};

/* Defaults of all rows that apply. */
void hints_init(struct hints *h, unsigned on);
void hints_fini(struct hints *h);

/* Offers key=value at the moment `when`. Never fails: what is not accepted changes nothing. */
enum hint_verdict hint_offer(struct hints *h, unsigned when, const char *key, const char *value);

/* The value in force as canonical text (into buffer, at most size bytes with the NUL); false: not set. */
bool hint_format(const struct hints *h, enum hint_id id, char *buffer, size_t size);

/* Rows that must agree: one word that is equal on two ranks exactly when all AGREE_SAME rows are. */
uint64_t hints_agreement(const struct hints *h);
/* Ranks disagreed: every AGREE_SAME row goes back to its default (facts R31). */
void hints_disagreed(struct hints *h);

/* The process-scope values: defaults, overridden by INKLING_* variables when hint_process_init() runs.
 * A malformed or unknown INKLING_ variable is an error whose note names the nearest valid spelling. */
extern struct hints hint_process;
int hint_process_init(void);

/* The row of this key (or nearest to it when exact is false, for "did you mean"); NULL if none is near. */
const struct hint_row *hint_find(const char *key);
const struct hint_row *hint_nearest(const char *key);

#endif
