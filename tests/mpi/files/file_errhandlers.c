/* ranks: 1 2 */
/* Error handlers of files (MPI-5.0, 10.3.5, 15.7): MPI_ERRORS_RETURN at first; MPI_FILE_NULL has the one that new
 * files get, and that is called where there is no file. */
#include "file.h"

static MPI_File last_file;
static int last_class, calls;

static void note(MPI_File *fh, int *code, ...)
{
    last_file = *fh;
    last_class = class_of(*code);
    calls++;
}

static void other(MPI_File *fh, int *code, ...)
{
    (void)fh, (void)code;
    calls += 100;
}

static MPI_Errhandler handler_of(MPI_File fh)
{
    MPI_Errhandler found;

    OK(MPI_File_get_errhandler(fh, &found));
    return found;
}

static void expect(MPI_File fh, int class)
{
    CHECK_EQ(calls, 1);
    CHECK_EQ(last_file, fh);
    CHECK_EQ(last_class, class);
    calls = 0;
}

static void of_a_file(MPI_Errhandler noting)
{
    MPI_File fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE), second = opened(MPI_MODE_RDWR);
    MPI_Request request;
    int x = 0;

    CHECK_EQ(handler_of(fh), MPI_ERRORS_RETURN);
    CHECK(MPI_File_seek(fh, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    OK(MPI_File_set_errhandler(fh, noting));
    CHECK_EQ(handler_of(second), MPI_ERRORS_RETURN);
    CHECK(MPI_File_seek(fh, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    expect(fh, MPI_ERR_ARG);
    CHECK(MPI_File_read_at(fh, -1, &x, 1, MPI_INT, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    expect(fh, MPI_ERR_ARG);
    CHECK(MPI_File_iread_at(fh, -1, &x, 1, MPI_INT, &request) != MPI_SUCCESS);
    expect(fh, MPI_ERR_ARG);
    CHECK(MPI_File_write_all_end(fh, &x, MPI_STATUS_IGNORE) != MPI_SUCCESS);
    expect(fh, MPI_ERR_OTHER);
    CHECK(MPI_File_seek(second, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    CHECK_EQ(calls, 0);
    CHECK_EQ(MPI_File_call_errhandler(fh, MPI_ERR_QUOTA), MPI_SUCCESS);
    expect(fh, MPI_ERR_QUOTA);
    OK(MPI_File_close(&fh));
    OK(MPI_File_close(&second));
}

/* What is set on MPI_FILE_NULL is for files to come, not for those that are there. */
static void of_no_file(MPI_Errhandler noting, MPI_Errhandler counting)
{
    MPI_File old = opened(MPI_MODE_RDWR), new, none = MPI_FILE_NULL;
    MPI_Errhandler found;

    OK(MPI_File_set_errhandler(MPI_FILE_NULL, noting));
    CHECK_EQ(handler_of(old), MPI_ERRORS_RETURN);
    CHECK(MPI_File_open(MPI_COMM_WORLD, "/dev/shm/no_such_file", MPI_MODE_RDWR, MPI_INFO_NULL, &none) !=
          MPI_SUCCESS);
    expect(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE);
    CHECK(MPI_File_delete("/dev/shm/no_such_file", MPI_INFO_NULL) != MPI_SUCCESS);
    expect(MPI_FILE_NULL, MPI_ERR_NO_SUCH_FILE);
    CHECK(MPI_File_sync(MPI_FILE_NULL) != MPI_SUCCESS);
    expect(MPI_FILE_NULL, MPI_ERR_FILE);
    new = opened(MPI_MODE_RDWR);
    CHECK(MPI_File_seek(new, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    expect(new, MPI_ERR_ARG);
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, counting));
    CHECK(MPI_File_seek(new, -1, MPI_SEEK_SET) != MPI_SUCCESS);
    expect(new, MPI_ERR_ARG);
    OK(MPI_File_get_errhandler(MPI_FILE_NULL, &found));
    CHECK(MPI_File_delete("/dev/shm/no_such_file", MPI_INFO_NULL) != MPI_SUCCESS);
    CHECK_EQ(calls, 100);
    calls = 0;
    OK(MPI_Errhandler_free(&found));
    OK(MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN));
    OK(MPI_File_close(&old));
    OK(MPI_File_close(&new));
}

/* A handler of another kind does not fit. */
static void wrong_kinds(void)
{
    MPI_File fh = opened(MPI_MODE_RDWR);
    MPI_Errhandler of_comms;

    OK(MPI_Comm_create_errhandler((MPI_Comm_errhandler_function *)(void *)note, &of_comms));
    CHECK(MPI_File_set_errhandler(fh, of_comms) != MPI_SUCCESS);
    CHECK(MPI_File_set_errhandler(fh, MPI_ERRHANDLER_NULL) != MPI_SUCCESS);
    CHECK_EQ(calls, 0);
    CHECK_EQ(handler_of(fh), MPI_ERRORS_RETURN);
    OK(MPI_Errhandler_free(&of_comms));
    OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    MPI_Errhandler noting, counting;

    set_up(&argc, &argv);
    CHECK_EQ(handler_of(MPI_FILE_NULL), MPI_ERRORS_RETURN);
    OK(MPI_File_create_errhandler(note, &noting));
    OK(MPI_File_create_errhandler(other, &counting));
    of_a_file(noting);
    of_no_file(noting, counting);
    wrong_kinds();
    OK(MPI_Errhandler_free(&noting));
    OK(MPI_Errhandler_free(&counting));
    tear_down();
    return 0;
}
