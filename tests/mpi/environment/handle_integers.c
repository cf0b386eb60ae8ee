/* ranks: 1 2 */
/* MPI_X_toint and MPI_X_fromint: predefined handles are the ABI's numbers, others come back as they went. */
#include "check.h"

static void constants(void)
{
    CHECK_EQ(MPI_Comm_toint(MPI_COMM_WORLD), 0x101);
    CHECK_EQ(MPI_Comm_fromint(0x101), MPI_COMM_WORLD);
    CHECK_EQ(MPI_Comm_fromint(MPI_Comm_toint(MPI_COMM_NULL)), MPI_COMM_NULL);
    CHECK_EQ(MPI_Type_fromint(MPI_Type_toint(MPI_LONG_DOUBLE_INT)), MPI_LONG_DOUBLE_INT);
    CHECK_EQ(MPI_Op_toint(MPI_SUM), 0x21);
    CHECK_EQ(MPI_Op_fromint(0x21), MPI_SUM);
    CHECK_EQ(MPI_Group_fromint(MPI_Group_toint(MPI_GROUP_EMPTY)), MPI_GROUP_EMPTY);
    CHECK_EQ(MPI_Info_fromint(MPI_Info_toint(MPI_INFO_ENV)), MPI_INFO_ENV);
    CHECK_EQ(MPI_Errhandler_fromint(MPI_Errhandler_toint(MPI_ERRORS_ABORT)), MPI_ERRORS_ABORT);
    CHECK_EQ(MPI_Request_fromint(MPI_Request_toint(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Message_fromint(MPI_Message_toint(MPI_MESSAGE_NO_PROC)), MPI_MESSAGE_NO_PROC);
    CHECK_EQ(MPI_Win_fromint(MPI_Win_toint(MPI_WIN_NULL)), MPI_WIN_NULL);
    CHECK_EQ(MPI_File_fromint(MPI_File_toint(MPI_FILE_NULL)), MPI_FILE_NULL);
    CHECK_EQ(MPI_Session_fromint(MPI_Session_toint(MPI_SESSION_NULL)), MPI_SESSION_NULL);
}

static void objects(void)
{
    enum {
        COUNT = 1000
    };
    static MPI_Request request[COUNT];
    static int number[COUNT];
    static char byte;
    MPI_Comm comm;
    MPI_Info info;
    int rank;

    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm), MPI_SUCCESS);
    CHECK(MPI_Comm_toint(comm) >= 4096);
    CHECK_EQ(MPI_Comm_fromint(MPI_Comm_toint(comm)), comm);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_fromint(MPI_Info_toint(info)), info);
    MPI_Info_free(&info);
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(MPI_Irecv(&byte, 1, MPI_CHAR, rank, 1 + i, comm, &request[i]), MPI_SUCCESS);
        number[i] = MPI_Request_toint(request[i]);
        CHECK(number[i] >= 4096 && (i == 0 || number[i] != number[i - 1]));
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK_EQ(MPI_Request_fromint(number[i]), request[i]);
        CHECK_EQ(MPI_Send(&byte, 1, MPI_CHAR, rank, 1 + i, comm), MPI_SUCCESS);
        CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static int errors;

static void count_error(MPI_Comm *comm, int *code, ...)
{
    CHECK_EQ(*comm, MPI_COMM_SELF);
    CHECK_EQ(*code, MPI_ERR_COMM);
    errors++;
}

/* There is no error code to return: the handler of MPI_COMM_SELF hears of it. */
static void wrong_numbers(void)
{
    MPI_Errhandler handler;

    MPI_Comm_create_errhandler(count_error, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
    CHECK_EQ(MPI_Comm_fromint(0x21), MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_fromint(-1), MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_fromint(1 << 30 | 4000), MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_toint((MPI_Comm)0), 0);
    CHECK_EQ(errors, 4);
    MPI_Errhandler_free(&handler);
}

int main(void)
{
    constants();
    MPI_Init(NULL, NULL);
    constants();
    objects();
    wrong_numbers();
    MPI_Finalize();
    return 0;
}
