/* pmi_line: one line of the PMI-1 wire protocol, and the sockets it travels on. Client (boot) and server
 * (mpiexec) share it.
 *
 * A line is "name=value" words separated by single spaces and ended by a newline; the first word is
 * "cmd=...". Values have no spaces. Free text (the message of an abort) travels escaped: %XX.
 * Whatever arrives is untrusted: a line that is too long, has too many words or a word without '=' is an
 * error with a note, never more.
 */
#ifndef BOOT_PMI_LINE_H
#define BOOT_PMI_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PMI_LINE_SIZE = 8192, /* with the newline */
    PMI_WORDS = 24,
    PMI_KEY_SIZE = 64,
    PMI_VALUE_SIZE = 1024,
    PMI_NAME_SIZE = 256,
    PMI_PASSED = 4 /* descriptors that may wait in an inbox */
};

struct pmi_line {
    int count;
    const char *name[PMI_WORDS], *value[PMI_WORDS]; /* point into the parsed text */
};

/* Cuts `text` (without the newline) into words, in place. */
int pmi_line_parse(char *text, struct pmi_line *line);
/* The value of the word `name`; NULL when absent. */
const char *pmi_line_find(const struct pmi_line *line, const char *name);
/* Whether the line's cmd is this one. */
bool pmi_line_is(const struct pmi_line *line, const char *command);
/* The decimal integer in the word `name`; an error when absent or malformed. */
int pmi_line_int(const struct pmi_line *line, const char *name, int *value);

/* Free text to and from one word; what does not fit is cut off. */
void pmi_line_escape(const char *text, char *word, size_t size);
void pmi_line_unescape(const char *word, char *text, size_t size);

/* Writes one line, newline included, with a single send(). */
int pmi_line_send(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a text without its newline, with descriptors that the other side gets copies of. */
int pmi_line_pass(int fd, const char *text, const int *passed, int count);

/* What has arrived on one socket and is not handed out yet. */
struct pmi_inbox {
    size_t begin, end;
    int passed_count, passed[PMI_PASSED];
    char bytes[PMI_LINE_SIZE];
};

/* Receives once. *open becomes false at the end of the stream. With a non-blocking flag of recv(), nothing to
 * receive is no error. */
int pmi_inbox_fill(struct pmi_inbox *inbox, int fd, int flags, bool *open);
/* The next complete line, its newline replaced by NUL, valid until the next fill; NULL: none yet. */
char *pmi_inbox_next(struct pmi_inbox *inbox);
/* The next descriptor that came with the lines up to the one handed out last, and is the caller's now; -1:
 * none. */
int pmi_inbox_take(struct pmi_inbox *inbox);

#endif
