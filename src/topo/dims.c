/* MPI_Dims_create. */
#include "plain/fail.h"
#include "topo/topo.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* The search for the best factors of a number, smallest first. */
struct factoring {
    int count;          /* how many factors */
    int *factor;        /* those chosen so far, in nondecreasing order */
    int *best;          /* the best complete choice */
    int spread;         /* of best: largest minus smallest */
    int64_t sum;        /* of best */
    const int *divisor; /* of the number, ascending */
    int divisors;
};

/* a to the power of n, cut at 2^40: more than any int. */
static int64_t power(int64_t a, int n)
{
    int64_t p = 1;

    while (n-- > 0 && p < (int64_t)1 << 40)
        p *= a;
    return p;
}

static void consider(struct factoring *f)
{
    int spread = f->factor[f->count - 1] - f->factor[0];
    int64_t sum = 0;

    for (int i = 0; i < f->count; i++)
        sum += f->factor[i];
    if (spread > f->spread || (spread == f->spread && sum >= f->sum))
        return;
    f->spread = spread;
    f->sum = sum;
    memcpy(f->best, f->factor, (size_t)f->count * sizeof *f->best);
}

/* Chooses factors from the `at`-th on, whose product is `rest`. A larger smallest factor means closer
 * factors, so the search begins with large ones. Choices that cannot beat the best are skipped. */
static void dims_choose(struct factoring *f, int at, int rest)
{
    int left = f->count - at, low = at ? f->factor[at - 1] : 1;

    if (left == 1) {
        f->factor[at] = rest;
        consider(f);
        return;
    }
    for (int i = f->divisors - 1; i >= 0 && f->divisor[i] >= low; i--) {
        int d = f->divisor[i], smallest = at ? f->factor[0] : d;

        if (rest % d || power(d, left) > rest)
            continue;
        if ((int64_t)d - smallest > f->spread || power((int64_t)smallest + f->spread, left) < rest)
            continue;
        f->factor[at] = d;
        dims_choose(f, at + 1, rest / d);
    }
}

/* All divisors, ascending; NULL when memory is out. */
static int *find_divisors(int number, int *count)
{
    int *divisor = malloc(2048 * sizeof *divisor); /* no int has more than 1536 */
    int n = 0, small;

    if (!divisor)
        return NULL;
    for (int64_t d = 1; d * d <= number; d++)
        if (number % d == 0)
            divisor[n++] = (int)d;
    small = n;
    for (int i = small - 1; i >= 0; i--)
        if (number / divisor[i] != divisor[i])
            divisor[n++] = number / divisor[i];
    *count = n;
    return divisor;
}

/* best[0..count-1]: nondecreasing. */
static int factor(int number, int count, int *best)
{
    struct factoring f = {.count = count, .best = best, .spread = INT_MAX, .sum = INT64_MAX};
    int *divisor = find_divisors(number, &f.divisors);

    f.divisor = divisor;
    f.factor = malloc((size_t)count * sizeof *f.factor);
    if (divisor && f.factor)
        dims_choose(&f, 0, number);
    free(f.factor);
    free(divisor);
    return divisor && f.factor ? MPI_SUCCESS : fail(MPI_ERR_NO_MEM, "no memory to factor %d", number);
}

/* How many entries are to be set, and what is left for them. */
static int dims_check(int nodes, int dims, const int dim[], int *open, int *rest)
{
    int64_t product = 1;

    if (nodes < 1)
        return fail(MPI_ERR_ARG, "nnodes is %d; a grid has at least one node", nodes);
    if (dims < 0)
        return fail(MPI_ERR_DIMS, "ndims is %d", dims);
    if (dims > 0 && !dim)
        return fail(MPI_ERR_ARG, "dims is NULL");
    *open = 0;
    for (int i = 0; i < dims; i++) {
        if (dim[i] < 0)
            return fail(MPI_ERR_DIMS, "dims[%d] is %d; give a size, or 0 to have it chosen", i, dim[i]);
        *open += dim[i] == 0;
        product *= dim[i] && product <= nodes ? dim[i] : 1;
    }
    if (nodes % product)
        return fail(MPI_ERR_DIMS, "nnodes %d is not a multiple of the dimensions that are given", nodes);
    *rest = (int)(nodes / product);
    if (*open == 0 && *rest > 1)
        return fail(MPI_ERR_DIMS, "the dimensions given make up %lld nodes, not %d", (long long)product,
                    nodes);
    return MPI_SUCCESS;
}

int dims_create(int nodes, int dims, int dim[])
{
    int open = 0, rest = 1, error = dims_check(nodes, dims, dim, &open, &rest), *found;

    if (error || open == 0)
        return error;
    found = malloc((size_t)open * sizeof *found);
    if (!found)
        return fail(MPI_ERR_NO_MEM, "no memory for %d dimensions", open);
    error = factor(rest, open, found);
    for (int i = 0; !error && i < dims; i++)
        if (dim[i] == 0)
            dim[i] = found[--open];
    free(found);
    return error;
}
