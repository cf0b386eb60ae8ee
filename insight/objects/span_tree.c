#include "insight/objects/span_tree.h"

#include <stddef.h>

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

static struct span *span_add(struct span *tree, struct span *new)
{
    if (!tree || new->weight > tree->weight) {
        span_split(tree, new, &new->left, &new->right);
        return with_reach(new);
    }
    if (is_before(new, tree))
        tree->left = span_add(tree->left, new);
    else
        tree->right = span_add(tree->right, new);
    return with_reach(tree);
}

void span_tree_add(struct span **root, struct span *span)
{
    static uint64_t state = 0x9e3779b97f4a7c15u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    span->weight = state;
    span->left = span->right = NULL;
    *root = span_add(*root, span);
}

static struct span *span_without(struct span *tree, const struct span *old)
{
    if (tree == old)
        return span_join(tree->left, tree->right);
    if (is_before(old, tree))
        tree->left = span_without(tree->left, old);
    else
        tree->right = span_without(tree->right, old);
    return with_reach(tree);
}

void span_tree_remove(struct span **root, struct span *span)
{
    *root = span_without(*root, span);
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
