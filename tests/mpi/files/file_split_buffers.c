/* ranks: 2 4 */
/* Split collectives are moved through the buffers of one rank where blocking ones are: the others neither read nor
 * write the file. So they do in whole where buffers are forbidden. */
#include "file.h"
#include "mpi/files/calls.h"

enum {
    BLOCKS = 512,
    INTS = 64 /* of a block */
};

static int values[BLOCKS * INTS], got[BLOCKS * INTS];

static MPI_File open_blocks(const char *buffering)
{
    MPI_File fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    MPI_Datatype block, type;
    MPI_Info info;

    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_nodes", "1"));
    OK(MPI_Info_set(info, "romio_cb_write", buffering));
    OK(MPI_Info_set(info, "romio_cb_read", buffering));
    OK(MPI_File_set_info(fh, info));
    OK(MPI_Info_free(&info));
    OK(MPI_Type_contiguous(INTS, MPI_INT, &block));
    OK(MPI_Type_create_resized(block, 0, (MPI_Aint)sizeof(int) * INTS * size, &type));
    OK(MPI_Type_free(&block));
    OK(MPI_Type_commit(&type));
    OK(MPI_File_set_view(fh, (MPI_Offset)sizeof(int) * INTS * rank, MPI_INT, type, "native", MPI_INFO_NULL));
    OK(MPI_Type_free(&type));
    return fh;
}

static void write_and_read(MPI_File fh, int is_buffered)
{
    int moves = !is_buffered || rank == 0; /* rank 0 is the one that cb_nodes=1 names */
    MPI_Status status;

    for (int i = 0; i < BLOCKS * INTS; i++)
        values[i] = rank * BLOCKS * INTS + i;
    pwrites = preads = 0;
    OK(MPI_File_write_all_begin(fh, values, BLOCKS * INTS, MPI_INT));
    OK(MPI_File_write_all_end(fh, values, &status));
    CHECK_EQ(pwrites > 0, moves);
    CHECK_EQ(count_of(&status, MPI_INT), BLOCKS * INTS);
    memset(got, 0, sizeof got);
    OK(MPI_File_read_at_all_begin(fh, 0, got, BLOCKS * INTS, MPI_INT));
    OK(MPI_File_read_at_all_end(fh, got, &status));
    CHECK_EQ(preads > 0, moves);
    CHECK_EQ(count_of(&status, MPI_INT), BLOCKS * INTS);
    CHECK_EQ(memcmp(got, values, sizeof got), 0);
    /* the file ends within the stretch: as much as there is */
    OK(MPI_File_read_at_all_begin(fh, (MPI_Offset)(BLOCKS - 1) * INTS, got, 2 * INTS, MPI_INT));
    OK(MPI_File_read_at_all_end(fh, got, &status));
    CHECK_EQ(count_of(&status, MPI_INT), INTS);
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    fh = open_blocks("enable");
    write_and_read(fh, 1);
    OK(MPI_File_close(&fh));
    fh = open_blocks("disable");
    write_and_read(fh, 0);
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
