/* parse: info values as text, by the rules of MPI-5.0 chapter 10. Outer spaces are stripped; everything else
 * is strict. If the text is not legal, nothing is written. */
#ifndef HINT_PARSE_H
#define HINT_PARSE_H

#include "hint/hint.h"

/* Parses legal text for the row, which is of any type but HINT_KINDS and HINT_STRING. */
bool parse_value(const struct hint_row *row, const char *text, int64_t *value);
/* The reverse: true, -7, 64K, 1500us, shm, rar,waw. */
void hint_format_value(const struct hint_row *row, int64_t value, char *buffer, size_t size);

/* The legal values of the row in words: "true or false", "a size from 256 to 1M", ... */
void hint_format_legal(const struct hint_row *row, char *buffer, size_t size);

/* A span of text, not terminated. */
struct hint_span {
    const char *start;
    size_t length;
};

/* Whether the text is a former name of a legal value; *now is its name now. parse_value takes both. */
bool hint_value_is_renamed(const struct hint_row *row, const char *text, struct hint_span *now);

struct hint_span hint_span_trim(struct hint_span s);
bool hint_span_is(struct hint_span s, const char *word);
/* Takes the next comma-separated element, trimmed, off *list; *list becomes NULL after the last one. An empty
 * list has no elements; any other has one more than it has commas. */
bool hint_list_next(const char **list, struct hint_span *element);

#endif
