/* json: text as JSON. */
#ifndef PLAIN_JSON_H
#define PLAIN_JSON_H

#include <stdio.h>

/* Writes the text as a JSON string, with its quotes; NULL: null. Bytes that are no UTF-8 are left as they are. "<" is an escape,
 * so that no text ends the script of a page that has it. */
void json_write_text(FILE *out, const char *text);

/* Writes a member of an object: `before` ("{" or ", "), its name, and the text. */
void json_write_member(FILE *out, const char *before, const char *name, const char *text);

#endif
