/* Leaves one object of the kind that its argument names, and ends as any program does. */
#include "check.h"

#include <unistd.h>

#define OK(call) CHECK_EQ(call, MPI_SUCCESS)

static int is(const char *word, const char *other)
{
    return strcmp(word, other) == 0;
}

static void leave_file(void)
{
    char path[64];
    MPI_File fh;

    snprintf(path, sizeof path, "/dev/shm/left_open.%ld", (long)getpid());
    OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
    CHECK_EQ(unlink(path), 0);
}

static void leave_window(void)
{
    static char memory[8];
    MPI_Win win;

    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
}

static void leave_attachments(void)
{
    static char memory[8];
    MPI_Win win;

    OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_attach(win, memory, sizeof memory));
}

static void leave_epoch(void)
{
    static char memory[8];
    MPI_Group group;
    MPI_Win win;

    OK(MPI_Win_create(memory, sizeof memory, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win));
    OK(MPI_Win_get_group(win, &group));
    OK(MPI_Win_post(group, MPI_MODE_NOCHECK, win));
    OK(MPI_Group_free(&group));
}

static void leave_access(void)
{
    char path[64], byte = 0;
    MPI_Request request;
    MPI_File fh;

    snprintf(path, sizeof path, "/dev/shm/left_open.%ld", (long)getpid());
    OK(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh));
    CHECK_EQ(unlink(path), 0);
    OK(MPI_File_iwrite(fh, &byte, 1, MPI_BYTE, &request));
}

static void leave(const char *what)
{
    char port[MPI_MAX_PORT_NAME];
    MPI_Datatype type;
    MPI_Info info;
    MPI_Comm comm;

    if (is(what, "communicator"))
        OK(MPI_Comm_dup(MPI_COMM_SELF, &comm));
    if (is(what, "datatype"))
        OK(MPI_Type_contiguous(2, MPI_INT, &type));
    if (is(what, "info"))
        OK(MPI_Info_create(&info));
    if (is(what, "port"))
        OK(MPI_Open_port(MPI_INFO_NULL, port));
    if (is(what, "window"))
        leave_window();
    if (is(what, "attachments"))
        leave_attachments();
    if (is(what, "epoch"))
        leave_epoch();
    if (is(what, "file"))
        leave_file();
    if (is(what, "access"))
        leave_access();
}

int main(int argc, char **argv)
{
    OK(MPI_Init(&argc, &argv));
    CHECK_EQ(argc, 2);
    leave(argv[1]);
    OK(MPI_Finalize());
    return 0;
}
