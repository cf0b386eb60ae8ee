/* agreement: what collective calls on files agree about: errors, and arguments that must be the same. Each is one
 * collective operation, after which all ranks know that all have come. */
#ifndef FILE_AGREEMENT_H
#define FILE_AGREEMENT_H

#include "file/file.h"

/* Words of the ranks, each of which becomes the largest one. */
int agreement_on_largest(struct comm *comm, int64_t *word, int words);

/* A rank's error as such a word, and back: the rank's own error if it has one, else that of another, which the note
 * names. `name`: of the file. */
int64_t agreement_word(const struct comm *comm, int error);
int agreement_error(const char *call, const char *name, int error, int64_t word);

/* MPI_SUCCESS only if no rank has an error. */
int agreement_on_error(struct comm *comm, const char *call, const char *name, int error);
/* The same, and MPI_ERR_NOT_SAME if the ranks have different values of the argument `what`. */
int agreement_on_value(struct comm *comm, const char *call, const char *name, const char *what, int64_t value,
                       int error);
/* All get rank 0's errno (0: none) as an error: "what" and the file's name. */
int agreement_with_first(struct file *file, int reason, const char *what);

#endif
