/* ranks: 4 5 */
/* R30: a hint of files that must be the same on all ranks and is not: one rank says so, once, in one line with the
 * hint, the odd rank and its value, whichever call it was. The value is the default, or what it was before. */
#include "ear.h"
#include "hints.h"
#include "mpi/files/files.h"

static const struct file_hint {
    const char *key, *def, *other;
} rows[] = {{"collective_buffering", "true", "false"}, {"cb_block_size", "1048576", "4096"},
            {"cb_buffer_size", "16777216", "65536"},   {"cb_nodes", "0", "1"},
            {"romio_cb_read", "automatic", "enable"},  {"romio_cb_write", "automatic", "disable"}};
enum {
    ROWS = sizeof rows / sizeof *rows
};

/* On the odd rank alone the text says so, and all ranks together have said so many lines. */
static void expect_named(const char *said, const struct file_hint *row, int odd, int expected)
{
    char quoted[64], named[128];
    int lines = 0, all;

    for (const char *c = said; *c; c++)
        lines += *c == '\n';
    snprintf(quoted, sizeof quoted, "\"%s\" must be the same on all ranks", row->key);
    snprintf(named, sizeof named, "but rank %d has \"%s\" and ", odd, row->other);
    CHECK_EQ(strstr(said, quoted) != NULL, expected && rank == odd);
    CHECK_EQ(strstr(said, named) != NULL, expected && rank == odd);
    CHECK_EQ(MPI_Allreduce(&lines, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(all, expected);
}

static void check_value(MPI_File file, const struct file_hint *row)
{
    MPI_Info info;

    CHECK_EQ(MPI_File_get_info(file, &info), MPI_SUCCESS);
    CHECK_STR(value_of(info, row->key), row->def);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_Info odd_info(const struct file_hint *row, int odd)
{
    return info_with(row->key, rank == odd ? row->other : row->def);
}

static void open_odd(const struct file_hint *row, int odd)
{
    MPI_Info info = odd_info(row, odd);
    MPI_File file;

    listen_begin();
    CHECK_EQ(MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR | MPI_MODE_CREATE, info, &file), MPI_SUCCESS);
    expect_named(listen_end(), row, odd, 1);
    check_value(file, row);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    close_file(&file);
}

static void set_odd(MPI_File file, const struct file_hint *row, int odd, int lines)
{
    MPI_Info info = odd_info(row, odd);

    listen_begin();
    CHECK_EQ(MPI_File_set_info(file, info), MPI_SUCCESS);
    expect_named(listen_end(), row, odd, lines);
    check_value(file, row);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* Only one rank has an info at all. */
static void view_odd(MPI_File file, const struct file_hint *row, int odd)
{
    MPI_Info info = rank == odd ? info_with(row->key, row->other) : MPI_INFO_NULL;

    listen_begin();
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "native", info), MPI_SUCCESS);
    expect_named(listen_end(), row, odd, 1);
    check_value(file, row);
    if (rank == odd)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int value = 1;
    MPI_File file;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("odd");
    for (int i = 0; i < ROWS; i++) /* each rank says a thing once: another one is odd each time */
        open_odd(&rows[i], i % size);
    file = open_new(0);
    for (int i = 0; i < ROWS; i++) {
        set_odd(file, &rows[i], (i + 1) % size, 1);
        set_odd(file, &rows[i], (i + 1) % size, 0); /* it has been said */
    }
    CHECK_EQ(MPI_File_write_at_all(file, 4 * rank, &value, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    close_file(&file);
    file = open_new(0);
    for (int i = 0; i < ROWS; i++)
        view_odd(file, &rows[i], (i + 2) % size);
    close_file(&file);
    remove_file();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
