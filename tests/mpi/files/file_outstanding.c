/* ranks: 1 2 3 4 */
/* Nonblocking collectives depend on nobody: they begin before other ranks have called, several of one file and of two
 * are under way at once and beside other collectives, and go on while their rank calls nothing of MPI. */
#include "file.h"

#include <time.h>

enum {
    INTS = 4096,
    ACCESSES = 6,
    PATIENCE = 60 /* seconds */
};

static int values[ACCESSES][INTS], got[ACCESSES][INTS];

/* Access a of a rank lies behind those of the ranks before it, in a part of the file of its own. */
static MPI_Offset place_of(int a)
{
    return ((MPI_Offset)a * size + rank) * INTS;
}

static void begin_write(MPI_File fh, int a, MPI_Request *request)
{
    for (int i = 0; i < INTS; i++)
        values[a][i] = (a * size + rank) * INTS + i + 1;
    OK(MPI_File_iwrite_at_all(fh, place_of(a), values[a], INTS, MPI_INT, request));
}

static void end(MPI_Request *request)
{
    MPI_Status status;

    OK(MPI_Wait(request, &status));
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
}

/* Each rank begins only when the one before it has. */
static void one_after_the_other(MPI_File fh)
{
    MPI_Request request;
    int token = 0;

    if (rank)
        OK(MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    begin_write(fh, 0, &request);
    if (rank + 1 < size)
        OK(MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD));
    end(&request);
}

/* Begun in one order on all ranks, with other collectives between; each rank ends them in an order of its own. */
static void several_at_once(MPI_File fh, MPI_File other)
{
    MPI_Request request[ACCESSES];
    int sum;

    for (int a = 0; a < ACCESSES; a++) {
        begin_write(a % 2 ? other : fh, a, &request[a]);
        OK(MPI_Allreduce(&a, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
        CHECK_EQ(sum, a * size);
    }
    for (int i = 0; i < ACCESSES; i++)
        end(&request[(i + rank) % ACCESSES]);
    OK(MPI_File_sync(fh));
    OK(MPI_File_sync(other));
    for (int a = 0; a < ACCESSES; a++)
        OK(MPI_File_iread_at_all(a % 2 ? other : fh, place_of(a), got[a], INTS, MPI_INT, &request[a]));
    barrier();
    for (int i = ACCESSES - 1; i >= 0; i--)
        end(&request[i]);
    CHECK_EQ(memcmp(got, values, sizeof got), 0);
}

/* Without a call to MPI. */
static int is_in_file(int fd, int a)
{
    return pread(fd, got[a], sizeof got[a], place_of(a) * (MPI_Offset)sizeof(int)) == sizeof got[a] &&
           memcmp(got[a], values[a], sizeof got[a]) == 0;
}

static void while_nobody_calls(MPI_File fh)
{
    int fd = open(path, O_RDONLY), a = ACCESSES - 2;
    time_t last = time(NULL) + PATIENCE;
    MPI_Request request;

    CHECK(fd >= 0);
    OK(MPI_File_set_size(fh, 0));
    barrier();
    begin_write(fh, a, &request);
    while (!is_in_file(fd, a))
        CHECK(time(NULL) < last);
    end(&request);
    close(fd);
}

static MPI_File open_ints(const char *at)
{
    MPI_File fh;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_File_open(MPI_COMM_WORLD, at, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    OK(MPI_Info_free(&info));
    OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    return fh;
}

int main(int argc, char **argv)
{
    MPI_File fh, other;
    char second[sizeof path + 8];

    set_up(&argc, &argv);
    snprintf(second, sizeof second, "%s.other", path);
    fh = open_ints(path);
    other = open_ints(second);
    one_after_the_other(fh);
    several_at_once(fh, other);
    while_nobody_calls(fh);
    OK(MPI_File_close(&other));
    OK(MPI_File_close(&fh));
    if (rank == 0)
        OK(MPI_File_delete(second, MPI_INFO_NULL));
    tear_down();
    return 0;
}
