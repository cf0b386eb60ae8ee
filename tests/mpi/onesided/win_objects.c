/* ranks: 1 2 4 */
/* What a window is besides its memory: predefined attributes, keyvals and their callbacks, its name, its
 * group, its error handler. */
#include "win.h"

static char trace[256];
static int extra = 77, delete_result;

static MPI_Win make(enum way way, MPI_Aint bytes, int unit, void *base)
{
    MPI_Win win = MPI_WIN_NULL;

    if (way == CREATED)
        OK(MPI_Win_create(*(void **)base, bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    else if (way == ALLOCATED)
        OK(MPI_Win_allocate(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, base, &win));
    else if (way == SHARED)
        OK(MPI_Win_allocate_shared(bytes, unit, MPI_INFO_NULL, MPI_COMM_WORLD, base, &win));
    else
        OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    return win;
}

static void *attribute(MPI_Win win, int keyval)
{
    void *value = NULL;
    int flag = 0;

    OK(MPI_Win_get_attr(win, keyval, &value, &flag));
    CHECK_EQ(flag, 1);
    return value;
}

static void predefined_attributes(enum way way, int flavor)
{
    char memory[256];
    void *base = memory;
    MPI_Aint bytes = 128 + 16 * rank;
    MPI_Win win = make(way, bytes, rank + 3, &base);
    int model;

    CHECK(attribute(win, MPI_WIN_BASE) == (way == DYNAMIC ? MPI_BOTTOM : base));
    CHECK_EQ(*(MPI_Aint *)attribute(win, MPI_WIN_SIZE), way == DYNAMIC ? 0 : bytes);
    CHECK_EQ(*(int *)attribute(win, MPI_WIN_DISP_UNIT), way == DYNAMIC ? 1 : rank + 3);
    CHECK_EQ(*(int *)attribute(win, MPI_WIN_CREATE_FLAVOR), flavor);
    model = *(int *)attribute(win, MPI_WIN_MODEL);
    CHECK(model == MPI_WIN_UNIFIED || model == MPI_WIN_SEPARATE);
#if MPI_VERSION >= 5
    CHECK_EQ(model, MPI_WIN_UNIFIED);
#endif
    OK(MPI_Win_free(&win));
}

/* A window without memory still says so. */
static void empty_window_has_attributes(void)
{
    MPI_Win win;

    OK(MPI_Win_create(NULL, 0, 16, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK(attribute(win, MPI_WIN_BASE) == NULL);
    CHECK_EQ(*(MPI_Aint *)attribute(win, MPI_WIN_SIZE), 0);
    CHECK_EQ(*(int *)attribute(win, MPI_WIN_DISP_UNIT), 16);
    OK(MPI_Win_free(&win));
}

static int on_copy(MPI_Win win, int keyval, void *extra_state, void *in, void *out, int *flag)
{
    (void)win, (void)keyval, (void)extra_state, (void)in, (void)out, (void)flag;
    CHECK(!"windows are never copied");
    return MPI_SUCCESS;
}

static int on_delete(MPI_Win win, int keyval, void *value, void *extra_state)
{
    size_t used = strlen(trace);
    MPI_Group group;

    CHECK(keyval != MPI_KEYVAL_INVALID && extra_state == &extra);
    OK(MPI_Win_get_group(win, &group)); /* callbacks may call MPI */
    OK(MPI_Group_free(&group));
    snprintf(trace + used, sizeof trace - used, "%d ", *(int *)value);
    return delete_result;
}

static void keyvals(void)
{
    int keyval[3], value[4] = {0, 1, 2, 3}, memory, *got = NULL, flag = -1, saved;
    MPI_Win win, other;

    OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &other));
    for (int i = 0; i < 3; i++) {
        OK(MPI_Win_create_keyval(on_copy, on_delete, &keyval[i], &extra));
        OK(MPI_Win_get_attr(win, keyval[i], &got, &flag));
        CHECK_EQ(flag, 0);
        OK(MPI_Win_set_attr(win, keyval[i], &value[i]));
        CHECK(attribute(win, keyval[i]) == &value[i]);
        OK(MPI_Win_get_attr(other, keyval[i], &got, &flag));
        CHECK_EQ(flag, 0);
    }
    OK(MPI_Win_set_attr(win, keyval[1], &value[3])); /* replaces */
    CHECK_STR(trace, "1 ");
    OK(MPI_Win_delete_attr(win, keyval[0]));
    CHECK_STR(trace, "1 0 ");
    OK(MPI_Win_get_attr(win, keyval[0], &got, &flag));
    CHECK_EQ(flag, 0);
    saved = keyval[2];
    OK(MPI_Win_free_keyval(&keyval[2])); /* it lives on while it is used */
    CHECK_EQ(keyval[2], MPI_KEYVAL_INVALID);
    CHECK(attribute(win, saved) == &value[2]);
    OK(MPI_Win_free(&win));
    CHECK(strcmp(trace, "1 0 2 3 ") == 0 || strcmp(trace, "1 0 3 2 ") == 0);
    OK(MPI_Win_free_keyval(&keyval[0]));
    OK(MPI_Win_free_keyval(&keyval[1]));
    OK(MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &keyval[0], NULL));
    OK(MPI_Win_create_keyval(MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN, &keyval[1], NULL));
    OK(MPI_Win_set_attr(other, keyval[0], &value[0]));
    OK(MPI_Win_set_attr(other, keyval[1], &value[1]));
    CHECK(attribute(other, keyval[0]) == &value[0]);
    OK(MPI_Win_free_keyval(&keyval[0]));
    OK(MPI_Win_free_keyval(&keyval[1]));
    OK(MPI_Win_free(&other));
}

/* MPI-5.0, 7.8: a window has no name at first; MPI_WIN_NULL has one. */
static void names(void)
{
    char name[MPI_MAX_OBJECT_NAME] = "before", longest[2 * MPI_MAX_OBJECT_NAME];
    int length = -1;
    MPI_Win win;

    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQ(length, (int)strlen(name));
#if MPI_VERSION >= 5
    CHECK_STR(name, "");
#endif
    OK(MPI_Win_set_name(win, "the window"));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_STR(name, "the window");
    CHECK_EQ(length, 10);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    OK(MPI_Win_set_name(win, longest));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_EQ(length, MPI_MAX_OBJECT_NAME - 1);
    CHECK_EQ((int)strlen(name), MPI_MAX_OBJECT_NAME - 1);
    OK(MPI_Win_set_name(win, ""));
    OK(MPI_Win_get_name(win, name, &length));
    CHECK_STR(name, "");
    CHECK_EQ(length, 0);
    OK(MPI_Win_free(&win));
#if MPI_VERSION >= 5
    OK(MPI_Win_get_name(MPI_WIN_NULL, name, &length));
    CHECK_STR(name, "MPI_WIN_NULL");
#endif
}

/* A duplicate of the communicator's group, in its order. */
static void group(void)
{
    MPI_Group group, world;
    MPI_Comm back;
    MPI_Win win;
    int same, mine;

    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &back));
    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, back, &win));
    OK(MPI_Comm_group(back, &world));
    OK(MPI_Comm_free(&back));
    OK(MPI_Win_get_group(win, &group));
    OK(MPI_Win_free(&win));
    OK(MPI_Group_compare(group, world, &same));
    CHECK_EQ(same, MPI_IDENT);
    OK(MPI_Group_rank(group, &mine));
    CHECK_EQ(mine, size - 1 - rank);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&world));
}

static int calls, last_code;
static MPI_Win last_win;

static void on_error(MPI_Win *win, int *code, ...)
{
    calls++;
    last_code = *code;
    last_win = *win;
}

static void on_comm_error(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    calls += 100;
    last_code = *code;
}

/* MPI-5.0, 12.6.1: a window has MPI_ERRORS_ARE_FATAL at first, whatever its communicator has. Its errors are
 * its own handler's; those of making one are the communicator's. */
static void error_handlers(void)
{
    MPI_Errhandler own, of_comm, got;
    MPI_Comm comm;
    MPI_Win win, other, none = MPI_WIN_NULL;
    int memory = 0, x = 1;

    OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    OK(MPI_Comm_create_errhandler(on_comm_error, &of_comm));
    OK(MPI_Comm_set_errhandler(comm, of_comm));
    OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &win));
    OK(MPI_Win_create(&memory, sizeof memory, 1, MPI_INFO_NULL, comm, &other));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == MPI_ERRORS_ARE_FATAL);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Win_create_errhandler(on_error, &own));
    OK(MPI_Win_set_errhandler(win, own));
    OK(MPI_Win_get_errhandler(win, &got));
    CHECK(got == own);
    OK(MPI_Errhandler_free(&got));
    OK(MPI_Errhandler_free(&own));
    calls = 0;
    CHECK_EQ(class_of(MPI_Put(&x, 1, MPI_INT, size, 0, 1, MPI_INT, win)), MPI_ERR_RANK);
    CHECK_EQ(calls, 1);
    CHECK_EQ(class_of(last_code), MPI_ERR_RANK);
    CHECK(last_win == win);
    OK(MPI_Win_call_errhandler(win, MPI_ERR_OTHER));
    CHECK_EQ(calls, 2);
    CHECK_EQ(last_code, MPI_ERR_OTHER);
    OK(MPI_Win_set_errhandler(other, MPI_ERRORS_RETURN));
    OK(MPI_Win_call_errhandler(other, MPI_ERR_OTHER));
    CHECK_EQ(class_of(MPI_Put(&x, 1, MPI_INT, -17, 0, 1, MPI_INT, other)), MPI_ERR_RANK);
    CHECK_EQ(calls, 2);
    CHECK_EQ(class_of(MPI_Win_create(&memory, -8, 1, MPI_INFO_NULL, comm, &none)), MPI_ERR_SIZE);
    CHECK_EQ(calls, 102);
    CHECK_EQ(class_of(last_code), MPI_ERR_SIZE);
    CHECK_EQ(none, MPI_WIN_NULL);
    OK(MPI_Win_free(&win));
    OK(MPI_Win_free(&other));
    OK(MPI_Errhandler_free(&of_comm));
    OK(MPI_Comm_free(&comm));
}

/* Its handle as an integer, for Fortran, and back. */
static void integers(void)
{
    MPI_Win win;

    OK(MPI_Win_create(NULL, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win));
    CHECK(MPI_Win_f2c(MPI_Win_c2f(win)) == win);
    CHECK(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)) == MPI_WIN_NULL);
    OK(MPI_Win_free(&win));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    predefined_attributes(CREATED, MPI_WIN_FLAVOR_CREATE);
    predefined_attributes(ALLOCATED, MPI_WIN_FLAVOR_ALLOCATE);
    predefined_attributes(SHARED, MPI_WIN_FLAVOR_SHARED);
    predefined_attributes(DYNAMIC, MPI_WIN_FLAVOR_DYNAMIC);
    empty_window_has_attributes();
    keyvals();
    names();
    group();
    error_handlers();
    integers();
    MPI_Finalize();
    return 0;
}
