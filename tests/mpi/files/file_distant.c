/* ranks: 2 4  timeout: 60  also: INKLING_TRANSPORT=ofi */
/* Collective accesses of ranks far from each other, through buffers: only windows in which a rank has a part are
 * read, written, or waited for. */
#include "calls.h"
#include "file.h"

enum {
    INTS = 100,
    FAR_INTS = 300 /* of the last rank, in a window of its own */
};

static const MPI_Offset far = (MPI_Offset)1 << 40;
static MPI_Status status;

static MPI_File open_buffered(void)
{
    MPI_Info info;
    MPI_File fh;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "romio_cb_write", "enable"));
    OK(MPI_Info_set(info, "romio_cb_read", "enable"));
    OK(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &fh));
    OK(MPI_Info_free(&info));
    return fh;
}

static int sum_of(int mine)
{
    int sum;

    OK(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    return sum;
}

static int most_of(int mine)
{
    int most;

    OK(MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD));
    return most;
}

/* Ranks 0, 1, ... lie one behind the other, the last one far away: two windows, and not a byte more of them. */
static void two_windows(void)
{
    MPI_File fh = open_buffered();
    int is_last = rank == size - 1, ints = is_last ? FAR_INTS : INTS, values[FAR_INTS], got[FAR_INTS] = {0};
    MPI_Offset at = is_last ? far + 12345 : rank * (MPI_Offset)sizeof(int) * INTS;

    for (int i = 0; i < ints; i++)
        values[i] = rank * 1000 + i;
    pwrites = largest = 0;
    OK(MPI_File_write_at_all(fh, at, values, ints, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), ints);
    CHECK_EQ(sum_of(pwrites), 2);
    preads = largest = 0;
    OK(MPI_File_read_at_all(fh, at, got, ints, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), ints);
    CHECK_EQ(memcmp(got, values, sizeof(int) * (size_t)ints), 0);
    CHECK_EQ(most_of(largest),
             (int)sizeof(int) * (INTS * (size - 1) > FAR_INTS ? INTS * (size - 1) : FAR_INTS));
    CHECK_EQ(sum_of(preads), 2);
    OK(MPI_File_close(&fh));
}

/* Each rank has a place of its own, and none in order; reads go beyond the end of the file for some. */
static void one_window_each(void)
{
    MPI_File fh = open_buffered();
    MPI_Offset at = (MPI_Offset)(size - rank) * (far / 8) + rank * 77;
    int value = 50 + rank, got[2] = {0, 0};

    pwrites = 0;
    OK(MPI_File_write_at_all(fh, at, &value, 1, MPI_INT, &status));
    CHECK_EQ(sum_of(pwrites), size);
    OK(MPI_File_set_size(fh, (MPI_Offset)size * (far / 8) + 4)); /* rank 0's is the last */
    OK(MPI_File_read_at_all(fh, at, got, 2, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), rank ? 2 : 1);
    CHECK_EQ(got[0], value);
    CHECK_EQ(got[1], 0);
    OK(MPI_File_close(&fh));
}

/* Some ranks have nothing; or none has. */
static void no_windows(void)
{
    MPI_File fh = open_buffered();
    int value = 90 + rank, got = 0;

    OK(MPI_File_write_at_all(fh, far * 2 + 4 * rank, &value, rank == 1, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), rank == 1);
    OK(MPI_File_read_at_all(fh, far * 2 + 4, &got, 1, MPI_INT, &status));
    CHECK_EQ(got, 91);
    pwrites = preads = 0;
    OK(MPI_File_write_at_all(fh, rank * far, &value, 0, MPI_INT, &status));
    OK(MPI_File_read_at_all(fh, rank * far, &value, 0, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 0);
    CHECK_EQ(pwrites + preads, 0);
    OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    two_windows();
    one_window_each();
    no_windows();
    tear_down();
    return 0;
}
