#include "object/errhandler.h"

#include "plain/fail.h"
#include "unit.h"

#include <string.h>

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
}

static struct errhandler *new_errhandler(enum object_kind on)
{
    struct errhandler *e = NULL;

    assert_int_equal(errhandler_new(on, (errhandler_fn *)on_comm, &e), MPI_SUCCESS);
    assert_int_equal(e->on, on);
    assert_ptr_equal(e->call.comm, on_comm);
    return e;
}

static void attached_handler_outlives_its_handle(void **state)
{
    struct errhandler *slot = &errhandler_fatal, *e = new_errhandler(OBJECT_COMM), *again;
    uint64_t handle = object_handle(&e->object);

    (void)state;
    assert_int_equal(errhandler_attach(&slot, OBJECT_COMM, e), MPI_SUCCESS);
    assert_int_equal(errhandler_free(e), MPI_SUCCESS);
    assert_null(pool_find(&errhandler_pool, handle));
    assert_ptr_equal(slot->call.comm, on_comm);
    errhandler_hand_out(&slot, &again);
    assert_ptr_equal(again, e);
    assert_ptr_equal(pool_find(&errhandler_pool, object_handle(&again->object)), e);
    assert_int_equal(errhandler_free(again), MPI_SUCCESS);
    assert_int_equal(errhandler_attach(&slot, OBJECT_COMM, &errhandler_return), MPI_SUCCESS);
    assert_int_equal(pool_live(&errhandler_pool), 0);
}

static void handler_of_another_kind_is_refused(void **state)
{
    struct errhandler *slot = &errhandler_fatal, *e = new_errhandler(OBJECT_WIN);

    (void)state;
    assert_int_equal(errhandler_attach(&slot, OBJECT_COMM, e), MPI_ERR_ERRHANDLER);
    assert_non_null(strstr(fail_note(), "made for windows; communicators need"));
    assert_int_equal(errhandler_attach(&slot, OBJECT_SESSION, e), MPI_ERR_ERRHANDLER);
    assert_non_null(strstr(fail_note(), "made for windows; sessions need"));
    assert_int_equal(errhandler_attach(&slot, OBJECT_FILE, e), MPI_ERR_ERRHANDLER);
    assert_non_null(strstr(fail_note(), "made for windows; files need"));
    assert_ptr_equal(slot, &errhandler_fatal);
    assert_int_equal(errhandler_attach(&slot, OBJECT_COMM, &errhandler_abort), MPI_SUCCESS);
    assert_int_equal(errhandler_free(e), MPI_SUCCESS);
    assert_int_equal(pool_live(&errhandler_pool), 0);
}

static void each_handing_out_is_freed_once(void **state)
{
    struct errhandler *slot = &errhandler_fatal, *e = new_errhandler(OBJECT_COMM), *again;

    (void)state;
    errhandler_attach(&slot, OBJECT_COMM, e);
    errhandler_hand_out(&slot, &again);
    assert_int_equal(errhandler_free(e), MPI_SUCCESS);
    assert_int_equal(errhandler_free(again), MPI_SUCCESS);
    assert_int_equal(errhandler_free(again), MPI_ERR_ERRHANDLER);
    assert_ptr_equal(slot, e); /* unharmed */
    errhandler_attach(&slot, OBJECT_COMM, &errhandler_fatal);
    assert_int_equal(pool_live(&errhandler_pool), 0);
}

static void predefined_handlers_can_be_freed_for_ever(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++)
        assert_int_equal(errhandler_free(&errhandler_return), MPI_SUCCESS);
    assert_ptr_equal(object_predefined[(uintptr_t)MPI_ERRORS_RETURN], &errhandler_return);
    assert_int_equal(errhandler_new(OBJECT_COMM, NULL, NULL), MPI_ERR_ARG);
}

static int setup(void **state)
{
    (void)state;
    errhandler_init();
    errhandler_init();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attached_handler_outlives_its_handle),
        cmocka_unit_test(handler_of_another_kind_is_refused),
        cmocka_unit_test(each_handing_out_is_freed_once),
        cmocka_unit_test(predefined_handlers_can_be_freed_for_ever),
    };

    return cmocka_run_group_tests(tests, setup, NULL);
}
