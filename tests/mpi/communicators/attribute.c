/* ranks: 1 2 4 */
/* Attributes on communicators and datatypes: callbacks, their order and errors, keyvals, deprecated names. */
#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

static int rank, size;
static char trace[512];
static int extra = 77;
static int copy_result, delete_result;

static void traced(const char *what, void *value)
{
    size_t used = strlen(trace);

    snprintf(trace + used, sizeof trace - used, "%s%d ", what, *(int *)value);
}

static int on_copy(MPI_Comm comm, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    int n;

    CHECK(keyval != MPI_KEYVAL_INVALID);
    CHECK(extra_state == &extra);
    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS); /* callbacks may call MPI */
    traced("copy", in);
    *(void **)out = in;
    *flag = 1;
    return copy_result;
}

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    int n;

    CHECK(keyval != MPI_KEYVAL_INVALID);
    CHECK(extra_state == &extra);
    CHECK_EQ(MPI_Comm_size(comm, &n), MPI_SUCCESS);
    traced("delete", value);
    return delete_result;
}

static int *get(MPI_Comm comm, int keyval)
{
    int *value = NULL, flag;

    CHECK_EQ(MPI_Comm_get_attr(comm, keyval, &value, &flag), MPI_SUCCESS);
    return flag ? value : NULL;
}

static void callbacks_run_in_order(void)
{
    int keyval[3], value[3] = {0, 1, 2};
    MPI_Comm parent, dup;

    trace[0] = '\0';
    MPI_Comm_dup(MPI_COMM_WORLD, &parent);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_create_keyval(on_copy, on_delete, &keyval[i], &extra), MPI_SUCCESS);
        CHECK(!get(parent, keyval[i]));
        CHECK_EQ(MPI_Comm_set_attr(parent, keyval[i], &value[i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_dup(parent, &dup), MPI_SUCCESS);
    CHECK_STR(trace, "copy0 copy1 copy2 ");
    CHECK(get(dup, keyval[1]) == &value[1]);
    CHECK_EQ(MPI_Comm_delete_attr(dup, keyval[1]), MPI_SUCCESS);
    CHECK(!get(dup, keyval[1]));
    CHECK(get(parent, keyval[1]) == &value[1]);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_STR(trace, "copy0 copy1 copy2 delete1 delete2 delete0 ");
    trace[0] = '\0';
    CHECK_EQ(MPI_Comm_set_attr(parent, keyval[0], &value[2]), MPI_SUCCESS); /* replaces */
    CHECK_STR(trace, "delete0 ");
    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    CHECK_STR(trace, "delete0 delete2 delete2 delete1 ");
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_free_keyval(&keyval[i]), MPI_SUCCESS);
        CHECK_EQ(keyval[i], MPI_KEYVAL_INVALID);
    }
}

/* A keyval that is freed while attributes use it works until the last of them is gone. */
static void freed_keyval_lives_on(void)
{
    int keyval, saved, value = 5;
    MPI_Comm comm, dup;

    trace[0] = '\0';
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(on_copy, on_delete, &keyval, &extra);
    MPI_Comm_set_attr(comm, keyval, &value);
    saved = keyval;
    CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_delete_attr(comm, saved), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    CHECK_STR(trace, "copy5 delete5 delete5 ");
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void predefined_callbacks(void)
{
    int none, same, value = 1;
    MPI_Comm comm, dup;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &none, NULL);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &same, NULL);
    MPI_Comm_set_attr(comm, none, &value);
    MPI_Comm_set_attr(comm, same, &value);
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    CHECK(!get(dup, none));
    CHECK(get(dup, same) == &value);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&none);
    MPI_Comm_free_keyval(&same);
}

/* The copy callback of one rank fails: no rank gets a communicator, none hangs, the old one works on. */
static void failed_copy_fails_the_dup_everywhere(void)
{
    int keyval, value = 3, error, class;
    MPI_Comm comm, dup = MPI_COMM_SELF;
    MPI_Request request = MPI_REQUEST_NULL;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(on_copy, on_delete, &keyval, &extra);
    MPI_Comm_set_attr(comm, keyval, &value);
    trace[0] = '\0';
    copy_result = rank == size - 1 ? MPI_ERR_OTHER : MPI_SUCCESS;
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_ERR_OTHER);
    CHECK(dup == MPI_COMM_SELF);
    CHECK_STR(trace, rank == size - 1 ? "copy3 " : "copy3 delete3 ");
    error = MPI_Comm_idup(comm, &dup, &request);
    CHECK_EQ(error, copy_result); /* the one that fails knows at once */
    if (!error)
        error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK_EQ(MPI_Error_class(error, &class), MPI_SUCCESS);
    CHECK_EQ(class, MPI_ERR_OTHER);
    CHECK(request == MPI_REQUEST_NULL);
    copy_result = MPI_SUCCESS;
    CHECK_EQ(MPI_Comm_dup(comm, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(dup), MPI_SUCCESS);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
    MPI_Comm_free_keyval(&keyval);
}

static void failed_delete_fails_the_free(void)
{
    int keyval, value = 4;
    MPI_Comm comm, before;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_create_keyval(on_copy, on_delete, &keyval, &extra);
    MPI_Comm_set_attr(comm, keyval, &value);
    delete_result = MPI_ERR_OTHER;
    before = comm;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_ERR_OTHER);
    CHECK(comm == before);
    CHECK_EQ(MPI_Comm_delete_attr(comm, keyval), MPI_ERR_OTHER);
    CHECK_EQ(MPI_Comm_set_attr(comm, keyval, &extra), MPI_ERR_OTHER);
    CHECK(get(comm, keyval) == &value);
    delete_result = MPI_SUCCESS;
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    MPI_Comm_free_keyval(&keyval);
}

static void bad_keyvals_are_refused(void)
{
    int bad[] = {MPI_KEYVAL_INVALID, -5, 12345, 1 << 30, 0}, flag, freed;
    void *value;

    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &freed, NULL);
    bad[4] = freed;
    MPI_Comm_free_keyval(&freed);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    for (int i = 0; i < 5; i++) {
        int keyval = bad[i];

        CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &extra), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_SELF, keyval, &value, &flag), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Comm_delete_attr(MPI_COMM_SELF, keyval), MPI_ERR_KEYVAL);
        CHECK_EQ(MPI_Comm_free_keyval(&keyval), MPI_ERR_KEYVAL);
        CHECK_EQ(keyval, bad[i]);
        CHECK_EQ(MPI_Type_set_attr(MPI_INT, keyval, &extra), MPI_ERR_KEYVAL);
    }
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void deprecated_names(void)
{
    int keyval, value = 6, flag, *got;
    MPI_Comm comm, dup;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    CHECK_EQ(MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &keyval, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Attr_put(comm, keyval, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_Attr_get(comm, keyval, &got, &flag), MPI_SUCCESS);
    CHECK(flag && got == &value);
    MPI_Comm_dup(comm, &dup);
    CHECK(get(dup, keyval) == &value); /* one name space */
    CHECK_EQ(MPI_Attr_delete(comm, keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Attr_get(comm, keyval, &got, &flag), MPI_SUCCESS);
    CHECK(!flag);
    CHECK_EQ(MPI_Keyval_free(&keyval), MPI_SUCCESS);
    CHECK_EQ(keyval, MPI_KEYVAL_INVALID);
    MPI_Comm_free(&dup);
    MPI_Comm_free(&comm);
}

static int type_deletes;

static int on_type_delete(MPI_Datatype type, int keyval, void *value, void *extra_state)
{
    int n;

    (void)keyval, (void)value, (void)extra_state;
    CHECK_EQ(MPI_Type_size(type, &n), MPI_SUCCESS);
    type_deletes++;
    return MPI_SUCCESS;
}

static void attributes_of_datatypes(void)
{
    int keyval, comm_keyval, value = 8, flag, *got;
    MPI_Datatype type, dup;

    CHECK_EQ(MPI_Type_create_keyval(MPI_TYPE_DUP_FN, on_type_delete, &keyval, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_contiguous(3, MPI_INT, &type), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_set_attr(type, keyval, &value), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_dup(type, &dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_get_attr(dup, keyval, &got, &flag), MPI_SUCCESS);
    CHECK(flag && got == &value);
    CHECK_EQ(MPI_Type_delete_attr(dup, keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_get_attr(dup, keyval, &got, &flag), MPI_SUCCESS);
    CHECK(!flag);
    CHECK_EQ(type_deletes, 1);
    CHECK_EQ(MPI_Type_free(&dup), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    CHECK_EQ(type_deletes, 2);
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &comm_keyval, NULL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Type_set_attr(MPI_INT, comm_keyval, &value), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value), MPI_ERR_KEYVAL);
    CHECK_EQ(MPI_Type_free_keyval(&comm_keyval), MPI_ERR_KEYVAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    CHECK_EQ(MPI_Comm_free_keyval(&comm_keyval), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free_keyval(&keyval), MPI_SUCCESS);
}

static int refuse_copy(MPI_Datatype type, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)type, (void)keyval, (void)extra_state, (void)in, (void)out;
    *flag = 0;
    return MPI_ERR_OTHER;
}

/* What was copied before is deleted again. */
static void failed_copy_fails_the_dup_of_a_datatype(void)
{
    int good, bad, value = 9, before = type_deletes;
    MPI_Datatype type, dup = MPI_DATATYPE_NULL;

    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, on_type_delete, &good, NULL);
    MPI_Type_create_keyval(refuse_copy, MPI_TYPE_NULL_DELETE_FN, &bad, NULL);
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, good, &value);
    MPI_Type_set_attr(type, bad, &value);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Type_dup(type, &dup), MPI_ERR_OTHER);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    CHECK(dup == MPI_DATATYPE_NULL);
    CHECK_EQ(type_deletes, before + 1);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    CHECK_EQ(type_deletes, before + 2);
    MPI_Type_free_keyval(&bad);
    MPI_Type_free_keyval(&good);
}

static int at_finalize;

static int on_finalize(MPI_Comm comm, int keyval, void *value, void *extra_state)
{
    int flag = 1;

    (void)comm, (void)keyval, (void)extra_state;
    MPI_Finalized(&flag);
    CHECK(!flag);
    CHECK_EQ(*(int *)value, 2 - at_finalize); /* last set, first deleted */
    at_finalize++;
    return MPI_SUCCESS;
}

/* Keys of windows, which no other object takes. */
static void windows_have_keys_of_their_own(void)
{
    int keyval = MPI_KEYVAL_INVALID, kept;

    CHECK_EQ(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval, NULL), MPI_SUCCESS);
    CHECK(keyval != MPI_KEYVAL_INVALID);
    kept = keyval;
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(class_of(MPI_Comm_free_keyval(&keyval)), MPI_ERR_KEYVAL);
    CHECK_EQ(class_of(MPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL)), MPI_ERR_KEYVAL);
    CHECK_EQ(keyval, kept);
    CHECK_EQ(MPI_Win_free_keyval(&keyval), MPI_SUCCESS);
    CHECK_EQ(keyval, MPI_KEYVAL_INVALID);
    CHECK_EQ(class_of(MPI_Win_free_keyval(&kept)), MPI_ERR_KEYVAL);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
    static int value[3] = {0, 1, 2};
    int keyval;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    callbacks_run_in_order();
    freed_keyval_lives_on();
    predefined_callbacks();
    failed_copy_fails_the_dup_everywhere();
    failed_delete_fails_the_free();
    bad_keyvals_are_refused();
    windows_have_keys_of_their_own();
    deprecated_names();
    attributes_of_datatypes();
    failed_copy_fails_the_dup_of_a_datatype();
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_finalize, &keyval, NULL);
        MPI_Comm_set_attr(MPI_COMM_SELF, keyval, &value[i]);
        MPI_Comm_free_keyval(&keyval);
    }
    MPI_Finalize();
    return at_finalize == 3 ? 0 : 1;
}
