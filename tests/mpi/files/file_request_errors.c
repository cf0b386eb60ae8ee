/* ranks: 1 2 */
/* An error of a nonblocking access is raised when its request completes, on the file, not on MPI_COMM_SELF
 * (MPI-5.0, 10.3); others in the same MPI_Waitall complete. The error is the limit on the size of files. */
#include "file.h"

#include <sys/resource.h>

static int calls;
static MPI_File seen;

static void note(MPI_File *fh, int *code, ...)
{
    (void)code;
    seen = *fh;
    calls++;
}

int main(int argc, char **argv)
{
    MPI_Errhandler noting;
    MPI_Request requests[2];
    MPI_Status statuses[2];
    struct rlimit limit;
    MPI_File fh;
    char bytes[100] = {1};
    int code, flag = 0;

    set_up(&argc, &argv);
    CHECK_EQ(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = 65536;
    CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    OK(MPI_File_iwrite_at(fh, 65536, bytes, 100, MPI_BYTE, &requests[0]));
    code = MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* MPI_ERRORS_RETURN, as files have it */
    CHECK_CODE(code, MPI_ERR_IO, "File too large");
    CHECK_EQ(requests[0], MPI_REQUEST_NULL);
    OK(MPI_File_create_errhandler(note, &noting));
    OK(MPI_File_set_errhandler(fh, noting));
    OK(MPI_File_iwrite_at(fh, 70000, bytes, 100, MPI_BYTE, &requests[0]));
    while (!flag && calls == 0)
        code = MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    CHECK_EQ(calls, 1);
    CHECK_EQ(seen, fh);
    CHECK_EQ(class_of(code), MPI_ERR_IO);
    OK(MPI_File_iwrite_at(fh, 100 * rank, bytes, 100, MPI_BYTE, &requests[0]));
    OK(MPI_File_iwrite_at(fh, 65500, bytes, 100, MPI_BYTE, &requests[1]));
    OK(MPI_Comm_set_errhandler(MPI_COMM_SELF,
                               MPI_ERRORS_RETURN)); /* more requests than one: of several objects, perhaps */
    CHECK_EQ(class_of(MPI_Waitall(2, requests, statuses)), MPI_ERR_IN_STATUS);
    CHECK_EQ(statuses[0].MPI_ERROR, MPI_SUCCESS);
    CHECK_EQ(class_of(statuses[1].MPI_ERROR), MPI_ERR_IO);
    CHECK_EQ(byte_at(100 * rank), 1);
    OK(MPI_Errhandler_free(&noting));
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
