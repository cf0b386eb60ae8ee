/* nulls: the right arguments of every procedure, and main, for the program that nulls.py writes. */
#ifndef TESTS_NULLS_H
#define TESTS_NULLS_H

#define MPI_INKLING_ALLOW_DEPRECATED
#include "check.h"

#include <setjmp.h>
#include <signal.h>
#include <unistd.h>

enum {
    ANY = -1
};

/* What must come of NULL as one parameter. */
struct null_of {
    int number;
    const char *name;
    int class;
};

struct case_of_null {
    const char *name;
    int (*call)(int null);
    struct null_of nulls[16];
};

static MPI_Comm comm, grid, graph, distributed;
static MPI_Request grequest, psend, precv;
static MPI_Datatype vector;
static MPI_Group group;
static MPI_Info info, infos[64];
static MPI_Session session;
static MPI_Win win, dynamic;
static int comm_key, type_key, win_key;
static MPI_File file;

static MPI_Comm a_comm;
static MPI_Group a_group;
static MPI_Datatype a_type;
static MPI_Op a_op;
static MPI_Errhandler a_errhandler;
static MPI_Info a_info;
static MPI_Request a_request;
static MPI_Message a_message;
static MPI_Session a_session;
static MPI_Win a_win;
static MPI_File a_file;
static MPI_T_enum a_MPI_T_enum;
static MPI_T_cvar_handle a_MPI_T_cvar_handle;
static MPI_T_pvar_handle a_MPI_T_pvar_handle;
static MPI_T_pvar_session a_MPI_T_pvar_session;
static MPI_T_event_registration a_MPI_T_event_registration;
static MPI_T_event_instance a_MPI_T_event_instance;
static MPI_T_cb_safety a_MPI_T_cb_safety;
static MPI_T_source_order a_MPI_T_source_order;

static void nothing(void)
{
}

static int zeros[64], ints[64], ranges[4][3];
static MPI_Aint aints[64];
static MPI_Count counts[64];
static MPI_Datatype types[64];
static MPI_Request requests[64];
static MPI_Status statuses[64];
static char text[MPI_MAX_LIBRARY_VERSION_STRING], *texts[2] = {text}, **lists[2] = {texts}, memory[4096];

static const char *const path = "nulls.file";
static sigjmp_buf before_call;
static int failures;

extern const struct case_of_null cases[];

static void set_arguments(void)
{
    for (int i = 0; i < 64; i++) {
        ints[i] = 1;
        aints[i] = 0, counts[i] = 1;
        types[i] = MPI_INT;
        requests[i] = MPI_REQUEST_NULL;
        infos[i] = MPI_INFO_NULL;
    }
    for (int i = 0; i < 4; i++)
        ranges[i][0] = ranges[i][1] = 0, ranges[i][2] = 1;
    strcpy(text, "text");
    a_comm = MPI_COMM_NULL;
    a_group = MPI_GROUP_NULL;
    a_type = MPI_INT;
    a_op = MPI_OP_NULL;
    a_errhandler = MPI_ERRHANDLER_NULL;
    a_info = MPI_INFO_NULL;
    a_request = MPI_REQUEST_NULL;
    a_message = MPI_MESSAGE_NO_PROC;
    a_session = MPI_SESSION_NULL;
    a_win = MPI_WIN_NULL;
    a_file = MPI_FILE_NULL;
    MPI_T_event_handle_free(a_MPI_T_event_registration, NULL, NULL);
    MPI_T_event_handle_alloc(0, &comm, MPI_INFO_NULL, &a_MPI_T_event_registration);
}

static int query(void *extra, MPI_Status *status)
{
    (void)extra;
    MPI_Status_set_elements(status, MPI_BYTE, 0);
    MPI_Status_set_cancelled(status, 0);
    return MPI_SUCCESS;
}

static int release(void *extra)
{
    (void)extra;
    return MPI_SUCCESS;
}

static int cancel(void *extra, int complete)
{
    (void)extra, (void)complete;
    return MPI_SUCCESS;
}

static void open_requests(void)
{
    CHECK_EQ(MPI_Grequest_start(query, release, cancel, NULL, &grequest), MPI_SUCCESS);
    CHECK_EQ(MPI_Psend_init(memory, 2, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &psend), MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(memory, 2, 1, MPI_INT, 0, 0, comm, MPI_INFO_NULL, &precv), MPI_SUCCESS);
}

static void open_tool(void)
{
    int count;

    CHECK_EQ(MPI_T_cvar_handle_alloc(0, &comm, &a_MPI_T_cvar_handle, &count), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&a_MPI_T_pvar_session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(a_MPI_T_pvar_session, 0, &comm, &a_MPI_T_pvar_handle, &count),
             MPI_SUCCESS);
}

static void open_objects(void)
{
    int one = 1, zero = 0;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Cart_create(MPI_COMM_SELF, 1, &one, &one, 0, &grid), MPI_SUCCESS);
    CHECK_EQ(MPI_Graph_create(MPI_COMM_SELF, 1, &one, &zero, 0, &graph), MPI_SUCCESS);
    CHECK_EQ(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &zero, &one, 1, &zero, &one, MPI_INFO_NULL, 0,
                                            &distributed),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(MPI_COMM_SELF, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win), MPI_SUCCESS);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Win_fence(0, win), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &dynamic), MPI_SUCCESS);
    MPI_Win_set_errhandler(dynamic, MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Type_create_hvector(2, 1, 8, MPI_INT, &vector), MPI_SUCCESS);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &comm_key, NULL);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
    MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, &win_key, NULL);
    open_requests();
    open_tool();
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file),
             MPI_SUCCESS);
}

static void on_crash(int signal)
{
    siglongjmp(before_call, signal);
}

static void call_with(const struct case_of_null *c, const struct null_of *n)
{
    int signal = sigsetjmp(before_call, 1), code = 0, class;

    if (signal) {
        fprintf(stderr, "%s: signal %d, where %s is NULL\n", c->name, signal, n->name);
        failures++;
        return;
    }
    set_arguments();
    class = code = c->call(n->number);
    if (code >= 0 && code < MPI_T_ERR_INVALID)
        MPI_Error_class(code, &class);
    if (n->class == ANY || n->class == class)
        return;
    MPI_Error_string(code, text, &code);
    fprintf(stderr, "%s: error class %d instead of %d, where %s is NULL: %s\n", c->name, class, n->class,
            n->name, text);
    failures++;
}

/* These are in mpi.h. */
static void convert_statuses(void)
{
    MPI_Fint f[MPI_F_STATUS_SIZE] = {0};
    MPI_F08_status f08 = {0};
    MPI_Status c = {0};

    CHECK(MPI_Status_c2f(NULL, f) == MPI_ERR_ARG && MPI_Status_c2f(&c, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_f2c(NULL, &c) == MPI_ERR_ARG && MPI_Status_f2c(f, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_c2f08(NULL, &f08) == MPI_ERR_ARG && MPI_Status_c2f08(&c, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_f082c(NULL, &c) == MPI_ERR_ARG && MPI_Status_f082c(&f08, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_f082f(NULL, f) == MPI_ERR_ARG && MPI_Status_f082f(&f08, NULL) == MPI_ERR_ARG);
    CHECK(MPI_Status_f2f08(NULL, &f08) == MPI_ERR_ARG && MPI_Status_f2f08(f, NULL) == MPI_ERR_ARG);
    CHECK_EQ(MPI_Status_c2f(&c, f), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int provided;

    MPI_Init(&argc, &argv);
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    open_objects();
    signal(SIGSEGV, on_crash);
    signal(SIGBUS, on_crash);
    convert_statuses();
    for (const struct case_of_null *c = cases; c->name; c++)
        for (const struct null_of *n = c->nulls; n->name; n++)
            call_with(c, n);
    if (failures)
        MPI_Abort(MPI_COMM_WORLD, 1);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_Win_free(&dynamic);
    MPI_File_close(&file);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    MPI_T_finalize();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}

#endif
