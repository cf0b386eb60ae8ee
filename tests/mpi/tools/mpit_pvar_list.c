/* ranks: 1 */
/* Performance variables as a list, and the errors of sessions and handles. */
#include "mpit.h"

static int is_counted(int var_class)
{
    return var_class == MPI_T_PVAR_CLASS_COUNTER || var_class == MPI_T_PVAR_CLASS_AGGREGATE ||
           var_class == MPI_T_PVAR_CLASS_TIMER || var_class == MPI_T_PVAR_CLASS_HIGHWATERMARK ||
           var_class == MPI_T_PVAR_CLASS_LOWWATERMARK;
}

static MPI_Datatype type_of_class(int var_class)
{
    if (var_class == MPI_T_PVAR_CLASS_STATE)
        return MPI_INT;
    return var_class == MPI_T_PVAR_CLASS_PERCENTAGE ? MPI_DOUBLE : MPI_UNSIGNED_LONG_LONG;
}

static void check_list(void)
{
    int count = 0, seen = 0;

    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        char name[64] = "", text[256] = "";
        int length = sizeof name, text_length = sizeof text, verbosity, var_class, bind, readonly, continuous,
            atomic, back = -1;
        MPI_Datatype type;
        MPI_T_enum items;

        CHECK_EQ(MPI_T_pvar_get_info(i, name, &length, &verbosity, &var_class, &type, &items, text,
                                     &text_length, &bind, &readonly, &continuous, &atomic),
                 MPI_SUCCESS);
        CHECK(*name && *text && text_length <= (int)sizeof text);
        CHECK_EQ(MPI_T_pvar_get_index(name, var_class, &back), MPI_SUCCESS);
        CHECK_EQ(back, i);
        CHECK(type == type_of_class(var_class));
        CHECK_EQ(items != MPI_T_ENUM_NULL, var_class == MPI_T_PVAR_CLASS_STATE);
        CHECK(bind == MPI_T_BIND_NO_OBJECT || bind == MPI_T_BIND_MPI_COMM);
        CHECK_EQ(readonly, !is_counted(var_class));
        CHECK_EQ(continuous, !is_counted(var_class));
        CHECK_EQ(atomic, is_counted(var_class));
        seen |= 1 << var_class;
    }
    for (int c = MPI_T_PVAR_CLASS_STATE; c <= MPI_T_PVAR_CLASS_TIMER; c++)
        CHECK(seen >> c & 1);
    CHECK_EQ(
        MPI_T_pvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_pvar_get_info(0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_get_index("inkling_sleeps", MPI_T_PVAR_CLASS_LEVEL, &count), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_pvar_get_index("no such", MPI_T_PVAR_CLASS_LEVEL, &count), MPI_T_ERR_INVALID_NAME);
    CHECK_EQ(MPI_T_pvar_get_index(NULL, MPI_T_PVAR_CLASS_LEVEL, &count), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_get_num(NULL), MPI_T_ERR_INVALID);
}

static void check_sessions(void)
{
    MPI_T_pvar_session session, none = MPI_T_PVAR_SESSION_NULL, dead;
    MPI_T_pvar_handle handle;
    int count, index = mpit_pvar("inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER);

    CHECK_EQ(MPI_T_pvar_session_create(NULL), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&none), MPI_T_ERR_INVALID_SESSION);
    CHECK_EQ(MPI_T_pvar_handle_alloc(none, index, NULL, &handle, &count), MPI_T_ERR_INVALID_SESSION);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, -1, NULL, &handle, &count), MPI_T_ERR_INVALID_INDEX);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, NULL, NULL, &count), MPI_T_ERR_INVALID);
    CHECK_EQ(MPI_T_pvar_start(none, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_INVALID_SESSION);
    dead = session;
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_free(&dead), MPI_T_ERR_INVALID_SESSION);
}

static void check_read_only(MPI_T_pvar_session session)
{
    MPI_T_pvar_handle level =
        mpit_start(session, "inkling_posted_receives", MPI_T_PVAR_CLASS_LEVEL, MPI_COMM_NULL);
    unsigned long long value = 5;

    CHECK_EQ(MPI_T_pvar_start(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_EQ(MPI_T_pvar_stop(session, level), MPI_T_ERR_PVAR_NO_STARTSTOP);
    CHECK_EQ(MPI_T_pvar_write(session, level, &value), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_EQ(MPI_T_pvar_reset(session, level), MPI_T_ERR_PVAR_NO_WRITE);
    CHECK_EQ(MPI_T_pvar_readreset(session, level, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
    CHECK_EQ(mpit_read(session, level), 0);
}

/* What fails for one handle, whose communicator is gone, is done to all others, the first and the last. */
static void check_all_but_one(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle handle[3];
    unsigned long long value[3] = {7, 8, 9};
    MPI_Comm comm;

    MPI_T_pvar_session_create(&session);
    for (int gone = 0; gone < 3; gone++) {
        MPI_Comm_dup(MPI_COMM_SELF, &comm);
        for (int i = 0; i < 3; i++) {
            handle[i] = mpit_start(session, "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER,
                                   i == gone ? comm : MPI_COMM_SELF);
            CHECK_EQ(MPI_T_pvar_write(session, handle[i], &value[i]), MPI_SUCCESS);
            CHECK_EQ(MPI_T_pvar_stop(session, handle[i]), MPI_SUCCESS);
        }
        MPI_Comm_free(&comm);
        CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_STARTSTOP);
        MPI_Barrier(MPI_COMM_SELF);
        CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
        MPI_Barrier(MPI_COMM_SELF);
        for (int i = 0; i < 3; i++)
            if (i != gone)
                CHECK_EQ(mpit_read(session, handle[i]), value[i] + 1);
        CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_T_ERR_PVAR_NO_WRITE);
        for (int i = 0; i < 3; i++) {
            if (i != gone)
                CHECK_EQ(mpit_read(session, handle[i]), 0);
            CHECK_EQ(MPI_T_pvar_handle_free(session, &handle[i]), MPI_SUCCESS);
        }
    }
    MPI_T_pvar_session_free(&session);
}

static void check_handles(void)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle one, two, state, dead;
    MPI_Comm comm;
    unsigned long long value = 42;
    int count, number = -1, index = mpit_pvar("inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER);

    MPI_T_pvar_session_create(&session);
    check_read_only(session);
    one = mpit_start(session, "inkling_sleeps", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    two = mpit_start(session, "inkling_puts", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_NULL);
    MPI_T_pvar_write(session, one, &value);
    MPI_T_pvar_write(session, two, &value);
    CHECK_EQ(MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(mpit_read(session, two), 42);
    CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    CHECK_EQ(mpit_read(session, two), 0);
    CHECK_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_write(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_readreset(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_read(session, one, NULL), MPI_T_ERR_INVALID);
    dead = one;
    CHECK_EQ(MPI_T_pvar_handle_free(session, &one), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_free(session, &dead), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, NULL, &one, &count), MPI_T_ERR_INVALID_HANDLE);
    comm = MPI_COMM_NULL;
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, &comm, &one, &count), MPI_T_ERR_INVALID_HANDLE);
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    one = mpit_start(session, "inkling_comm_collectives", MPI_T_PVAR_CLASS_COUNTER, comm);
    MPI_Barrier(comm);
    CHECK_EQ(mpit_read(session, one), 1);
    MPI_Comm_free(&comm);
    CHECK_EQ(MPI_T_pvar_read(session, one, &value), MPI_T_ERR_INVALID_HANDLE);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, mpit_pvar("inkling_crowd", MPI_T_PVAR_CLASS_STATE), NULL,
                                     &state, &count),
             MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_read(session, state, &number), MPI_SUCCESS);
    CHECK(number == 0 || number == 1);
    /* the last MPI_T_finalize ends all of them */
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_read(session, two, &value), MPI_T_ERR_INVALID_SESSION);
}

int main(int argc, char **argv)
{
    mpit_open();
    check_list();
    check_sessions();
    MPI_Init(&argc, &argv);
    check_handles();
    check_all_but_one();
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
