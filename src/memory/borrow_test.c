#include "memory/borrow.h"

#include "unit.h"

#include <string.h>

enum {
    BYTES = 1000,
    OWNER = 7
};

static unsigned char *block; /* of the test device */

/* What a process would lend that has an allocation like this one at `base`. */
static struct loan loan_at(uint64_t base, uint64_t id)
{
    struct loan loan;

    assert_true(kind_lend(&test_device, block, &loan));
    loan.base = base;
    loan.bytes = BYTES;
    loan.id = id;
    return loan;
}

static struct borrowed *begin(const struct loan *loan)
{
    const void *at;

    return borrow_begin(OWNER, loan, loan->base, BYTES, NULL, &at);
}

static void use(const struct loan *loan)
{
    struct borrowed *b = begin(loan);

    assert_non_null(b);
    borrow_end(b);
}

static int setup(void **state)
{
    (void)state;
    kind_enable_test();
    if (!kind_is_there(KIND_TEST))
        return -1;
    block = test_device.alloc(BYTES);
    return block ? 0 : -1;
}

static int forget(void **state)
{
    (void)state;
    test_kind_refuse(0);
    borrow_forget_all();
    return borrow_count();
}

/* What was lent is what is read, from where it was asked for. */
static void rma_what_was_lent(void **state)
{
    struct loan loan;
    struct borrowed *b;
    char text[6] = "hello", seen[6] = "";
    const void *at;

    (void)state;
    assert_true(kind_lend(&test_device, block, &loan));
    assert_int_equal(loan.kind, KIND_TEST);
    assert_int_equal(test_device.copy(block + 100, text, sizeof text), 0);
    b = borrow_begin(OWNER, &loan, (uint64_t)(uintptr_t)block + 100, sizeof text, NULL, &at);
    assert_non_null(b);
    assert_true(test_device.holds(at));
    assert_ptr_not_equal(at, block + 100);
    assert_int_equal(test_device.copy(seen, at, sizeof seen), 0);
    assert_string_equal(seen, "hello");
    borrow_end(b);
}

static void refuses_what_the_loan_does_not_cover(void **state)
{
    struct loan loan = loan_at(100000, 1);
    const void *at;

    (void)state;
    assert_null(borrow_begin(OWNER, &loan, 99999, 1, NULL, &at));
    assert_null(borrow_begin(OWNER, &loan, 100000 + BYTES, 1, NULL, &at));
    assert_null(borrow_begin(OWNER, &loan, 100000, BYTES + 1, NULL, &at));
    assert_null(borrow_begin(OWNER, &loan, 100001, UINT64_MAX, NULL, &at));
    assert_null(borrow_begin(OWNER, &loan, 0, UINT64_MAX, NULL, &at));
    assert_int_equal(borrow_count(), 0);
}

static void asks_once(void **state)
{
    struct loan loan = loan_at(100000, 1);
    unsigned long before = borrow_asked();

    (void)state;
    use(&loan);
    use(&loan);
    assert_int_equal(borrow_asked() - before, 1);
    test_kind_refuse(REFUSE_BORROW);
    loan = loan_at(200000, 2);
    assert_null(begin(&loan));
    assert_null(begin(&loan));
    assert_int_equal(borrow_asked() - before, 2);
    assert_int_equal(borrow_count(), 1);
}

/* Another allocation at the same place, or a part of it: the one before was freed. */
static void gives_back_what_was_freed(void **state)
{
    struct loan first = loan_at(100000, 1), beside = loan_at(100000 + BYTES, 2), second = loan_at(100500, 3);
    const void *at;
    struct borrowed *b;

    (void)state;
    use(&first);
    use(&beside);
    assert_int_equal(borrow_count(), 2);
    b = borrow_begin(OWNER + 1, &second, second.base, 1, NULL, &at); /* of another process */
    assert_non_null(b);
    borrow_end(b);
    assert_int_equal(borrow_count(), 3);
    use(&second);
    assert_int_equal(borrow_count(), 2);
    borrow_forget(OWNER);
    assert_int_equal(borrow_count(), 1);
}

/* The ones used last are kept, and what is in use stays. */
static void keeps_few(void **state)
{
    struct loan loan[BORROWED_MAX + 1];
    struct borrowed *used[BORROWED_MAX];
    unsigned long before = borrow_asked();

    (void)state;
    for (int i = 0; i <= BORROWED_MAX; i++) {
        loan[i] = loan_at((uint64_t)(i + 1) << 20, (uint64_t)i);
        use(&loan[i]);
        use(&loan[0]);
    }
    assert_int_equal(borrow_count(), BORROWED_MAX);
    assert_int_equal(borrow_asked() - before, BORROWED_MAX + 1);
    use(&loan[0]);
    use(&loan[BORROWED_MAX]);
    assert_int_equal(borrow_asked() - before, BORROWED_MAX + 1);
    use(&loan[1]); /* had to leave */
    assert_int_equal(borrow_asked() - before, BORROWED_MAX + 2);
    borrow_forget_all();
    for (int i = 0; i < BORROWED_MAX; i++) {
        used[i] = begin(&loan[i]);
        assert_non_null(used[i]);
    }
    assert_null(begin(&loan[BORROWED_MAX]));
    borrow_forget_all();
    assert_int_equal(borrow_count(), BORROWED_MAX);
    for (int i = 0; i < BORROWED_MAX; i++)
        borrow_end(used[i]);
    use(&loan[BORROWED_MAX]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(rma_what_was_lent, forget),
        cmocka_unit_test_teardown(refuses_what_the_loan_does_not_cover, forget),
        cmocka_unit_test_teardown(asks_once, forget),
        cmocka_unit_test_teardown(gives_back_what_was_freed, forget),
        cmocka_unit_test_teardown(keeps_few, forget),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
