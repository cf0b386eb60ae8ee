#include "buffer.h"

enum {
    FILLER = 0xa5,
    MARGIN = 64
};

/* Each way to lay out a->count etypes sets type, count, and at. */

static void as_items(struct buffer *b, const struct etype *e, const struct access *a)
{
    b->type = e->type;
    b->count = a->count;
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)k * e->extent;
}

static void as_values(struct buffer *b, const struct etype *e, const struct access *a)
{
    b->type = e->leaf[0].type;
    b->count = a->count * e->leaves;
    b->leaves = 1;
    b->is_flat = true;
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)k * e->bytes;
}

static void as_one_item(struct buffer *b, const struct etype *e, const struct access *a)
{
    OK(MPI_Type_contiguous(a->count, e->type, &b->type));
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)k * e->extent;
}

static void with_step(struct buffer *b, const struct etype *e, const struct access *a, int step)
{
    OK(MPI_Type_vector(a->count, 1, step, e->type, &b->type));
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)k * step * e->extent;
}

/* Some etypes an item, and a gap before and after each item. */
static void in_records(struct buffer *b, const struct etype *e, const struct access *a)
{
    int each = 2 + a->argument % 4, extent = each * e->extent + 24;
    MPI_Datatype inner;

    while (a->count % each)
        each--;
    OK(MPI_Type_contiguous(each, e->type, &inner));
    OK(MPI_Type_create_resized(inner, MPI_VERSION >= 5 ? -8 : 0, extent, &b->type)); /* others move by it */
    OK(MPI_Type_free(&inner));
    b->count = a->count / each;
    b->leaves = each * e->leaves;
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)(k / each) * extent + (int64_t)(k % each) * e->extent;
}

/* In an order of their own: memory need not be in the order of the file. */
static void shuffled(struct buffer *b, const struct etype *e, const struct access *a)
{
    int *place = malloc((size_t)a->count * sizeof *place);
    unsigned x = (unsigned)a->argument * 977u + 1;

    CHECK(place != NULL);
    for (int k = 0; k < a->count; k++)
        place[k] = k + k / 3;
    for (int k = a->count - 1; k > 0; k--) {
        x = x * 1103515245u + 12345u;
        int other = (int)(x >> 8) % (k + 1), kept = place[k];

        place[k] = place[other];
        place[other] = kept;
    }
    OK(MPI_Type_create_indexed_block(a->count, 1, place, e->type, &b->type));
    for (int k = 0; k < a->count; k++)
        b->at[k] = (int64_t)place[k] * e->extent;
    free(place);
}

static void lay_out(struct buffer *b, const struct etype *e, const struct access *a)
{
    int way = a->count == 0 ? 0 : a->memory;

    b->is_own = way != 0;
    b->count = 1;
    b->leaves = a->count * e->leaves;
    if (way == 1)
        as_one_item(b, e, a);
    else if (way == 2)
        with_step(b, e, a, 2 + a->argument % 3);
    else if (way == 3)
        with_step(b, e, a, -1 - a->argument % 2);
    else if (way == 4)
        in_records(b, e, a);
    else if (way == 5 && a->count < 500)
        shuffled(b, e, a);
    else {
        b->is_own = false;
        b->leaves = e->leaves;
        if (e->is_plain && a->argument % 2)
            as_values(b, e, a);
        else
            as_items(b, e, a);
    }
    if (b->is_own)
        OK(MPI_Type_commit(&b->type));
}

static unsigned char *value_at(const struct buffer *b, const struct etype *e, unsigned char *origin, int k,
                               int l)
{
    return origin + b->at[k] + (b->is_flat ? l * e->leaf[l].size : e->leaf[l].at);
}

/* The values of an access, into memory or, where `origin` is what was read, out of it. */
static void place_values(const struct buffer *b, const struct etype *e, const struct access *a,
                         unsigned char *origin)
{
    int at = 0;

    for (int k = 0; k < a->count; k++)
        for (int l = 0; l < e->leaves; l++) {
            unsigned char *value = value_at(b, e, origin, k, l);

            for (int i = 0; i < e->leaf[l].size; i++, at++)
                if (a->is_write)
                    value[i] = model_byte(a, at);
                else if (at < a->known)
                    value[i] = a->data[at];
                else /* after the end of the file: whatever it is */
                    value[i] = b->origin[value + i - origin];
        }
}

void buffer_make(struct buffer *b, const struct etype *e, const struct access *a)
{
    int64_t low = 0, high = 0;

    memset(b, 0, sizeof *b);
    b->at = malloc(((size_t)a->count + 1) * sizeof *b->at);
    CHECK(b->at != NULL);
    lay_out(b, e, a);
    for (int k = 0; k < a->count; k++) {
        low = b->at[k] < low ? b->at[k] : low;
        high = b->at[k] + e->extent > high ? b->at[k] + e->extent : high;
    }
    b->bytes = (size_t)(high - low) + 2 * MARGIN;
    b->memory = malloc(b->bytes);
    CHECK(b->memory != NULL);
    memset(b->memory, FILLER, b->bytes);
    b->origin = b->memory + MARGIN - low;
    if (a->is_write)
        place_values(b, e, a, b->origin);
}

static void check_status(const struct buffer *b, const struct etype *e, const struct access *a,
                         MPI_Status *status)
{
    int bytes = a->count * e->bytes, elements, items, expected = 0, wanted;

    if (!a->is_write)
        bytes = a->known;
    for (int at = 0; at < bytes; expected++)
        at += e->leaf[expected % e->leaves].size;
    OK(MPI_Get_elements(status, b->type, &elements));
    OK(MPI_Get_count(status, b->type, &items));
    CHECK_EQ(elements, expected);
    if (b->leaves) {
        wanted = expected % b->leaves ? MPI_UNDEFINED : expected / b->leaves;
        CHECK_EQ(items, wanted);
    }
}

/* The first byte of memory that is not as it should be; -1: none. */
static long first_wrong(const struct buffer *b, const struct etype *e, const struct access *a)
{
    unsigned char *wanted = malloc(b->bytes);
    long wrong = -1;

    CHECK(wanted != NULL);
    memset(wanted, FILLER, b->bytes);
    place_values(b, e, a, wanted + (b->origin - b->memory));
    if (memcmp(b->memory, wanted, b->bytes) != 0)
        for (wrong = 0; b->memory[wrong] == wanted[wrong]; wrong++)
            ;
    if (wrong >= 0 && a->is_write)
        wrong = -1;
    free(wanted);
    return wrong;
}

bool buffer_holds(const struct buffer *b, const struct etype *e, const struct access *a)
{
    return first_wrong(b, e, a) < 0;
}

void buffer_check(const struct buffer *b, const struct etype *e, const struct access *a, MPI_Status *status)
{
    bool is_cut = !a->is_write && a->known < a->count * e->bytes;
    long wrong = first_wrong(b, e, a);

    if (wrong >= 0)
        fprintf(
            stderr,
            "%d etypes from %lld on, %d bytes before the end: byte %ld from the buffer's address on is %#x\n",
            a->count, (long long)a->offset, a->known, (long)(b->memory + wrong - b->origin),
            b->memory[wrong]);
    CHECK_EQ(wrong, -1);
    if (!is_cut || MPI_VERSION >= 5) /* others count what is after the end too */
        check_status(b, e, a, status);
}

void buffer_free(struct buffer *b)
{
    if (b->is_own)
        OK(MPI_Type_free(&b->type));
    free(b->memory);
    free(b->at);
}
