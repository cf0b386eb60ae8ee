/* ranks: 2 3 4  timeout: 60 */
/* Ranks write the gaps of each other at the same time, and write back what they have read of these: nobody loses a
 * byte. One rank writes whole runs, which are not sieved. */
#include "calls.h"
#include "files.h"

enum {
    ROUNDS = 200,
    RUNS = 500
};

static MPI_Datatype mine_of(void)
{
    int sizes = size, subsizes = 1, starts = rank;
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_create_subarray(1, &sizes, &subsizes, &starts, MPI_ORDER_C, MPI_INT, &type),
             MPI_SUCCESS);
    return committed(type);
}

static void write_round(MPI_File file, int round)
{
    int values[RUNS];

    for (int i = 0; i < RUNS; i++)
        values[i] = round * size + rank;
    pwrites = 0;
    if (rank) {
        CHECK_EQ(MPI_File_write_at(file, 0, values, RUNS, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(pwrites, 1); /* with the gaps */
        return;
    }
    for (int i = 0; i < RUNS; i++)
        CHECK_EQ(MPI_File_write_at(file, i, &values[i], 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void check_round(int fd, int round)
{
    static int all[RUNS * 8];

    CHECK_EQ(pread(fd, all, sizeof(int) * RUNS * (size_t)size, 0), (ssize_t)sizeof(int) * RUNS * size);
    for (int i = 0; i < RUNS * size; i++)
        CHECK_EQ(all[i], round * size + i % size);
}

int main(int argc, char **argv)
{
    MPI_Datatype mine;
    MPI_File file;
    MPI_Info info;
    int fd;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("sieved");
    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_ds_write", "enable"), MPI_SUCCESS);
    file = open_new(MPI_MODE_DELETE_ON_CLOSE);
    mine = mine_of();
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, mine, "native", info), MPI_SUCCESS);
    fd = open(path, O_RDONLY);
    for (int round = 0; round < ROUNDS; round++) {
        write_round(file, round);
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
        check_round(fd, round);
        CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    }
    close(fd);
    CHECK_EQ(MPI_Type_free(&mine), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    close_file(&file);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
