/* layout: random etypes and filetypes, made through the public interface, and beside each what it means, worked
 * out by counting.
 *
 * An etype is a list of leaves, each at a place in memory and at one in the file. A filetype is a list of slots:
 * where etypes lie, in extents of the etype, for the holes of a filetype are multiples of it. A seed gives the
 * same types on every rank. */
#ifndef TESTS_FILES_LAYOUT_H
#define TESTS_FILES_LAYOUT_H

#include "check.h"

#include <stdbool.h>
#include <stdint.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

enum {
    LEAVES = 6,
    SLOTS = 1024,     /* of a filetype */
    SLOT_LIMIT = 4096 /* how far a filetype reaches */
};

struct leaf {
    MPI_Datatype type;
    int size, at;           /* in memory */
    int file_size, file_at; /* in the file */
};

struct etype {
    MPI_Datatype type;
    bool is_own, is_plain; /* to be freed; leaves of one predefined type */
    int leaves;
    struct leaf leaf[LEAVES];
    int bytes, extent, file_bytes, file_extent;
};

struct layout {
    MPI_Datatype type;
    bool is_marked; /* its bounds are markers, which count alone beside those of types without */
    int n, lb, ub;
    int slot[SLOTS];
};

void layout_seed(uint64_t seed);
/* The same number on every rank, from 0 on. */
int draw(int below);

/* is_external: the file is in external32. */
struct etype etype_random(bool is_external);
void etype_free(struct etype *e);

/* Any filetype, at most `depth` constructors deep. */
struct layout layout_random(const struct etype *e, int depth);
/* Rank's part of a filetype that `size` ranks share, and where its view begins, in extents of the etype after the
 * common place. */
struct layout layout_part(const struct etype *e, int size, int rank, uint64_t seed, int *begin);
void layout_free(struct layout *l);

/* Where etype k of the tiled layout begins, in extents of the etype. */
static inline int64_t layout_slot(const struct layout *l, int64_t k)
{
    return k / l->n * (l->ub - l->lb) + l->slot[k % l->n];
}

#endif
