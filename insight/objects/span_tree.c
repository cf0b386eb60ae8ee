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
