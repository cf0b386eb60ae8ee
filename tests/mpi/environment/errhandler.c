/* ranks: 1 2 */
/* Error handlers: creating, attaching, reading back, freeing, calling; and which one an error reaches. */
#include "check.h"

static int calls, last_code;
static MPI_Comm last_comm;

static void on_error(MPI_Comm *comm, int *code, ...)
{
    calls++;
    last_code = *code;
    last_comm = *comm;
}

static MPI_Errhandler other;

static void replaces_itself(MPI_Comm *comm, int *code, ...)
{
    (void)code;
    MPI_Comm_set_errhandler(*comm, other);
    calls += 100;
}

static void on_win(MPI_Win *win, int *code, ...)
{
    (void)win, (void)code;
}

static void on_file(MPI_File *file, int *code, ...)
{
    (void)file, (void)code;
}

static void on_session(MPI_Session *session, int *code, ...)
{
    (void)session, (void)code;
}

static void handler_gets_communicator_and_code(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    CHECK_EQ(MPI_Comm_create_errhandler(on_error, &handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRHANDLER_NULL);
    calls = 0;
    CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, 4711, 0, comm), MPI_ERR_RANK); /* it works on although freed */
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_code, MPI_ERR_RANK);
    CHECK(last_comm == comm);
    CHECK_EQ(MPI_Comm_call_errhandler(comm, MPI_ERR_TAG), MPI_SUCCESS);
    CHECK_EQ(calls, 2);
    CHECK_EQ(last_code, MPI_ERR_TAG);
    MPI_Comm_free(&comm);
}

static void reading_back_is_a_reference(void)
{
    MPI_Errhandler handler, again, stale;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    CHECK_EQ(MPI_Comm_get_errhandler(comm, &again), MPI_SUCCESS);
    CHECK(again == handler);
    stale = handler;
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, again), MPI_SUCCESS); /* still alive */
    CHECK_EQ(MPI_Errhandler_free(&again), MPI_SUCCESS);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Errhandler_free(&stale), MPI_ERR_ERRHANDLER);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    calls = 0;
    CHECK_EQ(MPI_Comm_call_errhandler(comm, MPI_ERR_ARG), MPI_SUCCESS);
    CHECK_EQ(calls, 1);
    MPI_Comm_free(&comm);
}

static void predefined_handlers_can_be_freed(void)
{
    MPI_Errhandler handler;

    CHECK_EQ(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRHANDLER_NULL);
    CHECK_EQ(MPI_Comm_get_errhandler(MPI_COMM_WORLD, &handler), MPI_SUCCESS);
    CHECK(handler == MPI_ERRORS_ARE_FATAL);
    CHECK_EQ(MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_SUCCESS), MPI_SUCCESS);
}

static void wrong_kind_is_refused(void)
{
    MPI_Errhandler handler[3], now;

    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_create_errhandler(on_win, &handler[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_File_create_errhandler(on_file, &handler[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_create_errhandler(on_session, &handler[2]), MPI_SUCCESS);
    for (int i = 0; i < 3; i++) {
        CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, handler[i]), MPI_ERR_ERRHANDLER);
        CHECK_EQ(MPI_Errhandler_free(&handler[i]), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRHANDLER_NULL), MPI_ERR_ERRHANDLER);
    MPI_Comm_get_errhandler(MPI_COMM_SELF, &now);
    CHECK(now == MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

static void many_handlers_at_once(void)
{
    MPI_Errhandler handler[64];
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int i = 0; i < 64; i++)
        CHECK_EQ(MPI_Comm_create_errhandler(on_error, &handler[i]), MPI_SUCCESS);
    calls = 0;
    for (int i = 0; i < 64; i++) {
        MPI_Comm_set_errhandler(comm, handler[i]);
        MPI_Comm_call_errhandler(comm, MPI_ERR_ARG);
        CHECK_EQ(MPI_Errhandler_free(&handler[i]), MPI_SUCCESS);
    }
    CHECK_EQ(calls, 64);
    MPI_Comm_free(&comm);
}

static void handler_may_be_replaced_inside_itself(void)
{
    MPI_Errhandler handler;
    MPI_Comm comm;

    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_errhandler(on_error, &other);
    MPI_Comm_create_errhandler(replaces_itself, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    calls = 0;
    MPI_Comm_call_errhandler(comm, MPI_ERR_ARG);
    CHECK_EQ(calls, 100);
    MPI_Comm_call_errhandler(comm, MPI_ERR_ARG);
    CHECK_EQ(calls, 101);
    MPI_Errhandler_free(&other);
    MPI_Comm_free(&comm);
}

/* What refers to no communicator goes to MPI_COMM_SELF's handler. */
static void errors_without_an_object_go_to_self(void)
{
    MPI_Errhandler handler;
    MPI_Datatype type;

    MPI_Comm_create_errhandler(on_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    calls = 0;
    CHECK_EQ(MPI_Type_contiguous(-1, MPI_INT, &type), MPI_ERR_COUNT);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_NULL, &last_comm), MPI_ERR_COMM);
    CHECK_EQ(calls, 2);
    CHECK(last_comm == MPI_COMM_SELF);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    handler_gets_communicator_and_code();
    reading_back_is_a_reference();
    predefined_handlers_can_be_freed();
    wrong_kind_is_refused();
    many_handlers_at_once();
    handler_may_be_replaced_inside_itself();
    errors_without_an_object_go_to_self();
    MPI_Finalize();
    return 0;
}
