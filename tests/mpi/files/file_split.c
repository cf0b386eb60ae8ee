/* ranks: 1 3 */
/* Split collectives: what MPI-5.0, 15.4.5 forbids is refused, and what was begun still ends well. */
#include "file.h"

static int values[100], got[100];
static MPI_Status status;

static void fill(void)
{
    for (int i = 0; i < 100; i++)
        values[i] = rank * 1000 + i;
}

static void misuse(MPI_File fh)
{
    MPI_File copy = fh;

    REFUSED(MPI_File_write_all_end(fh, values, &status), MPI_ERR_OTHER, name);
    REFUSED(MPI_File_read_ordered_end(fh, values, &status), MPI_ERR_OTHER, name);
    OK(MPI_File_write_at_all_begin(fh, rank * 100, values, 100, MPI_INT));
    REFUSED(MPI_File_write_all_begin(fh, values, 100, MPI_INT), MPI_ERR_OTHER, name);
    REFUSED(MPI_File_read_at_all_begin(fh, 0, got, 100, MPI_INT), MPI_ERR_OTHER, name);
    REFUSED(MPI_File_write_all_end(fh, values, &status), MPI_ERR_OTHER, name); /* at_all was begun */
    REFUSED(MPI_File_read_at_all_end(fh, values, &status), MPI_ERR_OTHER, name);
    REFUSED(MPI_File_write_at_all_end(fh, got, &status), MPI_ERR_BUFFER, "buf");
    REFUSED(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_OTHER, name);
    REFUSED(MPI_File_close(&copy), MPI_ERR_OTHER, name);
    CHECK_EQ(copy, fh);
    OK(MPI_File_write_at_all_end(fh, values, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 100);
    REFUSED(MPI_File_write_at_all_end(fh, values, &status), MPI_ERR_OTHER, name);
}

/* Between begin and end a rank may access the file alone, and send messages; MPI_BOTTOM is a buffer too. */
static void beside(MPI_File fh)
{
    MPI_Datatype absolute;
    MPI_Aint address;
    int one = 7, sum;

    OK(MPI_Get_address(got, &address));
    OK(MPI_Type_create_hindexed(1, (int[]){100}, &address, MPI_INT, &absolute));
    OK(MPI_Type_commit(&absolute));
    memset(got, 0, sizeof got);
    OK(MPI_File_read_at_all_begin(fh, rank * 100, MPI_BOTTOM, 1, absolute));
    OK(MPI_Type_free(&absolute));
    OK(MPI_File_write_at(fh, 100 * size + rank, &one, 1, MPI_INT, &status));
    OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    CHECK_EQ(sum, 7 * size);
    OK(MPI_File_read_at_all_end(fh, MPI_BOTTOM, &status));
    CHECK_EQ(memcmp(got, values, sizeof got), 0);
    one = 0;
    OK(MPI_File_read_at(fh, 100 * size + rank, &one, 1, MPI_INT, &status));
    CHECK_EQ(one, 7);
}

/* The pointers move when the access begins. */
static void pointers(MPI_File fh)
{
    MPI_Offset at;

    OK(MPI_File_seek(fh, rank * 100, MPI_SEEK_SET));
    memset(got, 0, sizeof got);
    OK(MPI_File_read_all_begin(fh, got, 60, MPI_INT));
    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, rank * 100 + 60);
    OK(MPI_File_read_all_end(fh, got, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 60);
    CHECK_EQ(memcmp(got, values, 60 * sizeof *got), 0);
    CHECK_EQ(got[60], 0);
    OK(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET));
    OK(MPI_File_write_ordered_begin(fh, values, rank + 1, MPI_INT));
    OK(MPI_File_write_ordered_end(fh, values, &status));
    CHECK_EQ(count_of(&status, MPI_INT), rank + 1);
    OK(MPI_File_get_position_shared(fh, &at));
    CHECK_EQ(at, size * (size + 1) / 2);
    OK(MPI_File_sync(fh));
    barrier();
    OK(MPI_File_sync(fh));
    OK(MPI_File_read_at(fh, rank * (rank + 1) / 2, got, 1, MPI_INT, &status));
    CHECK_EQ(got[0], rank * 1000);
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    fill();
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    misuse(fh);
    beside(fh);
    pointers(fh);
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
