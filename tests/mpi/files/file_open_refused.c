/* ranks: 1 2 4 */
/* MPI_File_open and MPI_File_delete refuse what the standard and the system refuse: on every rank, with the class
 * that MPI-5.0, 15.8 names, the system's reason and the file's name; the handle stays as it was. */
#include "file.h"

static MPI_File untouched;

/* Opening fails on every rank. */
static void fails(const char *where, int amode, int class, const char *word)
{
    MPI_File fh = untouched;

    REFUSED(MPI_File_open(MPI_COMM_WORLD, where, amode, MPI_INFO_NULL, &fh), class, word);
    CHECK_EQ(fh, untouched);
}

static void what_is_not_there(void)
{
    char below[300];

    fails(path, MPI_MODE_RDONLY, MPI_ERR_NO_SUCH_FILE, name);
    fails(path, MPI_MODE_RDWR, MPI_ERR_NO_SUCH_FILE, "No such file");
    fails(path, MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_ERR_NO_SUCH_FILE, name);
    REFUSED(MPI_File_delete(path, MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE, name);
    snprintf(below, sizeof below, "%s/in/no/folder", path);
    fails(below, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_NO_SUCH_FILE, name);
}

static void what_is_no_name(void)
{
    char *long_name = malloc(70000);

    CHECK(long_name != NULL);
    memset(long_name, 'x', 69999);
    long_name[69999] = 0;
    fails("", MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_NO_SUCH_FILE, "");
    memcpy(long_name, "/dev/shm/", 9);
    long_name[400] = 0; /* a part of a path has at most 255 bytes */
    fails(long_name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_BAD_FILE, "too long");
    long_name[400] = 'x';
    fails(long_name, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_BAD_FILE, "too long");
    REFUSED(MPI_File_delete(long_name, MPI_INFO_NULL), MPI_ERR_BAD_FILE, "too long");
    free(long_name);
}

static void a_folder(void)
{
    char below[300];

    if (rank == 0)
        CHECK_EQ(mkdir(path, 0700), 0);
    barrier();
    fails(path, MPI_MODE_RDWR, MPI_ERR_BAD_FILE, name);
    fails(path, MPI_MODE_RDONLY, MPI_ERR_BAD_FILE, name);
    fails(path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_BAD_FILE, name);
    CHECK(MPI_File_delete(path, MPI_INFO_NULL) != MPI_SUCCESS);
    barrier();
    if (rank == 0)
        CHECK_EQ(rmdir(path), 0);
    make_file(1, 0600);
    snprintf(below, sizeof below, "%s/file", path);
    fails(below, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_ERR_BAD_FILE, "Not a directory");
}

static void amodes(void)
{
    const int wrong[] = {0,
                         MPI_MODE_CREATE,
                         MPI_MODE_RDONLY | MPI_MODE_RDWR,
                         MPI_MODE_RDONLY | MPI_MODE_WRONLY,
                         MPI_MODE_WRONLY | MPI_MODE_RDWR,
                         MPI_MODE_RDONLY | MPI_MODE_WRONLY | MPI_MODE_RDWR,
                         MPI_MODE_RDONLY | MPI_MODE_CREATE,
                         MPI_MODE_RDONLY | MPI_MODE_EXCL,
                         MPI_MODE_RDWR | MPI_MODE_SEQUENTIAL,
                         MPI_MODE_RDWR | 1 << 20,
                         -1};

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        fails(path, wrong[i], MPI_ERR_AMODE, "MODE");
    fails(path, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS, name);
    fails(path, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_ERR_FILE_EXISTS, "exists");
    CHECK_EQ(size_of_file(), 1);
}

/* One rank's arguments differ, or only its file is missing: all are told. */
static void not_the_same(void)
{
    MPI_File fh = untouched;
    int class, amode = rank == size - 1 ? MPI_MODE_RDONLY : MPI_MODE_RDWR;

    if (size == 1)
        return;
    REFUSED(MPI_File_open(MPI_COMM_WORLD, path, amode, MPI_INFO_NULL, &fh), MPI_ERR_NOT_SAME, "amode");
    class = class_of(MPI_File_open(MPI_COMM_WORLD, path, rank ? MPI_MODE_RDWR : 0, MPI_INFO_NULL, &fh));
    CHECK(class == MPI_ERR_AMODE || class == MPI_ERR_NOT_SAME);
    class = class_of(MPI_File_open(MPI_COMM_WORLD, rank == size - 1 ? "/dev/shm/no_such_file" : path,
                                   MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    CHECK(class != MPI_SUCCESS);
    CHECK(class == MPI_ERR_NO_SUCH_FILE || rank < size - 1);
    CHECK_EQ(fh, untouched);
}

/* A file that was made for nothing goes again, but none that was there before. */
static void made_in_vain(void)
{
    const char *where = rank == size - 1 ? "/dev/shm/no_such_folder/x" : path;
    MPI_File fh = untouched;

    if (size == 1)
        return;
    CHECK(MPI_File_open(MPI_COMM_WORLD, where, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &fh) !=
          MPI_SUCCESS);
    barrier();
    CHECK_EQ(size_of_file(), 1);
    barrier();
    if (rank == 0)
        CHECK_EQ(unlink(path), 0);
    barrier();
    CHECK(MPI_File_open(MPI_COMM_WORLD, where, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_EXCL, MPI_INFO_NULL,
                        &fh) != MPI_SUCCESS);
    barrier();
    CHECK_EQ(access(path, F_OK), -1);
    CHECK_EQ(fh, untouched);
    barrier();
    make_file(1, 0600);
}

static void intercommunicators(void)
{
    MPI_File fh = untouched;
    MPI_Comm half, inter;

    REFUSED(MPI_File_open(MPI_COMM_NULL, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh), MPI_ERR_COMM, "comm");
    if (size == 1)
        return;
    OK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half));
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, !(rank % 2), 0, &inter));
    REFUSED(MPI_File_open(inter, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh), MPI_ERR_COMM, "intercommunicator");
    OK(MPI_Comm_free(&inter));
    OK(MPI_Comm_free(&half));
    CHECK_EQ(fh, untouched);
}

static void permit(mode_t mode)
{
    barrier();
    if (rank == 0)
        CHECK_EQ(chmod(path, mode), 0);
    barrier();
}

/* What may be written only is opened so, though sieved writes would rather read too. */
static void written_only(int more)
{
    MPI_File fh = opened(MPI_MODE_WRONLY | more);
    char byte = 3;

    REFUSED(MPI_File_read_shared(fh, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE), MPI_ERR_ACCESS, name);
    OK(MPI_File_write_shared(fh, &byte, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    OK(MPI_File_close(&fh));
    fails(path, MPI_MODE_RDWR, MPI_ERR_ACCESS, "Permission denied");
}

/* For root nothing is forbidden. */
static void forbidden(void)
{
    permit(0222);
    if (geteuid() == 0)
        CHECK_EQ(seteuid(65534), 0);
    written_only(0);
    written_only(MPI_MODE_SEQUENTIAL);
    if (getuid() == 0)
        CHECK_EQ(seteuid(0), 0);
    permit(0444);
    if (geteuid() == 0)
        CHECK_EQ(seteuid(65534), 0);
    fails(path, MPI_MODE_RDWR, MPI_ERR_ACCESS, "Permission denied");
    fails(path, MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_ERR_ACCESS, name);
    fails("/root_only_has_this/x", MPI_MODE_RDONLY, MPI_ERR_NO_SUCH_FILE, "x");
    fails("/proc/1/environ", MPI_MODE_RDONLY, MPI_ERR_ACCESS, "environ");
    if (getuid() == 0)
        CHECK_EQ(seteuid(0), 0);
}

/* All of that leaves nothing open, and a good call works. */
static void still_works(int before)
{
    MPI_File fh;
    int after;

    fh = opened(MPI_MODE_RDONLY);
    OK(MPI_File_close(&fh));
    CHECK_EQ(fh, MPI_FILE_NULL);
    after = dup(0);
    close(after);
    CHECK_EQ(after, before);
}

int main(int argc, char **argv)
{
    MPI_File fh;
    int lowest;

    set_up(&argc, &argv);
    OK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    untouched = MPI_FILE_NULL;
    make_file(1, 0600);
    fh = opened(MPI_MODE_RDWR); /* so that what the library keeps open for good is open */
    OK(MPI_File_close(&fh));
    barrier();
    if (rank == 0)
        CHECK_EQ(unlink(path), 0);
    barrier();
    lowest = dup(0);
    close(lowest);
    what_is_not_there();
    what_is_no_name();
    a_folder();
    amodes();
    not_the_same();
    made_in_vain();
    intercommunicators();
    forbidden();
    still_works(lowest);
    tear_down();
    return 0;
}
