/* pmi_line: one line of the PMI-1 wire protocol, and the sockets that carry it. Client (boot) and server
 * (mpiexec) share it.
 *
 * A line consists of "name=value" words, separated by single spaces and ended by a newline. The first word is
 * "cmd=...". Values have no spaces. Free text (the message of an abort) is escaped: %XX. Received lines are
 * untrusted: a line that is too long, has too many words or a word without '=' is an error with a note.
 */
#ifndef PLAIN_PMI_LINE_H
#define PLAIN_PMI_LINE_H

#include <stdbool.h>
#include <stddef.h>

enum {
    PMI_LINE_SIZE = 8192, /* with the newline */
    PMI_WORDS = 24,
    PMI_KEY_SIZE = 64,
    PMI_VALUE_SIZE = 1024,
    PMI_NAME_SIZE = 256,
    PMI_PASSED = 4 /* most descriptors that wait in an inbox */
};

struct pmi_line {
    int count;
    const char *name[PMI_WORDS], *value[PMI_WORDS]; /* point into the parsed text */
};

/* Splits `text` (without the newline) into words, in place. */
int pmi_line_parse(char *text, struct pmi_line *line);
/* The value of the word `name`; NULL when absent. */
const char *pmi_line_find(const struct pmi_line *line, const char *name);
/* Whether this is the line's cmd. */
bool pmi_line_is(const struct pmi_line *line, const char *command);
/* The decimal integer in the word `name`; an error when absent or malformed. */
int pmi_line_int(const struct pmi_line *line, const char *name, int *value);

/* Converts free text to and from one word; what does not fit is cut off. */
void pmi_line_escape(const char *text, char *word, size_t size);
void pmi_line_unescape(const char *word, char *text, size_t size);
/* A line without its newline: this command with free text. */
void pmi_line_format_text(const char *command, const char *text, char line[PMI_LINE_SIZE]);

/* Writes one line, newline included, with a single send(). */
int pmi_line_send(int fd, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same for a text without its newline, with descriptors of which the other side gets copies. */
int pmi_line_pass(int fd, const char *text, const int *passed, int count);

/* What has arrived on one socket and was not returned yet. */
struct pmi_inbox {
    size_t begin, end;
    int passed_count, passed[PMI_PASSED];
    char bytes[PMI_LINE_SIZE];
};

/* Receives once. *open becomes false at the end of the stream. With recv()'s MSG_DONTWAIT in flags it is no
 * error that nothing has arrived. */
int pmi_inbox_fill(struct pmi_inbox *inbox, int fd, int flags, bool *open);
/* Adds what has arrived in another way. */
int pmi_inbox_add(struct pmi_inbox *inbox, const char *bytes, size_t size);
/* The next complete line, its newline replaced by NUL, valid until the next fill; NULL: none yet. */
char *pmi_inbox_next(struct pmi_inbox *inbox);
/* The next descriptor that came with the lines up to the one returned last, now the caller's; -1: none. */
int pmi_inbox_take(struct pmi_inbox *inbox);

#endif
