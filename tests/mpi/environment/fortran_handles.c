/* ranks: 1 2 */
/* MPI_X_c2f and MPI_X_f2c, MPI_Status_c2f and its kin: inline functions of mpi.h over MPI_X_toint and
 * MPI_X_fromint. */
#include "check.h"

#include <string.h>

static MPI_Fint constant_as_fint = -1;

/* Legal before MPI_Init and after MPI_Finalize. */
static void constants(void)
{
    constant_as_fint = MPI_Comm_c2f(MPI_COMM_WORLD);
    CHECK_EQ(constant_as_fint, 0x101);
    CHECK_EQ(MPI_Comm_f2c(0x101), MPI_COMM_WORLD);
    CHECK_EQ(PMPI_Comm_f2c(PMPI_Comm_c2f(MPI_COMM_SELF)), MPI_COMM_SELF);
    CHECK_EQ(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_NULL)), MPI_COMM_NULL);
    CHECK_EQ(MPI_Type_f2c(MPI_Type_c2f(MPI_DOUBLE_PRECISION)), MPI_DOUBLE_PRECISION);
    CHECK_EQ(MPI_Group_f2c(MPI_Group_c2f(MPI_GROUP_EMPTY)), MPI_GROUP_EMPTY);
    CHECK_EQ(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)), MPI_REQUEST_NULL);
    CHECK_EQ(MPI_File_f2c(MPI_File_c2f(MPI_FILE_NULL)), MPI_FILE_NULL);
    CHECK_EQ(MPI_Win_f2c(MPI_Win_c2f(MPI_WIN_NULL)), MPI_WIN_NULL);
    CHECK_EQ(MPI_Op_c2f(MPI_SUM), 0x21);
    CHECK_EQ(MPI_Op_f2c(0x21), MPI_SUM);
    CHECK_EQ(MPI_Info_f2c(MPI_Info_c2f(MPI_INFO_ENV)), MPI_INFO_ENV);
    CHECK_EQ(MPI_Errhandler_f2c(MPI_Errhandler_c2f(MPI_ERRORS_RETURN)), MPI_ERRORS_RETURN);
    CHECK_EQ(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NO_PROC)), MPI_MESSAGE_NO_PROC);
    CHECK_EQ(MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)), MPI_SESSION_NULL);
}

/* As the standard's example has it: a wrapper that gets Fortran's integers. */
static MPI_Fint make_row(MPI_Fint length)
{
    MPI_Datatype row;

    CHECK_EQ(MPI_Type_contiguous((int)length, MPI_INT, &row), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&row), MPI_SUCCESS);
    return MPI_Type_c2f(row);
}

static void status(MPI_Comm comm, int rank)
{
    int data[6] = {1, 2, 3, 4, 5, 6}, got[6], count, cancelled;
    MPI_Fint number = make_row(6), f_status[MPI_F_STATUS_SIZE], again[MPI_F_STATUS_SIZE];
    MPI_Datatype row = MPI_Type_f2c(number);
    MPI_F08_status f08_status;
    MPI_Status c_status, back;

    CHECK_EQ(MPI_Sendrecv(data, 1, row, rank, 7, got, 6, MPI_INT, rank, 7, comm, &c_status), MPI_SUCCESS);
    c_status.MPI_ERROR = MPI_ERR_PENDING;
    CHECK_EQ(MPI_Status_c2f(&c_status, f_status), MPI_SUCCESS);
    CHECK_EQ(f_status[MPI_F_SOURCE], rank);
    CHECK_EQ(f_status[MPI_F_TAG], 7);
    CHECK_EQ(f_status[MPI_F_ERROR], MPI_ERR_PENDING);
    CHECK(f_status != MPI_F_STATUS_IGNORE && f_status != MPI_F_STATUSES_IGNORE);
    CHECK(&f08_status != MPI_F08_STATUS_IGNORE && &f08_status != MPI_F08_STATUSES_IGNORE);
    memset(&back, -1, sizeof back);
    CHECK_EQ(MPI_Status_f2f08(f_status, &f08_status), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_f082f(&f08_status, again), MPI_SUCCESS);
    CHECK(memcmp(f_status, again, sizeof again) == 0);
    CHECK_EQ(MPI_Status_f2c(again, &back), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&back, MPI_INT, &count), MPI_SUCCESS);
    CHECK_EQ(count, 6);
    CHECK_EQ(MPI_Test_cancelled(&back, &cancelled), MPI_SUCCESS);
    CHECK(!cancelled);
    memset(&back, -1, sizeof back);
    CHECK_EQ(MPI_Status_c2f08(&c_status, &f08_status), MPI_SUCCESS);
    CHECK_EQ(MPI_Status_f082c(&f08_status, &back), MPI_SUCCESS);
    CHECK(memcmp(&back, &c_status, sizeof back) == 0);
    CHECK_EQ(MPI_Type_free(&row), MPI_SUCCESS);
}

static void objects(void)
{
    MPI_Request request;
    MPI_Comm comm;
    MPI_Info info;
    MPI_Group group;
    int rank, flag;

    CHECK_EQ(MPI_Comm_dup(MPI_Comm_f2c(constant_as_fint), &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(comm, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_f2c(MPI_Comm_c2f(comm)), comm);
    CHECK(MPI_Comm_c2f(comm) != MPI_Comm_c2f(MPI_COMM_WORLD));
    CHECK_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_f2c(MPI_Group_c2f(group)), group);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_f2c(MPI_Info_c2f(info)), info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Irecv(&flag, 1, MPI_INT, rank, 3, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_f2c(MPI_Request_c2f(request)), request);
    CHECK_EQ(MPI_Send(&rank, 1, MPI_INT, rank, 3, comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    status(comm, rank);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    constants();
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    constants();
    objects();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    constants();
    return 0;
}
