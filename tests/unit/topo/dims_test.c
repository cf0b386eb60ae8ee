/* MPI_Dims_create compared with an exhaustive search. */
#include "topo/topo.h"

#include "unit.h"

#include <limits.h>
#include <string.h>

/* The smallest difference between largest and smallest among all factorings into `count` factors of at least
 * `low`. */
static int least_spread(int number, int count, int low, int first)
{
    int best = INT_MAX;

    if (count == 1)
        return number >= low ? number - (first ? first : number) : INT_MAX;
    for (int d = low; d <= number; d++)
        if (number % d == 0) {
            int spread = least_spread(number / d, count - 1, d, first ? first : d);

            best = spread < best ? spread : best;
        }
    return best;
}

static void is_as_even_as_can_be(void **state)
{
    (void)state;
    for (int dims = 1; dims <= 5; dims++)
        for (int nodes = 1; nodes <= 200; nodes++) {
            int dim[5] = {0}, product = 1;

            assert_int_equal(dims_create(nodes, dims, dim), MPI_SUCCESS);
            for (int i = 0; i < dims; i++) {
                product *= dim[i];
                assert_true(i == 0 || dim[i] <= dim[i - 1]);
            }
            assert_int_equal(product, nodes);
            assert_int_equal(dim[0] - dim[dims - 1], least_spread(nodes, dims, 1, 0));
        }
}

static void check(int nodes, int dims, const int *before, const int *after)
{
    int dim[16];

    memcpy(dim, before, (size_t)dims * sizeof *dim);
    assert_int_equal(dims_create(nodes, dims, dim), MPI_SUCCESS);
    assert_memory_equal(dim, after, (size_t)dims * sizeof *dim);
}

static void keeps_what_is_given(void **state)
{
    (void)state;
    check(6, 2, (int[]){0, 0}, (int[]){3, 2});
    check(7, 2, (int[]){0, 0}, (int[]){7, 1});
    check(6, 3, (int[]){0, 3, 0}, (int[]){2, 3, 1});
    check(24, 3, (int[]){0, 0, 0}, (int[]){4, 3, 2});
    check(16, 3, (int[]){0, 1, 0}, (int[]){4, 1, 4});
    check(12, 2, (int[]){3, 4}, (int[]){3, 4});
    check(1, 3, (int[]){0, 0, 0}, (int[]){1, 1, 1});
}

/* Numbers with many divisors, primes, and more dimensions than factors end soon. */
static void large_numbers_take_no_time(void **state)
{
    static const int hard[] = {INT_MAX, 2095133040, 1 << 30, 1102701600, 720720, 999999937, 735134400};

    (void)state;
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++)
        for (int dims = 1; dims <= 40; dims = dims < 4 ? dims + 1 : dims + 9) {
            int dim[40] = {0};
            int64_t product = 1;

            assert_int_equal(dims_create(hard[i], dims, dim), MPI_SUCCESS);
            for (int k = 0; k < dims; k++)
                product *= dim[k];
            assert_int_equal(product, hard[i]);
        }
}

static void bad_arguments_are_errors(void **state)
{
    int dim[3] = {0, 3, 0};

    (void)state;
    assert_int_equal(dims_create(7, 3, dim), MPI_ERR_DIMS);
    assert_int_equal(dim[0], 0);
    assert_int_equal(dims_create(0, 3, dim), MPI_ERR_ARG);
    assert_int_equal(dims_create(-4, 3, dim), MPI_ERR_ARG);
    assert_int_equal(dims_create(4, -1, dim), MPI_ERR_DIMS);
    assert_int_equal(dims_create(4, 2, NULL), MPI_ERR_ARG);
    assert_int_equal(dims_create(4, 0, NULL), MPI_ERR_DIMS);
    assert_int_equal(dims_create(1, 0, NULL), MPI_SUCCESS);
    assert_int_equal(dims_create(12, 2, (int[]){2, 3}), MPI_ERR_DIMS);
    assert_int_equal(dims_create(12, 2, (int[]){-2, 0}), MPI_ERR_DIMS);
    assert_int_equal(dims_create(12, 2, (int[]){INT_MAX, INT_MAX}), MPI_ERR_DIMS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_as_even_as_can_be),
        cmocka_unit_test(keeps_what_is_given),
        cmocka_unit_test(large_numbers_take_no_time),
        cmocka_unit_test(bad_arguments_are_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
