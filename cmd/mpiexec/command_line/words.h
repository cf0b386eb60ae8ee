/* words: lists of words, text files split into words, ranks as people write them. */
#ifndef CMD_MPIEXEC_COMMAND_LINE_WORDS_H
#define CMD_MPIEXEC_COMMAND_LINE_WORDS_H

#include "cmd/mpiexec/job.h"

/* Like calloc, realloc and asprintf; they end mpiexec when memory is out. */
void *words_allocate(size_t size);
void *words_grow(void *memory, size_t size);
char *words_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

void words_add(struct words *words, char *word);
/* All words from `first` on, separated by spaces. */
char *words_join(const struct words *words, int first);

/* Reads the lines of a file. Comments ('#' at the beginning) and empty lines are skipped, and a line that
 * ends in a backslash is joined with the next. `role` names the file in the note of an error. */
int words_read_lines(const char *path, const char *role, struct words *lines);
/* Splits a line into words as a shell does: 'single' and "double" quotes, backslash. */
int words_cut(const char *line, struct words *words);

/* Writes those of `size` ranks that `has` has, as people do: "0-3, 7". What finds no room becomes ", ...". */
void words_list_ranks(const bool *has, int size, char *list, size_t room);

#endif
