/* json: text as JSON, and JSON text (RFC 8259) as values, with the line and column of each, for messages about files that people write.
 *
 * Values lie in one array, and refer to the text, which must live as long. The first is the whole; an array or object has its first
 * member at `first`, and each member the next one at `next`; 0: none.
 */
#ifndef PLAIN_JSON_H
#define PLAIN_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_TEXT,
    JSON_ARRAY,
    JSON_OBJECT
};

/* Characters of the text. Of a JSON_TEXT without its quotes, and with the escapes that it has. */
struct json_span {
    const char *at;
    size_t length;
};

struct json_value {
    enum json_kind kind;
    struct json_span name, text; /* name: of a member of an object; no address: it is none */
    int first, next;
};

struct json_tree {
    const char *text;
    struct json_value *value; /* owned */
    int count, capacity;
};

enum {
    JSON_DEPTH = 16 /* objects and arrays in each other */
};

/* The note names line and column. A tree that could not be read has nothing to release. */
int json_read(struct json_tree *tree, const char *text, size_t length);
void json_free(struct json_tree *tree);

/* The member of this name; NULL: there is none, or the value is no object. */
const struct json_value *json_member(const struct json_tree *tree, const struct json_value *object,
                                     const char *name);
/* Its first member and the one behind `value`; NULL: none. */
const struct json_value *json_first(const struct json_tree *tree, const struct json_value *value);
const struct json_value *json_next(const struct json_tree *tree, const struct json_value *value);

/* Whether it is this word, without escapes. */
bool json_is(struct json_span span, const char *word);
/* A text without its escapes, cut where it is longer; "" of another value, or of NULL. */
void json_copy(const struct json_value *value, char *text, size_t size);
/* Whether it is a number; *number is it. */
bool json_number(const struct json_value *value, double *number);
/* The same of a whole number that is not negative and below 2^53. */
bool json_whole(const struct json_value *value, unsigned long long *number);
/* Line and column of a place in the text, from 1 on. */
void json_place(const struct json_tree *tree, const char *at, int *line, int *column);

/* Writes the text as a JSON string, with its quotes; NULL: null. Bytes that are no UTF-8 are left as they are. "<" is an escape,
 * so that no text ends the script of a page that has it. */
void json_write_text(FILE *out, const char *text);

/* Writes a member of an object: `before` ("{" or ", "), its name, and the text. */
void json_write_member(FILE *out, const char *before, const char *name, const char *text);

#endif
