#include "insight/objects/span_tree.h"

#include <stddef.h>

enum {
    DEPTH = 64
};

static bool is_before(const struct span *a, const struct span *b)
{
    return a->low != b->low ? a->low < b->low : (uintptr_t)a < (uintptr_t)b;
}

static struct span *with_reach(struct span *s)
{
    s->reach = s->high;
    if (s->left && s->left->reach > s->reach)
        s->reach = s->left->reach;
    if (s->right && s->right->reach > s->reach)
        s->reach = s->right->reach;
    return s;
}

/* Of `tree` what is before `at`, and the rest. */
static void span_split(struct span *tree, const struct span *at, struct span **before, struct span **behind)
{
    if (!tree) {
        *before = *behind = NULL;
    } else if (is_before(tree, at)) {
        span_split(tree->right, at, &tree->right, behind);
        *before = with_reach(tree);
    } else {
        span_split(tree->left, at, before, &tree->left);
        *behind = with_reach(tree);
    }
}

/* All of `left` is before all of `right`. */
static struct span *span_join(struct span *left, struct span *right)
{
    if (!left || !right)
        return left ? left : right;
    if (left->weight > right->weight) {
        left->right = span_join(left->right, right);
        return with_reach(left);
    }
    right->left = span_join(left, right->left);
    return with_reach(right);
}

static void span_add(struct span **at, struct span *new)
{
    while (*at && (*at)->weight >= new->weight) {
        struct span *above = *at;

        above->reach = new->high > above->reach ? new->high : above->reach;
        at = is_before(new, above) ? &above->left : &above->right;
    }
    span_split(*at, new, &new->left, &new->right);
    *at = with_reach(new);
}

void span_tree_add(struct span **root, struct span *span)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    span->weight = state;
    span->left = span->right = NULL;
    span_add(root, span);
}

/* A reach that is too large costs a look, no more: those deeper than a tree of a million spans is, stay as they are. */
static void shorten_reach(struct span *const *above, int depth)
{
    while (depth-- > 0) {
        uint64_t before = above[depth]->reach;

        if (with_reach(above[depth])->reach == before)
            return;
    }
}

void span_tree_remove(struct span **root, struct span *span)
{
    struct span *above[DEPTH], **at = root;
    int depth = 0;

    while (*at != span) {
        if (depth < DEPTH)
            above[depth++] = *at;
        at = is_before(span, *at) ? &(*at)->left : &(*at)->right;
    }
    *at = span_join(span->left, span->right);
    shorten_reach(above, depth);
}

struct span *span_tree_find(struct span *tree, uintptr_t low, uintptr_t high,
                            bool (*is_it)(const struct span *span, const void *with), const void *with)
{
    while (tree && tree->reach > low) {
        struct span *found = span_tree_find(tree->left, low, high, is_it, with);

        if (found || tree->low >= high)
            return found;
        if (tree->high > low && is_it(tree, with))
            return tree;
        tree = tree->right;
    }
    return NULL;
}

enum {
    SMALLEST = 6, /* bits of an address within a cell */
    STEP = 3,     /* from level to level */
    CELLS = 1 << SPAN_CELL_BITS
};

/* The lowest level of which one cell has all of it; SPAN_LEVELS: none. */
static int level_of(uintptr_t low, uintptr_t high)
{
    uintptr_t apart = (low ^ (high - 1)) >> SMALLEST;
    int level = apart ? (64 - __builtin_clzll(apart) + STEP - 1) / STEP : 0;

    return level < SPAN_LEVELS ? level : SPAN_LEVELS;
}

static uintptr_t cell_of_address(uintptr_t address, int level)
{
    return address >> (SMALLEST + level * STEP);
}

/* Neighbours are neighbours in the table, too. */
static size_t list_of_cell(uintptr_t cell)
{
    return (cell ^ cell >> SPAN_CELL_BITS ^ cell >> 2 * SPAN_CELL_BITS) % CELLS;
}

static void note_bounds(struct span_set *set, const struct span *span)
{
    int level = span->level;

    if (span->low < set->low[level])
        set->low[level] = span->low;
    if (span->high > set->high[level])
        set->high[level] = span->high;
}

static inline void note_bounds_of_all(struct span_set *set, const struct span *span)
{
    if (set->all++ == 0) {
        set->lowest = span->low;
        set->highest = span->high;
        return;
    }
    if (span->low < set->lowest)
        set->lowest = span->low;
    if (span->high > set->highest)
        set->highest = span->high;
}

void span_set_add(struct span_set *set, struct span *span)
{
    struct span **first;

    note_bounds_of_all(set, span);
    span->level = level_of(span->low, span->high);
    if (span->level == SPAN_LEVELS) {
        span_tree_add(&set->tree, span);
        return;
    }
    first = &set->cell[span->level][list_of_cell(cell_of_address(span->low, span->level))];
    span->left = *first;
    span->at = first;
    if (*first)
        (*first)->at = &span->left;
    *first = span;
    if (set->count[span->level]++ == 0) {
        set->low[span->level] = span->low;
        set->high[span->level] = span->high;
    } else {
        note_bounds(set, span);
    }
}

void span_set_remove(struct span_set *set, struct span *span)
{
    set->all--;
    if (span->level == SPAN_LEVELS) {
        span_tree_remove(&set->tree, span);
        return;
    }
    *span->at = span->left;
    if (span->left)
        span->left->at = span->at;
    set->count[span->level]--;
}

static struct span *find_in_list(struct span *s, uintptr_t low, uintptr_t high,
                                 bool (*is_it)(const struct span *span, const void *with), const void *with)
{
    while (s && !(s->low < high && s->high > low && is_it(s, with)))
        s = s->left;
    return s;
}

/* Of a stretch of more cells than the table has, all lists are looked at. */
static struct span *find_in_level(const struct span_set *set, int level, uintptr_t low, uintptr_t high,
                                  bool (*is_it)(const struct span *span, const void *with), const void *with)
{
    uintptr_t first = cell_of_address(low > set->low[level] ? low : set->low[level], level);
    uintptr_t cells =
        cell_of_address((high < set->high[level] ? high : set->high[level]) - 1, level) - first + 1;
    struct span *found = NULL;

    for (uintptr_t i = 0; i < cells && i < CELLS && !found; i++)
        found = find_in_list(set->cell[level][cells < CELLS ? list_of_cell(first + i) : i], low, high, is_it,
                             with);
    return found;
}

struct span *span_set_search(const struct span_set *set, uintptr_t low, uintptr_t high,
                             bool (*is_it)(const struct span *span, const void *with), const void *with)
{
    for (int level = 0; level < SPAN_LEVELS; level++) {
        struct span *found = NULL;

        if (set->count[level] > 0 && low < set->high[level] && high > set->low[level])
            found = find_in_level(set, level, low, high, is_it, with);
        if (found)
            return found;
    }
    return set->tree ? span_tree_find(set->tree, low, high, is_it, with) : NULL;
}
