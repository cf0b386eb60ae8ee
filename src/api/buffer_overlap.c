#include "api/check.h"

enum {
    PAIRS_MAX = 1 << 16 /* more pairs of parts take too long to compare */
};

/* In bytes from the buffer's address. Wide enough for every count times every extent. */
struct overlap_span {
    __int128 start, low, high; /* of the first item; of the data, which ends before `high` */
    const struct datatype *type;
};

static bool is_empty(const struct overlap_span *s)
{
    return s->low >= s->high;
}

static struct overlap_span span_of(const struct overlap_side *side, int part)
{
    const struct datatype *type = side->types ? datatype_find(side->types[part]) : side->type;
    bool has_counts = side->counts.narrow || side->counts.wide,
         has_displs = side->displs.narrow || side->displs.wide;
    MPI_Count count = has_counts ? counts_at(side->counts, part) : side->each;
    __int128 unit = side->types ? 1 : type->extent;
    struct overlap_span s = {.start = has_displs ? unit * counts_at(side->displs, part) : 0, .type = type};
    __int128 last = s.start + (__int128)(count - 1) * type->extent;

    if (count <= 0 || type->size == 0)
        return s;
    s.low = (s.start < last ? s.start : last) + type->true_lb;
    s.high = (s.start < last ? last : s.start) + type->true_lb + type->true_extent;
    return s;
}

static bool is_apart(const struct overlap_span *a, const struct overlap_span *b)
{
    return is_empty(a) || is_empty(b) || a->high <= b->low || b->high <= a->low;
}

/* Whether two spans share bytes. Types with gaps may be interleaved, unless both begin with the same item. */
static bool buffer_overlap_share_bytes(const struct overlap_span *a, const struct overlap_span *b)
{
    if (is_apart(a, b))
        return false;
    return (a->type->dense && b->type->dense) || (a->type == b->type && a->start == b->start);
}

/* The span from the first byte of all parts to the last. */
static struct overlap_span span_of_all(const struct overlap_side *side)
{
    struct overlap_span all = {0};

    for (int i = 0; i < side->parts; i++) {
        struct overlap_span s = span_of(side, i);

        if (is_empty(&s))
            continue;
        if (is_empty(&all))
            all = s;
        all.low = s.low < all.low ? s.low : all.low;
        all.high = s.high > all.high ? s.high : all.high;
    }
    return all;
}

bool buffer_overlap_is_certain(const struct overlap_side *a, const struct overlap_side *b)
{
    struct overlap_span all_a = span_of_all(a), all_b = span_of_all(b);

    if (is_apart(&all_a, &all_b) || (int64_t)a->parts * b->parts > PAIRS_MAX)
        return false;
    for (int i = 0; i < a->parts; i++) {
        struct overlap_span s = span_of(a, i);

        for (int k = 0; k < b->parts; k++) {
            struct overlap_span t = span_of(b, k);

            if (buffer_overlap_share_bytes(&s, &t))
                return true;
        }
    }
    return false;
}
