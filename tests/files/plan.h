/* plan: what the random test does in a round, the same on all ranks, and what the model then is. */
#ifndef TESTS_FILES_PLAN_H
#define TESTS_FILES_PLAN_H

#include "model.h"

enum kind {
    INDEPENDENT,
    COLLECTIVE,
    ORDERED,
    RACE,
    CONFLICT,
    VIEW,
    SIZE,
    PREALLOCATE,
    ATOMICITY,
    SEEK,
    SEEK_SHARED,
    INFO,
    OPEN,
    KINDS
};

extern const char *const plan_names[KINDS];

enum {
    ACCESSES = 4 * RANKS
};

struct plan {
    enum kind kind;
    int count;
    struct access access[ACCESSES];
    int64_t value;
    int64_t offset[RANKS]; /* of seeks */
    int whence[RANKS];
};

/* A new file for `size` ranks, and the view that it is opened with. */
void plan_file(struct model *m, int size);
void plan_default_view(struct model *m, bool is_append);
void plan_view(struct model *m);
void plan_free_view(struct model *m);

/* Plans a round and applies it to the model, but for the outcome of races and conflicts. */
void plan_round(struct plan *p, struct model *m);
void plan_free(struct plan *p);

/* What all wrote by the shared pointer is in the file, in some order. */
void plan_race_written(struct plan *p, struct model *m, const unsigned char *bytes);
/* What was written in atomic mode is there as if written in some order. */
void plan_conflict_written(struct plan *p, struct model *m, const unsigned char *bytes);

#endif
