/* ranks: 1 2 */
/* Errors about sessions go to the session's handler, those about its groups as well; a handle that is gone is
 * found out. */
#include "session.h"

static int calls, last_code;
static MPI_Session last_session;

static void count_call(MPI_Session *session, int *code, ...)
{
    calls++;
    last_code = *code;
    last_session = *session;
}

static void handler_is_called(void)
{
    MPI_Errhandler handler, now;
    MPI_Session session = MPI_SESSION_NULL;
    MPI_Group group, bad;
    int length = 8;
    char name[8];

    CHECK_EQ(MPI_Session_create_errhandler(count_call, &handler), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, handler, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_errhandler(session, &now), MPI_SUCCESS);
    CHECK(now == handler);
    CHECK_EQ(MPI_Errhandler_free(&now), MPI_SUCCESS);

    CHECK_EQ(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 99, &length, name)), MPI_ERR_ARG);
    CHECK_EQ(calls, 1);
    CHECK_EQ(class_of(last_code), MPI_ERR_ARG);
    CHECK(last_session == session);
    CHECK_EQ(class_of(MPI_Session_get_pset_info(session, "mpi://NOWHERE", &(MPI_Info){0})), MPI_ERR_ARG);
    CHECK_EQ(calls, 2);

    group = group_of(session, "mpi://WORLD");
    CHECK_EQ(class_of(MPI_Group_incl(group, 1, (int[]){-1}, &bad)), MPI_ERR_RANK);
    CHECK_EQ(calls, 3); /* the group remembers where it came from */
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);

    CHECK_EQ(MPI_Session_call_errhandler(session, MPI_ERR_OTHER), MPI_SUCCESS);
    CHECK_EQ(calls, 4);
    CHECK_EQ(last_code, MPI_ERR_OTHER);

    CHECK_EQ(MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, -1, &length, name)), MPI_ERR_ARG);
    CHECK_EQ(calls, 4);
    close_session(&session);
}

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    (void)comm;
    (void)code;
}

static void bad_arguments(void)
{
    MPI_Session session = open_session();
    MPI_Group group = group_of(session, "mpi://SELF");
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Errhandler wrong;
    char tag[MPI_MAX_STRINGTAG_LEN + 1];

    memset(tag, 't', sizeof tag);
    tag[MPI_MAX_STRINGTAG_LEN] = '\0';
    CHECK_EQ(class_of(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm)),
             MPI_ERR_ARG);
    tag[MPI_MAX_STRINGTAG_LEN - 1] = '\0';
    CHECK_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_errhandler(on_comm, &wrong), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Session_set_errhandler(session, wrong)), MPI_ERR_ERRHANDLER);
    CHECK_EQ(MPI_Errhandler_free(&wrong), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Session_get_errhandler(session, NULL)), MPI_ERR_ARG);
    close_session(&session);
}

/* Errors that concern no object go to MPI_COMM_SELF, where the World Model is open. */
static void dead_handles(void)
{
    MPI_Session session = open_session(), gone = session, none = MPI_SESSION_NULL;
    MPI_Errhandler wrong;
    int count;

    CHECK_EQ(MPI_Init(NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    close_session(&session);
    CHECK_EQ(class_of(MPI_Session_get_num_psets(gone, MPI_INFO_NULL, &count)), MPI_ERR_SESSION);
    CHECK_EQ(class_of(MPI_Session_finalize(&gone)), MPI_ERR_SESSION);
    CHECK_EQ(class_of(MPI_Session_finalize(&session)), MPI_ERR_SESSION);
    CHECK_EQ(MPI_Comm_create_errhandler(on_comm, &wrong), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Session_init(MPI_INFO_NULL, wrong, &none)), MPI_ERR_ERRHANDLER);
    CHECK(none == MPI_SESSION_NULL);
    CHECK_EQ(MPI_Errhandler_free(&wrong), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
}

int main(void)
{
    handler_is_called();
    bad_arguments();
    dead_handles();
    return 0;
}
