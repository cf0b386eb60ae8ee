/* model: what a file should hold, as an array of bytes that every rank keeps, and what each access does to it.
 *
 * The file's first bytes up to `base` are never touched (they may be more than 4 GiB of nothing); after them come
 * SPAN bytes, which all views are confined to. */
#ifndef TESTS_FILES_MODEL_H
#define TESTS_FILES_MODEL_H

#include "layout.h"

enum {
    RANKS = 6,
    SPAN = 1 << 16,
    ETYPES_MAX = 6000, /* of an access */
    BYTES_MAX = SPAN
};

enum position {
    EXPLICIT,
    INDIVIDUAL,
    SHARED
};
enum form {
    BLOCKING,
    NONBLOCKING,
    SPLIT
};

/* What one rank does in one call. */
struct access {
    int rank, count; /* count: etypes */
    int64_t offset;
    enum position position;
    enum form form;
    bool is_write, is_collective, is_large;
    unsigned tag;                /* what is written: no two accesses have the same */
    int memory, argument, other; /* the layout of the buffer */
    int known;                   /* of what is read: the bytes of whole etypes before the end of the file */
    unsigned char *data;         /* of what is read: as it should be in memory, without gaps */
};

struct view {
    struct layout layout;
    int64_t begin; /* bytes after base */
};

struct model {
    int size;          /* of the communicator */
    int64_t base, end; /* end: the file's size, less base; below 0: it ends before base */
    bool is_external, is_common, is_atomic;
    struct etype etype;
    struct view view[RANKS];
    unsigned char file[SPAN];
    int64_t pointer[RANKS], shared; /* etypes */
};

/* Where in `file` etype k of the rank's view begins. */
int64_t model_place(const struct model *m, int rank, int64_t k);
/* How many etypes from `offset` on lie within SPAN. */
int64_t model_room(const struct model *m, int rank, int64_t offset);
/* The offset of the end of the file in the rank's view. */
int64_t model_end(const struct model *m, int rank);

/* Byte i of what an access writes, in memory's order without gaps; its low 3 bits are the rank. */
unsigned char model_byte(const struct access *a, int i);

void model_write(struct model *m, const struct access *a);
/* Fills in `known` and `data`. */
void model_read(const struct model *m, struct access *a);

/* What accesses of one round touch. */
struct touched {
    signed char writer[SPAN];       /* -1: none */
    unsigned char readers[SPAN];    /* a bit for each rank */
    unsigned char is_pending[SPAN]; /* 1: a nonblocking read, 2: a nonblocking write */
    bool has_growth, has_open_read;
    int64_t end; /* of the file, before the round */
};

void touched_begin(struct touched *t, const struct model *m);
/* Whether the access conflicts with none before it; then it is added. */
bool touched_add(struct touched *t, const struct model *m, const struct access *a);

#endif
