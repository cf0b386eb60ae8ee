/* Random nested datatypes against their byte maps, in one process: sizes and bounds, what MPI_Get_elements
 * says after any number of bytes, packing and unpacking of any part of a message, external32. */
#include "check.h"
#include "datatype/datatype.h"
#include "random_type.h"

#include <stdlib.h>
#include <string.h>

static struct datatype *datatype_of(MPI_Datatype handle)
{
    uintptr_t word = (uintptr_t)handle;

    return word < 1024 ? datatype_predefined(handle) : pool_find(&datatype_pool, word);
}

static void check_sizes(const struct subject *s)
{
    MPI_Count size, lb, extent, true_lb, true_extent;

    MPI_Type_size_c(s->type, &size);
    MPI_Type_get_extent_c(s->type, &lb, &extent);
    MPI_Type_get_true_extent_c(s->type, &true_lb, &true_extent);
    HOLDS(size == s->n);
    HOLDS(lb == lb_of(s));
    HOLDS(extent == extent_of(s));
    HOLDS(true_lb == s->low);
    HOLDS(true_extent == s->high - s->low);
}

/* After any number of bytes of two items, and back. */
static void check_elements(const struct subject *s, const struct datatype *t)
{
    for (int64_t bytes = 0; bytes <= 2 * s->n; bytes += s->n > 200 ? pick(1, 20) : 1) {
        int64_t elements = elements_in(s, bytes), back;

        HOLDS(datatype_elements(t, bytes) == elements);
        if (elements == MPI_UNDEFINED)
            continue;
        HOLDS(datatype_element_bytes(t, elements, &back) == MPI_SUCCESS);
        HOLDS(back == bytes);
    }
}

static void check_dense(const struct subject *s, const struct datatype *t)
{
    bool dense = s->n == 0 || extent_of(s) == s->n;

    for (int i = 0; i < s->n; i++)
        dense = dense && s->byte[i].at == i;
    HOLDS(t->dense == dense);
}

static void check_pack(const struct subject *s, const struct datatype *t, unsigned char *base,
                       unsigned char *packed, int64_t from, int64_t n)
{
    datatype_pack(t, base, (size_t)from, packed, (size_t)n);
    for (int64_t i = 0; i < n; i++)
        HOLDS(packed[i] == base[byte_place(s, from + i)]);
}

/* Where the type overlaps itself, the same value comes twice. */
static void check_unpack(const struct subject *s, const struct datatype *t, unsigned char *base,
                         unsigned char *copy, unsigned char *packed, int64_t from, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t at = byte_place(s, from + i);

        packed[i] = (unsigned char)(at * 31 + 7);
        copy[at] = packed[i];
    }
    datatype_unpack(t, base, (size_t)from, packed, (size_t)n);
}

/* The runs of this part, one after the other, are its bytes. */
static void check_runs(const struct subject *s, const struct datatype *t, const unsigned char *base,
                       int64_t from, int64_t n)
{
    for (int64_t end = from + n; from < end;) {
        struct runs r = layout_runs(&t->items, base, from);

        HOLDS(r.bytes > 0 && r.count > 0);
        for (int64_t i = 0; i < r.count && from < end; i++)
            for (int64_t k = 0; k < r.bytes && from < end; k++, from++)
                HOLDS((unsigned char *)r.at + i * r.stride + k == base + byte_place(s, from));
    }
}

/* Packs and unpacks a part of `count` items. */
static void check_moves(const struct subject *s, int count)
{
    const struct datatype *t = datatype_of(s->type);
    int64_t begin, span = span_of(s, count, &begin), total = (int64_t)count * s->n, from, n;
    unsigned char *memory, *packed, *copy;

    if (s->n == 0 || span > SPAN_MAX)
        return;
    memory = malloc((size_t)span);
    copy = malloc((size_t)span);
    from = pick(0, 2) ? pick(0, total) : 0;
    n = pick(0, 2) ? pick(0, total - from) : total - from;
    packed = malloc((size_t)n + 1);
    for (int64_t i = 0; i < span; i++)
        memory[i] = (unsigned char)pick(0, 255);
    check_pack(s, t, memory - begin, packed, from, n);
    check_runs(s, t, memory - begin, from, n);
    memset(copy, 0x55, (size_t)span);
    memset(memory, 0x55, (size_t)span);
    check_unpack(s, t, memory - begin, copy - begin, packed, from, n);
    HOLDS(memcmp(memory, copy, (size_t)span) == 0);
    free(memory);
    free(copy);
    free(packed);
}

/* A complex value is two numbers. */
static int bytes_of_number(MPI_Datatype value)
{
    int bytes;

    MPI_Type_size(value, &bytes);
    return value == MPI_C_DOUBLE_COMPLEX ? bytes / 2 : bytes;
}

/* external32 here differs from memory in order alone, but for long double, which is left out. What comes back
 * is what was there, and nothing else is written. */
static void check_external(const struct subject *s)
{
    int64_t begin, span = span_of(s, 1, &begin);
    unsigned char *memory = malloc((size_t)span + 1), *packed = malloc((size_t)s->n + 1);
    unsigned char *back = malloc((size_t)span + 1), *due = malloc((size_t)span + 1);
    bool has_long_double = false;
    MPI_Count position = 0, size = -1;

    for (int64_t i = 0; i < span; i++)
        memory[i] = (unsigned char)pick(0, 255);
    for (int i = 0; i < s->n; i++)
        has_long_double = has_long_double || s->byte[i].value == MPI_LONG_DOUBLE;
    MPI_Pack_external_size_c("external32", 1, s->type, &size);
    HOLDS(size == s->n);
    HOLDS(MPI_Pack_external_c("external32", memory - begin, 1, s->type, packed, size, &position) == 0);
    HOLDS(position == s->n);
    for (int i = 0, first = 0, bytes = 0; i < s->n && !has_long_double; i++) {
        if (s->byte[i].value != MPI_DATATYPE_NULL)
            bytes = bytes_of_number(s->byte[i].value);
        if (s->byte[i].value != MPI_DATATYPE_NULL || i - first == bytes)
            first = i;
        HOLDS(packed[first + bytes - 1 - (i - first)] == memory[s->byte[i].at - begin]);
    }
    memset(back, 0x55, (size_t)span + 1);
    memset(due, 0x55, (size_t)span + 1);
    for (int i = 0; i < s->n; i++)
        due[s->byte[i].at - begin] = memory[s->byte[i].at - begin];
    position = 0;
    HOLDS(MPI_Unpack_external_c("external32", packed, s->n, &position, back - begin, 1, s->type) == 0);
    HOLDS(position == s->n);
    HOLDS(has_long_double || memcmp(back, due, (size_t)span + 1) == 0);
    free(memory);
    free(packed);
    free(back);
    free(due);
}

static void try_one(void)
{
    struct subject s = random_subject((int)pick(1, 4));
    const struct datatype *t = datatype_of(s.type);

    check_sizes(&s);
    check_dense(&s, t);
    check_elements(&s, t);
    for (int k = 0; k < 4; k++)
        check_moves(&s, (int)pick(1, 4));
    HOLDS(t->committed || MPI_Type_commit(&s.type) == MPI_SUCCESS);
    check_external(&s);
    subject_free(&s);
}

int main(int argc, char **argv)
{
    long long before;

    MPI_Init(&argc, &argv);
    before = (long long)pool_live(&datatype_pool);
    for_each_seed(3000, try_one);
    CHECK_EQ(pool_live(&datatype_pool), before);
    MPI_Finalize();
    return 0;
}
