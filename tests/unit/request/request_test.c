/* Requests whose operations are the test's own. */
#include "request/request.h"

#include "plain/fail.h"
#include "unit.h"

#include <string.h>

enum {
    FEW = 3,
    MANY = 200, /* more than wait.c keeps on its stack */
    ROUNDS = 5  /* polls until what waits is done */
};

static int started, refused, cancelled, hurried, released, given_up, concluded, queried;
static struct request *waits; /* done after so many polls: */
static int polls_left;

static int poll_fake(bool all)
{
    (void)all;
    if (!waits || --polls_left > 0)
        return 0;
    request_complete(waits, MPI_SUCCESS);
    waits = NULL;
    return 1;
}

static int start_fake(struct request *r)
{
    assert_true(r->active);
    assert_false(request_is_done(r));
    started++;
    return refused ? fail(refused, "refused") : MPI_SUCCESS;
}

static int cancel_fake(struct request *r)
{
    r->status.cancelled = true;
    cancelled++;
    return MPI_SUCCESS;
}

static void release_fake(struct request *r)
{
    (void)r;
    released++;
}

static void spin_fake(struct request *r)
{
    assert_false(request_is_done(r));
    hurried++;
}

static int give_up_fake(struct request *r)
{
    (void)r;
    given_up++;
    return MPI_SUCCESS;
}

static int query_fake(struct request *r)
{
    r->status.tag = 77;
    queried++;
    return MPI_SUCCESS;
}

static void conclude_fake(struct request *r)
{
    r->status.source = 5;
    concluded++;
}

static const struct request_ops ops = {start_fake,   cancel_fake, release_fake, spin_fake,
                                       give_up_fake, query_fake,  conclude_fake};

static int set_up(void **state)
{
    (void)state;
    started = refused = cancelled = hurried = released = given_up = concluded = queried = 0;
    waits = NULL;
    return 0;
}

/* Each section that began has ended. */
static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(lock_mine.depth, 0);
    return 0;
}

static struct request *new_request(enum request_kind kind, bool persistent)
{
    struct request *r = NULL;

    assert_int_equal(request_new(kind, &ops, &r), MPI_SUCCESS);
    r->persistent = persistent;
    r->active = !persistent;
    return r;
}

static MPI_Request handle_of(struct request *r)
{
    return (MPI_Request)(uintptr_t)object_handle(&r->object);
}

/* `count` requests of which those of `done` are. */
static void make(int count, const bool *done, struct request **r, MPI_Request *handle)
{
    for (int i = 0; i < count; i++) {
        r[i] = new_request(REQUEST_RECV, false);
        r[i]->status.tag = i;
        handle[i] = handle_of(r[i]);
        if (done[i])
            request_complete(r[i], MPI_SUCCESS);
    }
}

static void finish(int count, struct request **r, MPI_Request *handle)
{
    for (int i = 0; i < count; i++) {
        if (handle[i] == MPI_REQUEST_NULL)
            continue;
        if (!request_is_done(r[i]))
            request_complete(r[i], MPI_SUCCESS);
        assert_int_equal(request_wait_handle(&handle[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    assert_int_equal(released, count);
}

static void done_after(struct request *r, int polls)
{
    waits = r;
    polls_left = polls;
}

static void a_start_that_failed_can_be_tried_again(void **state)
{
    struct request *r = new_request(REQUEST_COLL, true);

    (void)state;
    refused = MPI_ERR_NO_MEM;
    assert_int_equal(request_start(r, NULL), MPI_ERR_NO_MEM);
    assert_false(r->active);
    refused = 0;
    assert_int_equal(request_start(r, NULL), MPI_SUCCESS);
    assert_int_equal(started, 2);
    assert_int_equal(request_start(r, NULL), MPI_ERR_REQUEST); /* it is active */
    assert_int_equal(started, 2);
    request_complete(r, MPI_SUCCESS);
    request_unref(r);
}

static void only_persistent_requests_start(void **state)
{
    struct request *r = new_request(REQUEST_SEND, false);

    (void)state;
    r->active = false;
    assert_int_equal(request_start(r, NULL), MPI_ERR_REQUEST);
    assert_int_equal(started, 0);
    request_unref(r);
    assert_int_equal(released, 1);
}

static void a_start_forgets_the_last_error(void **state)
{
    struct request *r = new_request(REQUEST_RECV, true);
    MPI_Request handle = handle_of(r);

    (void)state;
    assert_int_equal(request_start(r, NULL), MPI_SUCCESS);
    r->status.tag = 4;
    request_complete(r, fail(MPI_ERR_TRUNCATE, "too long"));
    assert_int_equal(request_wait_handle(&handle, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
    assert_string_equal(fail_note(), "too long");
    assert_true(handle == handle_of(r));
    assert_int_equal(request_start(r, NULL), MPI_SUCCESS);
    assert_int_equal(r->status.tag, MPI_ANY_TAG);
    assert_null(r->note);
    request_complete(r, MPI_SUCCESS);
    assert_int_equal(request_wait_handle(&handle, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(request_free(&handle), MPI_SUCCESS);
    assert_int_equal(given_up, 1);
    assert_int_equal(released, 1);
}

static void a_wait_hurries_and_waits(void **state)
{
    struct request *r = new_request(REQUEST_RECV, false);

    (void)state;
    done_after(r, ROUNDS);
    assert_int_equal(request_wait(r), MPI_SUCCESS);
    assert_true(request_is_done(r));
    assert_int_equal(hurried, 1);
    assert_int_equal(request_wait(r), MPI_SUCCESS); /* which is over */
    assert_int_equal(hurried, 1);
    request_unref(r);
    assert_int_equal(released, 1);
}

static void a_wait_returns_the_operations_error(void **state)
{
    struct request *r = new_request(REQUEST_RECV, false);

    (void)state;
    request_complete(r, fail(MPI_ERR_TRUNCATE, "too long"));
    fail(MPI_ERR_OTHER, "another");
    assert_int_equal(request_wait(r), MPI_ERR_TRUNCATE);
    assert_string_equal(fail_note(), "too long");
    request_unref(r);
}

static void what_is_cancelled(void **state)
{
    static const struct {
        enum request_kind kind;
        bool can;
    } kinds[] = {{REQUEST_SEND, true},        {REQUEST_RECV, true},        {REQUEST_COLL, false},
                 {REQUEST_COMM, false},       {REQUEST_FILE, false},       {REQUEST_MULTI, true},
                 {REQUEST_GENERALIZED, true}, {REQUEST_PARTITIONED, false}};

    (void)state;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        struct request *r = new_request(kinds[i].kind, false);

        cancelled = 0;
        assert_int_equal(request_cancel(r), kinds[i].can ? MPI_SUCCESS : MPI_ERR_REQUEST);
        assert_int_equal(cancelled, kinds[i].can);
        r->active = false;
        assert_int_equal(request_cancel(r), MPI_ERR_REQUEST);
        assert_int_equal(cancelled, kinds[i].can);
        request_unref(r);
    }
}

/* A communicator's complete request waits for the next communicator. */
static void given_back_requests_are_taken_again(void **state)
{
    struct object first = {0}, second = {0};
    struct request *r = request_done_take(&first), *other = request_done_take(&first);
    uint32_t live;

    (void)state;
    assert_ptr_not_equal(r, other);
    assert_true(r->active && request_is_done(r));
    live = pool_live(&request_pool);
    request_unref(r); /* which does nothing */
    request_done_give(r);
    assert_ptr_equal(request_done_take(&second), r);
    assert_ptr_equal(r->owner, &second);
    request_done_give(other);
    request_done_give(r);
    assert_ptr_equal(request_done_take(&first), other);
    assert_ptr_equal(request_done_take(&first), r);
    assert_int_equal(pool_live(&request_pool), live);
    assert_int_equal(released, 0);
}

static void a_wait_for_nothing_is_over(void **state)
{
    MPI_Request null = MPI_REQUEST_NULL;
    MPI_Status status;
    int index = 4, flag = 0;

    (void)state;
    memset(&status, 0xff, sizeof status);
    assert_int_equal(request_wait_handle(&null, &status), MPI_SUCCESS);
    assert_int_equal(status.MPI_SOURCE, MPI_ANY_SOURCE);
    assert_int_equal(status.MPI_TAG, MPI_ANY_TAG);
    assert_int_equal(status.MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(request_waitany(0, NULL, &index, &status), MPI_SUCCESS);
    assert_int_equal(index, MPI_UNDEFINED);
    assert_int_equal(request_testany(1, &null, &index, &flag, &status), MPI_SUCCESS);
    assert_int_equal(index, MPI_UNDEFINED);
    assert_true(flag);
    assert_int_equal(request_free(&null), MPI_ERR_REQUEST);
}

static void a_test_tells_whether_it_is_done(void **state)
{
    struct request *r = new_request(REQUEST_RECV, false);
    MPI_Request handle = handle_of(r);
    int flag = 7;

    (void)state;
    assert_int_equal(request_test(&handle, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(flag, 0);
    assert_int_equal(concluded, 0);
    assert_true(handle == handle_of(r));
    done_after(r, 1); /* found by the test's own poll */
    assert_int_equal(request_test(&handle, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(flag, 1);
    assert_int_equal(concluded, 1);
    assert_true(handle == MPI_REQUEST_NULL);
    assert_int_equal(released, 1);
}

static void any_is_the_first_that_is_done(void **state)
{
    static const bool done[FEW] = {false, true, true}, none[FEW] = {false, false, false};
    struct request *r[FEW];
    MPI_Request handle[FEW];
    MPI_Status status;
    int index = -7, flag = -7;

    (void)state;
    make(FEW, done, r, handle);
    assert_int_equal(request_get_status_any(FEW, handle, &index, &flag, &status), MPI_SUCCESS);
    assert_int_equal(index, 1);
    assert_int_equal(flag, 1);
    assert_int_equal(queried, 1);
    assert_int_equal(concluded, 0);
    assert_int_equal(status.MPI_TAG, 77);
    assert_int_equal(request_waitany(FEW, handle, &index, &status), MPI_SUCCESS);
    assert_int_equal(index, 1);
    assert_int_equal(status.MPI_SOURCE, 5);
    assert_true(handle[1] == MPI_REQUEST_NULL);
    assert_int_equal(request_testany(FEW, handle, &index, &flag, &status), MPI_SUCCESS);
    assert_int_equal(index, 2);
    assert_int_equal(request_testany(FEW, handle, &index, &flag, &status), MPI_SUCCESS);
    assert_int_equal(index, MPI_UNDEFINED); /* one is left, which is not done */
    assert_int_equal(flag, 0);
    finish(FEW, r, handle);
    released = 0;
    make(FEW, none, r, handle);
    done_after(r[2], ROUNDS);
    assert_int_equal(request_waitany(FEW, handle, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(index, 2);
    finish(FEW, r, handle);
}

static void all_are_done_or_none(void **state)
{
    static const bool done[FEW] = {true, false, true};
    struct request *r[FEW];
    MPI_Request handle[FEW];
    MPI_Status status[FEW];
    int flag = 7;

    (void)state;
    make(FEW, done, r, handle);
    assert_int_equal(request_testall(FEW, handle, &flag, status), MPI_SUCCESS);
    assert_int_equal(flag, 0);
    assert_int_equal(request_get_status_all(FEW, handle, &flag, status), MPI_SUCCESS);
    assert_int_equal(flag, 0);
    assert_int_equal(concluded + queried + released, 0);
    done_after(r[1], ROUNDS);
    assert_int_equal(request_waitall(FEW, handle, status), MPI_SUCCESS);
    assert_int_equal(concluded, FEW);
    for (int i = 0; i < FEW; i++) {
        assert_int_equal(status[i].MPI_TAG, i);
        assert_true(handle[i] == MPI_REQUEST_NULL);
    }
    assert_int_equal(released, FEW);
}

static void all_tell_who_failed(void **state)
{
    static const bool done[FEW] = {true, false, true};
    struct request *r[FEW];
    MPI_Request handle[FEW];
    MPI_Status status[FEW];
    int flag = 0;

    (void)state;
    make(FEW, done, r, handle);
    request_complete(r[1], fail(MPI_ERR_TRUNCATE, "too long"));
    memset(status, 0xff, sizeof status);
    assert_int_equal(request_get_status_all(FEW, handle, &flag, status), MPI_ERR_IN_STATUS);
    assert_int_equal(status[0].MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(status[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    assert_int_equal(status[2].MPI_ERROR, MPI_SUCCESS);
    memset(status, 0xff, sizeof status);
    assert_int_equal(request_waitall(FEW, handle, status), MPI_ERR_IN_STATUS);
    assert_non_null(strstr(fail_note(), "request 1 of 3: MPI_ERR_TRUNCATE: too long"));
    assert_int_equal(status[0].MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(status[1].MPI_ERROR, MPI_ERR_TRUNCATE);
    assert_int_equal(status[2].MPI_ERROR, MPI_SUCCESS);
    assert_int_equal(released, FEW);
}

static void some_are_those_that_are_done(void **state)
{
    static const bool done[FEW] = {true, false, true};
    struct request *r[FEW];
    MPI_Request handle[FEW];
    MPI_Status status[FEW];
    int count = 7, index[FEW] = {-1, -1, -1};

    (void)state;
    make(FEW, done, r, handle);
    assert_int_equal(request_get_status_some(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(index[0], 0);
    assert_int_equal(index[1], 2);
    assert_int_equal(released, 0);
    index[1] = -1;
    assert_int_equal(request_testsome(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, 2);
    assert_int_equal(index[1], 2);
    assert_int_equal(status[1].MPI_TAG, 77); /* as the query wrote */
    assert_int_equal(request_testsome(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, 0); /* one is active */
    done_after(r[1], ROUNDS);
    assert_int_equal(request_waitsome(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(index[0], 1);
    assert_int_equal(request_waitsome(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, MPI_UNDEFINED); /* none is */
    assert_int_equal(request_testsome(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, MPI_UNDEFINED);
    assert_int_equal(request_get_status_some(FEW, handle, &count, index, status), MPI_SUCCESS);
    assert_int_equal(count, MPI_UNDEFINED);
    assert_int_equal(released, FEW);
}

static void arrays_may_be_long(void **state)
{
    struct request *r[MANY];
    MPI_Request handle[MANY];
    bool done[MANY];
    int index = 0, count = 0, list[MANY];

    (void)state;
    memset(done, false, sizeof done);
    done[MANY - 1] = true;
    make(MANY, done, r, handle);
    assert_int_equal(request_waitany(MANY, handle, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(index, MANY - 1);
    for (int i = 0; i < MANY - 1; i++)
        request_complete(r[i], MPI_SUCCESS);
    assert_int_equal(request_waitsome(MANY, handle, &count, list, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    assert_int_equal(count, MANY - 1);
    finish(MANY, r, handle);
}

static void freed_handles_are_refused(void **state)
{
    struct request *r[2] = {new_request(REQUEST_SEND, false), new_request(REQUEST_SEND, false)};
    MPI_Request handle[2] = {handle_of(r[0]), handle_of(r[1])}, left = handle[1];
    int flag;

    (void)state;
    request_ref(r[1]); /* the operation's */
    assert_int_equal(request_free(&handle[1]), MPI_SUCCESS);
    assert_true(handle[1] == MPI_REQUEST_NULL);
    assert_int_equal(released, 0);
    handle[1] = left;
    assert_int_equal(request_wait_handle(&left, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    assert_int_equal(request_testall(2, handle, &flag, MPI_STATUSES_IGNORE), MPI_ERR_REQUEST);
    request_complete(r[1], MPI_SUCCESS);
    request_unref(r[1]);
    assert_int_equal(released, 1);
    request_complete(r[0], MPI_SUCCESS);
    assert_int_equal(request_wait_handle(&handle[0], MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void active_collectives_are_not_freed(void **state)
{
    struct request *r = new_request(REQUEST_COLL, true);
    MPI_Request handle = handle_of(r);

    (void)state;
    assert_int_equal(request_start(r, NULL), MPI_SUCCESS);
    assert_int_equal(request_free(&handle), MPI_ERR_REQUEST);
    assert_true(handle == handle_of(r));
    request_complete(r, MPI_SUCCESS);
    assert_int_equal(request_wait_handle(&handle, MPI_STATUS_IGNORE), MPI_SUCCESS);
    assert_int_equal(request_free(&handle), MPI_SUCCESS);
    assert_int_equal(released, 1);
}

/* None starts unless all can. */
static void starts_are_checked_first(void **state)
{
    struct request *r[FEW];
    MPI_Request handle[FEW];

    (void)state;
    for (int i = 0; i < FEW; i++) {
        r[i] = new_request(REQUEST_RECV, i < FEW - 1);
        handle[i] = handle_of(r[i]);
    }
    assert_int_equal(request_startall(FEW, handle, NULL), MPI_ERR_REQUEST); /* the last is not persistent */
    assert_int_equal(started, 0);
    handle[1] = handle[0];
    assert_int_equal(request_startall(2, handle, NULL), MPI_ERR_REQUEST); /* the same twice */
    assert_int_equal(started, 0);
    assert_false(r[0]->active);
    handle[1] = handle_of(r[1]);
    assert_int_equal(request_startall(2, handle, NULL), MPI_SUCCESS);
    assert_int_equal(started, 2);
    for (int i = 0; i < FEW; i++) {
        request_complete(r[i], MPI_SUCCESS);
        request_unref(r[i]);
    }
}

/* Where one cannot start all are active, and a wait tells which it is. */
static void a_start_without_memory_completes(void **state)
{
    struct request *r[2] = {new_request(REQUEST_RECV, true), new_request(REQUEST_RECV, true)};
    MPI_Request handle[2] = {handle_of(r[0]), handle_of(r[1])};

    (void)state;
    refused = MPI_ERR_NO_MEM;
    assert_int_equal(request_startall(2, handle, NULL), MPI_SUCCESS);
    refused = 0;
    for (int i = 0; i < 2; i++) {
        assert_true(r[i]->active && request_is_done(r[i]));
        assert_int_equal(request_wait_handle(&handle[i], MPI_STATUS_IGNORE), MPI_ERR_NO_MEM);
        assert_false(r[i]->active);
    }
    assert_int_equal(request_startall(2, handle, NULL), MPI_SUCCESS);
    for (int i = 0; i < 2; i++) {
        request_complete(r[i], MPI_SUCCESS);
        request_unref(r[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_start_that_failed_can_be_tried_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_persistent_requests_start, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_start_forgets_the_last_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_hurries_and_waits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_returns_the_operations_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_cancelled, set_up, tear_down),
        cmocka_unit_test_setup_teardown(given_back_requests_are_taken_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_wait_for_nothing_is_over, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_test_tells_whether_it_is_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_is_the_first_that_is_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_are_done_or_none, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_tell_who_failed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(some_are_those_that_are_done, set_up, tear_down),
        cmocka_unit_test_setup_teardown(arrays_may_be_long, set_up, tear_down),
        cmocka_unit_test_setup_teardown(freed_handles_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(active_collectives_are_not_freed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(starts_are_checked_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_start_without_memory_completes, set_up, tear_down),
    };

    lock_enable(); /* for the locks to be counted */
    progress_add_poller(poll_fake);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
