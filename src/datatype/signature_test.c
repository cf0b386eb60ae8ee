/* Signatures: the same sequence of values has the same hash, whatever pieces it was built from. Another
 * order, length or type has another hash. SIGNATURE_SEED repeats a failure. */
#include "datatype/datatype.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum {
    VALUES = 40,
    ROUNDS = 300
};

static const MPI_Datatype basics[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR, MPI_FLOAT, MPI_SHORT};
static uint64_t state;

static int pick(int low, int high)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int)((state >> 11) % (uint64_t)(high - low + 1));
}

/* A type of the values [0, n), cut at random into parts, these again, and so on, with gaps anywhere. */
static struct datatype *build(const int *value, int n)
{
    struct datatype *part[2], *type;
    MPI_Count lengths[] = {1, 1}, displs[2];
    int cut = n > 1 ? pick(1, n - 1) : 1, run = 1;

    while (run < n && value[run] == value[0])
        run++;
    if (run == n && pick(0, 1)) {
        assert_int_equal(
            datatype_vector(true, 1, n, n + pick(0, 3), datatype_predefined(basics[value[0]]), &type), 0);
        return type;
    }
    if (n == 1) {
        assert_int_equal(datatype_dup(datatype_predefined(basics[value[0]]), &type), 0);
        return type;
    }
    part[0] = build(value, cut);
    part[1] = build(value + cut, n - cut);
    displs[0] = pick(0, 64);
    displs[1] = displs[0] + 1024 * pick(1, 3);
    assert_int_equal(datatype_struct(true, 2, (struct counts){.wide = lengths},
                                     (struct counts){.wide = displs}, part, &type),
                     0);
    datatype_free(part[0]);
    datatype_free(part[1]);
    return type;
}

static void random_pieces(void **unused)
{
    const char *given = getenv("SIGNATURE_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 1;

    (void)unused;
    for (int round = 0; round < (given ? 1 : ROUNDS); round++, seed++) {
        int value[VALUES], other[VALUES], n, at;
        struct datatype *a, *b, *c;

        state = seed * 0x9e3779b97f4a7c15u + 1;
        n = pick(1, VALUES);
        for (int i = 0; i < n; i++)
            other[i] = value[i] = pick(0, 4);
        at = pick(0, n - 1);
        other[at] = (other[at] + pick(1, 4)) % 5;
        a = build(value, n);
        b = build(value, n);
        c = build(other, n);
        if (!signature_is_equal(a->signature, b->signature) || signature_is_equal(a->signature, c->signature))
            fail_msg("SIGNATURE_SEED=%llu", (unsigned long long)seed);
        datatype_free(a);
        datatype_free(b);
        datatype_free(c);
    }
}

static struct signature times(MPI_Datatype basic, MPI_Count count)
{
    return signature_repeat(datatype_predefined(basic)->signature, count);
}

static void counts_compose(void **unused)
{
    struct datatype *pair, *reverse, *vector;
    MPI_Count lengths[] = {1, 1}, displs[] = {0, 8};
    struct datatype *parts[] = {datatype_predefined(MPI_INT), datatype_predefined(MPI_DOUBLE)};
    struct datatype *turned[] = {parts[1], parts[0]};
    struct counts l = {.wide = lengths}, d = {.wide = displs};

    (void)unused;
    assert_int_equal(datatype_struct(true, 2, l, d, parts, &pair), 0);
    assert_int_equal(datatype_struct(true, 2, l, d, turned, &reverse), 0);
    assert_int_equal(datatype_vector(true, 7, 3, 5, pair, &vector), 0);
    assert_true(signature_is_equal(vector->signature, signature_repeat(pair->signature, 21)));
    assert_true(
        signature_is_equal(signature_repeat(vector->signature, 5), signature_repeat(pair->signature, 105)));
    assert_false(signature_is_equal(pair->signature, reverse->signature));
    assert_false(signature_is_equal(times(MPI_INT, 3), times(MPI_INT, 4)));
    assert_false(signature_is_equal(times(MPI_INT, 3), times(MPI_UNSIGNED, 3)));
    assert_true(signature_is_equal(times(MPI_INT, (MPI_Count)1 << 40),
                                   signature_repeat(times(MPI_INT, 1 << 20), 1 << 20)));
    assert_true(signature_is_equal(times(MPI_INT, 0), SIGNATURE_EMPTY));
    /* A pair is its two values. */
    assert_true(signature_is_equal(datatype_predefined(MPI_DOUBLE_INT)->signature,
                                   signature_append(datatype_predefined(MPI_DOUBLE)->signature,
                                                    datatype_predefined(MPI_INT)->signature)));
    datatype_free(pair);
    datatype_free(reverse);
    datatype_free(vector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_pieces), cmocka_unit_test(counts_compose)};

    datatype_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
