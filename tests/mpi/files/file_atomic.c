/* ranks: 2 3 timeout: 60 */
/* In atomic mode an access through a view with gaps is one, also where it is sieved window by window: who reads finds what
 * one rank has written, and never parts of what two have. Nobody writes to the gaps. */
#include "file.h"
#include "mpi/files/calls.h"

enum {
    ROUNDS = 60,
    RUNS = 3000, /* of an int, and as much between them: several windows of 4 KiB */
    WINDOWS = RUNS * 2 * (int)sizeof(int) / 4096
};

static int values[RUNS], got[RUNS];

static MPI_File open_runs(void)
{
    MPI_File fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype run;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_ds_write", "enable"));
    OK(MPI_Info_set(info, "ind_wr_buffer_size", "4096"));
    OK(MPI_Info_set(info, "ind_rd_buffer_size", "4096"));
    OK(MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &run));
    OK(MPI_Type_commit(&run));
    OK(MPI_File_set_view(fh, 0, MPI_INT, run, "native", info));
    OK(MPI_File_set_atomicity(fh, 1));
    OK(MPI_Type_free(&run));
    OK(MPI_Info_free(&info));
    return fh;
}

static void write_and_read(MPI_File fh, int round)
{
    for (int i = 0; i < RUNS; i++)
        values[i] = round * size + rank + 1;
    pwrites = 0;
    OK(MPI_File_write_at(fh, 0, values, RUNS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(pwrites >= WINDOWS && pwrites < RUNS / 2); /* it was sieved */
    OK(MPI_File_read_at(fh, 0, got, RUNS, MPI_INT, MPI_STATUS_IGNORE));
    CHECK(got[0] > 0); /* ranks may be rounds apart */
    for (int i = 1; i < RUNS; i++)
        CHECK_EQ(got[i], got[0]);
}

static void check_gaps(void)
{
    static int all[2 * RUNS];
    int fd = open(path, O_RDONLY);

    CHECK(fd >= 0);
    CHECK_EQ(read(fd, all, sizeof all), (ssize_t)sizeof all - (ssize_t)sizeof(int));
    for (int i = 0; i < RUNS; i++)
        CHECK(all[2 * i] > 0 && all[2 * i + 1] == 0);
    close(fd);
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    fh = open_runs();
    barrier();
    for (int round = 0; round < ROUNDS; round++)
        write_and_read(fh, round);
    barrier();
    check_gaps();
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
