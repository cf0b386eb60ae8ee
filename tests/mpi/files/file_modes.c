/* ranks: 1 2 3  timeout: 60 */
/* What the access modes do: pointers behind what is there, files that are gone when they are closed, sequential files
 * that know the shared pointer only; and requests that are still under way while others end. */
#include "files.h"

enum {
    REQUESTS = 40
};

static void append(void)
{
    MPI_File file = open_new(0);
    MPI_Offset position;
    int value = 7;

    CHECK_EQ(MPI_File_set_size(file, 12), MPI_SUCCESS);
    close_file(&file);
    file = open_new(MPI_MODE_APPEND);
    CHECK_EQ(MPI_File_get_position(file, &position), MPI_SUCCESS);
    CHECK_EQ(position, 12);
    CHECK_EQ(MPI_File_get_position_shared(file, &position), MPI_SUCCESS);
    CHECK_EQ(position, 12);
    CHECK_EQ(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(bytes_on_disk(), 12 + 4 * size);
    close_file(&file);
    remove_file();
}

static void delete_on_close(void)
{
    MPI_File file = open_new(MPI_MODE_DELETE_ON_CLOSE | MPI_MODE_EXCL);

    CHECK_EQ(access(path, F_OK), 0);
    close_file(&file);
    CHECK_EQ(access(path, F_OK), -1);
    CHECK_EQ(class_of(MPI_File_delete(path, MPI_INFO_NULL)), MPI_ERR_NO_SUCH_FILE);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* By a relative name, from a folder that the process has left; another file of this name stays. */
static void delete_from_elsewhere(void)
{
    char here[512], folder[512], *name;
    MPI_File file;
    int fd;

    CHECK(getcwd(here, sizeof here) != NULL);
    snprintf(folder, sizeof folder, "%s", path);
    name = strrchr(folder, '/');
    *name++ = '\0';
    CHECK_EQ(chdir(folder), 0);
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(access(path, F_OK), 0);
    CHECK_EQ(chdir("/dev/shm"), 0);
    fd = open(name, O_CREAT | O_WRONLY, 0600);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    close_file(&file);
    CHECK_EQ(access(path, F_OK), -1);
    CHECK_EQ(access(name, F_OK), 0);
    close(fd);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    if (rank == 0)
        CHECK_EQ(unlink(name), 0);
    CHECK_EQ(chdir(here), 0);
}

/* MPI-5.0, 15.2.3, leaves it open whether that works. It does: the name is gone, and the open file is whole. */
static void delete_while_open(void)
{
    MPI_File file = open_new(0), another;
    int value = 50 + rank, got = 0;

    if (rank == 0)
        CHECK_EQ(MPI_File_delete(path, MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(access(path, F_OK), -1);
    CHECK_EQ(MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_sync(file), MPI_SUCCESS);
    another = open_new(MPI_MODE_EXCL | MPI_MODE_DELETE_ON_CLOSE); /* of the same name */
    CHECK_EQ(MPI_File_read_at(file, 4 * (size - 1 - rank), &got, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 50 + size - 1 - rank);
    CHECK_EQ(bytes_on_disk(), 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    close_file(&another);
    close_file(&file);
    CHECK_EQ(access(path, F_OK), -1);
}

#define UNFIT(call) CHECK_EQ(class_of(call), MPI_ERR_UNSUPPORTED_OPERATION)

/* Each rank's number, in their order; and once more, in any. */
static void check_sequence(void)
{
    int fd = open(path, O_RDONLY), all[16], seen = 0;

    CHECK(fd >= 0);
    CHECK_EQ(read(fd, all, sizeof all), 8 * size);
    for (int i = 0; i < size; i++)
        CHECK_EQ(all[i], i);
    for (int i = size; i < 2 * size; i++)
        seen |= 1 << all[i];
    CHECK_EQ(seen, (1 << size) - 1);
    close(fd);
}

static void sequential(void)
{
    MPI_File file;
    MPI_Offset place, disp;
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];
    int value = rank;

    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_WRONLY | MPI_MODE_CREATE | MPI_MODE_SEQUENTIAL,
                           MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    UNFIT(MPI_File_write(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    UNFIT(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE));
    UNFIT(MPI_File_seek(file, 0, MPI_SEEK_SET));
    UNFIT(MPI_File_seek_shared(file, 0, MPI_SEEK_SET));
    UNFIT(MPI_File_get_position(file, &place));
    UNFIT(MPI_File_set_size(file, 0));
    UNFIT(MPI_File_preallocate(file, 0));
    CHECK_EQ(MPI_File_write_ordered(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL)), MPI_ERR_ARG);
    CHECK_EQ(MPI_File_set_view(file, MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_INFO_NULL),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_view(file, &disp, &etype, &filetype, datarep), MPI_SUCCESS);
    CHECK_EQ(disp, 4 * size);
    CHECK_EQ(etype, MPI_INT);
    CHECK_STR(datarep, "native");
    CHECK_EQ(MPI_File_write_shared(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(bytes_on_disk(), 8 * size);
    close_file(&file);
    check_sequence();
    remove_file();
}

/* More requests than threads; MPI_File_close waits for those whose handles were freed. */
static void many_requests(void)
{
    MPI_File file = open_new(0);
    MPI_Request request[REQUESTS];
    int values[REQUESTS], got[REQUESTS];
    MPI_Status status[REQUESTS];

    for (int i = 0; i < REQUESTS; i++) {
        values[i] = 1000 * rank + i;
        CHECK_EQ(MPI_File_iwrite_at(file, 4 * (rank * REQUESTS + i), &values[i], 1, MPI_INT, &request[i]),
                 MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Waitall(REQUESTS, request, status), MPI_SUCCESS);
    for (int i = 0; i < REQUESTS; i++)
        CHECK_EQ(count_of(&status[i], MPI_INT), 1);
    CHECK_EQ(MPI_File_seek(file, 4 * rank * REQUESTS, MPI_SEEK_SET), MPI_SUCCESS);
    for (int i = 0; i < REQUESTS; i++)
        CHECK_EQ(MPI_File_iread(file, &got[i], 1, MPI_INT, &request[i]), MPI_SUCCESS);
    for (int left = REQUESTS, flag, index; left; left -= flag)
        CHECK_EQ(MPI_Testany(REQUESTS, request, &index, &flag, status), MPI_SUCCESS);
    CHECK(memcmp(got, values, sizeof got) == 0);
    CHECK_EQ(MPI_File_iwrite_at(file, 4 * size * REQUESTS, values, 1, MPI_INT, request), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Cancel(request)), MPI_ERR_REQUEST);
    CHECK_EQ(MPI_Request_free(request), MPI_SUCCESS);
    close_file(&file);
    CHECK_EQ(bytes_on_disk(), 4 * size * REQUESTS + 4);
    remove_file();
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    name_file("modes");
    append();
    delete_on_close();
    delete_from_elsewhere();
    delete_while_open();
    sequential();
    many_requests();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
