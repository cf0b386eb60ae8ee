/* words: lists of words, and text files cut into them. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_WORDS_H
#define CMD_MPIEXEC_COMMAND_LINE_WORDS_H

#include "cmd/mpiexec/job.h"

/* malloc and strdup that end mpiexec when memory is out. */
void *words_allocate(size_t size);
char *words_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

void words_add(struct words *words, char *word);
/* All words with a space between them. */
char *words_join(const struct words *words, int first);

/* The lines of a file: comments ('#' at the beginning) and empty lines left out, lines that end in a
 * backslash joined with the next. `role` names the file in the note of an error. */
int words_read_lines(const char *path, const char *role, struct words *lines);
/* Cuts a line into words as a shell does: 'single' and "double" quotes, backslash. */
int words_cut(const char *line, struct words *words);

#endif
