/* buffer: the memory of an access: a datatype for some etypes, laid out in one of several ways, and where in it
 * each value lies. Between the values is filler, which a read must not touch. */
#ifndef TESTS_FILES_BUFFER_H
#define TESTS_FILES_BUFFER_H

#include "model.h"

struct buffer {
    MPI_Datatype type;
    int count, leaves; /* leaves: of one item of type */
    bool is_own, is_flat;
    unsigned char *memory, *origin;
    size_t bytes;
    int64_t *at; /* of each etype, from origin on */
};

void buffer_make(struct buffer *b, const struct etype *e, const struct access *a);
/* What the call moved is right, and nothing else was touched. */
void buffer_check(const struct buffer *b, const struct etype *e, const struct access *a, MPI_Status *status);
/* Whether what was read is what the access says. */
bool buffer_holds(const struct buffer *b, const struct etype *e, const struct access *a);
void buffer_free(struct buffer *b);

#endif
