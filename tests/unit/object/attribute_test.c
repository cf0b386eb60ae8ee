#include "object/attribute.h"

#include "unit.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char trace[256];
static int extra = 11;
static int copy_result, delete_result, copy_flag = 1;

static void traced(const char *what, void *handle, int number)
{
    size_t used = strlen(trace);

    snprintf(trace + used, sizeof trace - used, "%s%d@%d ", what, number, *(int *)handle);
}

static int copying(void *handle, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)keyval;
    assert_ptr_equal(extra_state, &extra);
    traced("copy", handle, (int)(intptr_t)in);
    *(void **)out = (void *)((intptr_t)in + 100);
    *flag = copy_flag;
    return copy_result;
}

static int deleting(void *handle, int keyval, void *value, void *extra_state)
{
    (void)keyval;
    assert_ptr_equal(extra_state, &extra);
    traced("delete", handle, (int)(intptr_t)value);
    return delete_result;
}

static int new_keyval(attribute_copy_fn *copy_fn, attribute_delete_fn *delete_fn)
{
    int keyval = MPI_KEYVAL_INVALID;

    assert_int_equal(attribute_new_keyval(OBJECT_COMM, copy_fn, delete_fn, &extra, &keyval), MPI_SUCCESS);
    assert_int_not_equal(keyval, MPI_KEYVAL_INVALID);
    return keyval;
}

static int reset(void **state)
{
    (void)state;
    trace[0] = '\0';
    copy_result = delete_result = 0;
    copy_flag = 1;
    return 0;
}

static void set_value(struct attribute_set *set, int keyval, intptr_t value)
{
    int handle = 1;

    assert_int_equal(attribute_set_value(set, OBJECT_COMM, &handle, keyval, (void *)value), MPI_SUCCESS);
}

/* -1: not found */
static intptr_t get_value(struct attribute_set *set, int keyval)
{
    void *value = NULL;
    int found;

    assert_int_equal(attribute_get_value(set, OBJECT_COMM, keyval, &value, &found), MPI_SUCCESS);
    return found ? (intptr_t)value : -1;
}

static void value_is_kept_replaced_and_deleted(void **state)
{
    struct attribute_set set = {0};
    int keyval = new_keyval(copying, deleting), handle = 1;

    (void)state;
    assert_int_equal(get_value(&set, keyval), -1);
    set_value(&set, keyval, 5);
    assert_int_equal(get_value(&set, keyval), 5);
    assert_string_equal(trace, "");
    set_value(&set, keyval, 6);
    assert_int_equal(get_value(&set, keyval), 6);
    assert_string_equal(trace, "delete5@1 ");
    assert_int_equal(attribute_delete(&set, OBJECT_COMM, &handle, keyval), MPI_SUCCESS);
    assert_int_equal(get_value(&set, keyval), -1);
    assert_string_equal(trace, "delete5@1 delete6@1 ");
    assert_null(set.first);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_SUCCESS);
}

static void copies_run_in_order_and_deletes_backwards(void **state)
{
    struct attribute_set set = {0}, copy = {0};
    int keyval[3], parent = 1, child = 2;

    (void)state;
    for (int i = 0; i < 3; i++) {
        keyval[i] = new_keyval(copying, deleting);
        set_value(&set, keyval[i], i);
    }
    assert_int_equal(attribute_copy_all(&set, &parent, &copy), MPI_SUCCESS);
    assert_string_equal(trace, "copy0@1 copy1@1 copy2@1 ");
    assert_int_equal(get_value(&copy, keyval[2]), 102);
    assert_int_equal(attribute_delete_all(&copy, &child), MPI_SUCCESS);
    assert_string_equal(trace, "copy0@1 copy1@1 copy2@1 delete102@2 delete101@2 delete100@2 ");
    assert_int_equal(attribute_delete_all(&set, &parent), MPI_SUCCESS);
    assert_null(set.first);
    assert_null(set.last);
    for (int i = 0; i < 3; i++)
        assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval[i]), MPI_SUCCESS);
}

static void predefined_copy_functions_are_compared_not_called(void **state)
{
    struct attribute_set set = {0}, copy = {0};
    int none = new_keyval((attribute_copy_fn *)MPI_COMM_NULL_COPY_FN, NULL);
    int same = new_keyval((attribute_copy_fn *)MPI_COMM_DUP_FN, NULL), handle = 1;

    (void)state;
    set_value(&set, none, 3);
    set_value(&set, same, 4);
    assert_int_equal(attribute_copy_all(&set, &handle, &copy), MPI_SUCCESS);
    assert_int_equal(get_value(&copy, none), -1);
    assert_int_equal(get_value(&copy, same), 4);
    attribute_delete_all(&set, &handle);
    attribute_delete_all(&copy, &handle);
    attribute_free_keyval(OBJECT_COMM, none);
    attribute_free_keyval(OBJECT_COMM, same);
}

static void copy_callback_may_refuse_by_flag(void **state)
{
    struct attribute_set set = {0}, copy = {0};
    int keyval = new_keyval(copying, deleting), handle = 1;

    (void)state;
    copy_flag = 0;
    set_value(&set, keyval, 1);
    assert_int_equal(attribute_copy_all(&set, &handle, &copy), MPI_SUCCESS);
    assert_null(copy.first);
    attribute_delete_all(&set, &handle);
    attribute_free_keyval(OBJECT_COMM, keyval);
}

static void error_of_a_copy_callback_is_passed_on(void **state)
{
    struct attribute_set set = {0}, copy = {0};
    int first = new_keyval((attribute_copy_fn *)MPI_COMM_DUP_FN, NULL);
    int keyval = new_keyval(copying, deleting), handle = 1;

    (void)state;
    set_value(&set, first, 9);
    set_value(&set, keyval, 1);
    copy_result = 20001;
    assert_int_equal(attribute_copy_all(&set, &handle, &copy), 20001);
    assert_int_equal(get_value(&copy, first), 9); /* what was copied before stays there to be deleted */
    attribute_delete_all(&set, &handle);
    attribute_delete_all(&copy, &handle);
    attribute_free_keyval(OBJECT_COMM, first);
    attribute_free_keyval(OBJECT_COMM, keyval);
}

static void failing_delete_callback_keeps_the_attribute(void **state)
{
    struct attribute_set set = {0};
    int keyval = new_keyval(copying, deleting), handle = 1;

    (void)state;
    set_value(&set, keyval, 1);
    delete_result = 20002;
    assert_int_equal(attribute_delete(&set, OBJECT_COMM, &handle, keyval), 20002);
    assert_int_equal(attribute_set_value(&set, OBJECT_COMM, &handle, keyval, NULL), 20002);
    assert_int_equal(attribute_delete_all(&set, &handle), 20002);
    assert_int_equal(get_value(&set, keyval), 1);
    delete_result = 0;
    assert_int_equal(attribute_delete_all(&set, &handle), MPI_SUCCESS);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_SUCCESS);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_ERR_KEYVAL); /* nothing refers to it */
}

static void freed_keyval_lives_until_its_last_attribute(void **state)
{
    struct attribute_set set = {0}, copy = {0};
    int keyval = new_keyval(copying, deleting), handle = 1, found;
    void *value;

    (void)state;
    set_value(&set, keyval, 1);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_SUCCESS);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval),
                     MPI_SUCCESS); /* through a copy of the integer */
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_SUCCESS);
    assert_int_equal(get_value(&set, keyval), 1);
    set_value(&set, keyval, 1);
    assert_int_equal(attribute_copy_all(&set, &handle, &copy), MPI_SUCCESS);
    assert_int_equal(attribute_delete(&set, OBJECT_COMM, &handle, keyval), MPI_SUCCESS);
    assert_int_equal(get_value(&copy, keyval), 101);
    attribute_delete_all(&copy, &handle);
    assert_string_equal(trace, "delete1@1 copy1@1 delete1@1 delete101@1 ");
    assert_int_equal(attribute_get_value(&set, OBJECT_COMM, keyval, &value, &found), MPI_ERR_KEYVAL);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, keyval), MPI_ERR_KEYVAL);
}

static void what_is_no_key_is_refused(void **state)
{
    static const int bad[] = {
        MPI_KEYVAL_INVALID, -1,          1, 12345, 1 << 30, MPI_TAG_UB, MPI_LASTUSEDCODE,
        MPI_UNIVERSE_SIZE,  MPI_WIN_BASE};
    struct attribute_set set = {0};
    int handle = 1, found, type_keyval;
    void *value;

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(attribute_set_value(&set, OBJECT_COMM, &handle, bad[i], NULL), MPI_ERR_KEYVAL);
        assert_int_equal(attribute_get_value(&set, OBJECT_COMM, bad[i], &value, &found), MPI_ERR_KEYVAL);
        assert_int_equal(attribute_delete(&set, OBJECT_COMM, &handle, bad[i]), MPI_ERR_KEYVAL);
        assert_int_equal(attribute_free_keyval(OBJECT_COMM, bad[i]), MPI_ERR_KEYVAL);
    }
    assert_int_equal(attribute_new_keyval(OBJECT_DATATYPE, NULL, NULL, NULL, &type_keyval), MPI_SUCCESS);
    assert_int_equal(attribute_set_value(&set, OBJECT_COMM, &handle, type_keyval, NULL), MPI_ERR_KEYVAL);
    assert_int_equal(attribute_free_keyval(OBJECT_COMM, type_keyval), MPI_ERR_KEYVAL);
    assert_int_equal(attribute_free_keyval(OBJECT_DATATYPE, type_keyval), MPI_SUCCESS);
}

/* A delete callback sees the attribute, and may use the set. */
static struct attribute_set *seen_set;
static int seen_keyval;

static int looking(void *handle, int keyval, void *value, void *extra_state)
{
    (void)handle, (void)extra_state;
    assert_int_equal(keyval, seen_keyval);
    assert_int_equal(get_value(seen_set, keyval), (intptr_t)value);
    traced("saw", handle, (int)(intptr_t)value);
    return 0;
}

static void callbacks_run_without_the_lock(void **state)
{
    struct attribute_set set = {0};
    int handle = 1;

    (void)state;
    seen_set = &set;
    seen_keyval = new_keyval((attribute_copy_fn *)MPI_COMM_DUP_FN, looking);
    set_value(&set, seen_keyval, 8);
    assert_int_equal(attribute_delete_all(&set, &handle), MPI_SUCCESS);
    assert_string_equal(trace, "saw8@1 ");
    attribute_free_keyval(OBJECT_COMM, seen_keyval);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(value_is_kept_replaced_and_deleted, reset),
        cmocka_unit_test_setup(copies_run_in_order_and_deletes_backwards, reset),
        cmocka_unit_test_setup(predefined_copy_functions_are_compared_not_called, reset),
        cmocka_unit_test_setup(copy_callback_may_refuse_by_flag, reset),
        cmocka_unit_test_setup(error_of_a_copy_callback_is_passed_on, reset),
        cmocka_unit_test_setup(failing_delete_callback_keeps_the_attribute, reset),
        cmocka_unit_test_setup(freed_keyval_lives_until_its_last_attribute, reset),
        cmocka_unit_test_setup(what_is_no_key_is_refused, reset),
        cmocka_unit_test_setup(callbacks_run_without_the_lock, reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
