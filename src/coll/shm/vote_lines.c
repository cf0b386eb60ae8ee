#include "coll/shm/vote_lines.h"

#include "progress/progress.h"

enum {
    VOTES = 2 /* of a rank that others may still read */
};

struct vote_line {
    _Alignas(REGION_UNIT) _Atomic uint64_t made;
    struct {
        _Atomic uint64_t number, word; /* of the collective; relaxed: `made` is stored after them */
    } vote[VOTES];
};

static struct vote_line *vote_line_of(const struct vote_lines *v, int rank)
{
    return (struct vote_line *)(void *)v->region->part[rank].at;
}

void vote_lines_open(struct vote_lines *v, struct comm *comm)
{
    v->region = region_new(comm, sizeof(struct vote_line), sizeof(struct vote_line));
}

void vote_lines_close(struct vote_lines *v)
{
    if (v->region)
        region_free(v->region);
}

void vote_lines_abstain(struct vote_lines *v)
{
    /* release: pairs with the acquire in vote_lines_wait; this rank has read the votes before */
    atomic_store_explicit(&vote_line_of(v, v->region->rank)->made, ++v->made, memory_order_release);
}

/* Until `rank` has made as many as this one. */
static void vote_lines_wait(const struct vote_lines *v, int rank)
{
    struct vote_line *line = vote_line_of(v, rank);
    struct wait w = WAIT_START;

    /* acquire: pairs with the release in vote_lines_abstain */
    while (atomic_load_explicit(&line->made, memory_order_acquire) < v->made)
        progress_wait_word(&w, WORD_NAPS);
    progress_wait_again(&w);
}

/* The vote of a rank that has made this one. */
static uint64_t vote_lines_read(const struct vote_lines *v, int rank, uint64_t usual)
{
    struct vote_line *line = vote_line_of(v, rank);

    for (int i = 0; i < VOTES; i++)
        if (atomic_load_explicit(&line->vote[i].number, memory_order_relaxed) == v->made)
            return atomic_load_explicit(&line->vote[i].word, memory_order_relaxed);
    return usual;
}

uint64_t vote_lines_cast(struct vote_lines *v, uint64_t word, uint64_t usual)
{
    struct vote_line *mine = vote_line_of(v, v->region->rank);
    uint64_t differs = 0;
    int place = (int)(v->cast++ % VOTES);

    atomic_store_explicit(&mine->vote[place].number, v->made + 1, memory_order_relaxed);
    atomic_store_explicit(&mine->vote[place].word, word, memory_order_relaxed);
    vote_lines_abstain(v);
    for (int r = 0; r < v->region->size; r++) {
        vote_lines_wait(v, r);
        differs |= word ^ vote_lines_read(v, r, usual);
    }
    return differs;
}
