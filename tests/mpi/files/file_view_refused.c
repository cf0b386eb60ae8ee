/* ranks: 1 2 */
/* MPI_File_set_view refuses what MPI-5.0, 15.3 forbids, and leaves the old view in force. */
#include "file.h"

static MPI_File fh;

static MPI_Datatype committed(MPI_Datatype type)
{
    OK(MPI_Type_commit(&type));
    return type;
}

static MPI_Datatype blocks(int count, const int *lengths, const int *places, MPI_Datatype type)
{
    MPI_Datatype made;

    OK(MPI_Type_indexed(count, lengths, places, type, &made));
    return committed(made);
}

#define FAILS(disp, etype, filetype, datarep, class, word)                                                   \
    (REFUSED(MPI_File_set_view(fh, disp, etype, filetype, datarep, MPI_INFO_NULL), class, word), check_kept())

/* The old view is still there: disp 8, int. */
static void check_kept(void)
{
    MPI_Offset disp, size_in_bytes;
    MPI_Datatype etype, filetype;
    char datarep[MPI_MAX_DATAREP_STRING];

    OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
    CHECK_EQ(disp, 8);
    CHECK_EQ(etype, MPI_INT);
    CHECK_EQ(filetype, MPI_INT);
    CHECK_STR(datarep, "native");
    OK(MPI_File_get_byte_offset(fh, 1, &size_in_bytes));
    CHECK_EQ(size_in_bytes, 12);
}

static void filetypes(void)
{
    MPI_Datatype decreasing = blocks(2, (int[]){1, 1}, (int[]){4, 0}, MPI_INT);
    MPI_Datatype negative = blocks(2, (int[]){1, 1}, (int[]){-2, 0}, MPI_INT);
    MPI_Datatype odd = blocks(2, (int[]){1, 2}, (int[]){0, 5}, MPI_BYTE); /* no whole number of etypes */
    MPI_Datatype raw;

    FAILS(0, MPI_INT, decreasing, "native", MPI_ERR_TYPE, "decrease");
    FAILS(0, MPI_INT, negative, "native", MPI_ERR_TYPE, "negative");
    FAILS(0, MPI_INT, odd, "native", MPI_ERR_TYPE, "etype");
    FAILS(0, decreasing, decreasing, "native", MPI_ERR_TYPE, "");
    FAILS(0, MPI_DATATYPE_NULL, MPI_INT, "native", MPI_ERR_TYPE, "etype");
    FAILS(0, MPI_INT, MPI_DATATYPE_NULL, "native", MPI_ERR_TYPE, "filetype");
    OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    FAILS(0, MPI_INT, raw, "native", MPI_ERR_TYPE, "commit");
    OK(MPI_Type_free(&raw));
    OK(MPI_Type_free(&decreasing));
    OK(MPI_Type_free(&negative));
    OK(MPI_Type_free(&odd));
}

/* Overlapping regions are for reading only. */
static void overlaps(void)
{
    MPI_Datatype twice = blocks(2, (int[]){2, 2}, (int[]){0, 1}, MPI_INT);
    int values[8] = {0};
    MPI_File other;
    MPI_Status status;

    FAILS(0, MPI_INT, twice, "native", MPI_ERR_TYPE, "overlap");
    other = opened(MPI_MODE_RDONLY);
    OK(MPI_File_set_view(other, 0, MPI_INT, twice, "native", MPI_INFO_NULL));
    OK(MPI_File_read(other, values, 4, MPI_INT, &status));
    CHECK_EQ(count_of(&status, MPI_INT), 4);
    CHECK_EQ(values[1], values[2]);
    CHECK_EQ(values[0] & 0xff, 0);
    CHECK_EQ(values[1] & 0xff, 4);
    CHECK_EQ(values[3] & 0xff, 8);
    OK(MPI_File_close(&other));
    OK(MPI_Type_free(&twice));
}

static void others(void)
{
    char long_name[3 * MPI_MAX_DATAREP_STRING];

    FAILS(-2, MPI_INT, MPI_INT, "native", MPI_ERR_ARG, "-2");
    FAILS(MPI_DISPLACEMENT_CURRENT, MPI_INT, MPI_INT, "native", MPI_ERR_ARG, "");
    FAILS(0, MPI_INT, MPI_INT, "native ", MPI_ERR_UNSUPPORTED_DATAREP, "native ");
    FAILS(0, MPI_INT, MPI_INT, "external64", MPI_ERR_UNSUPPORTED_DATAREP, "external64");
    FAILS(0, MPI_INT, MPI_INT, "", MPI_ERR_UNSUPPORTED_DATAREP, "");
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = 0;
    FAILS(0, MPI_INT, MPI_INT, long_name, MPI_ERR_UNSUPPORTED_DATAREP, "xxx");
}

/* The datarep and the extent of the etype must be the same on all ranks; all are told. */
static void not_the_same(void)
{
    int class;

    if (size == 1)
        return;
    FAILS(0, MPI_INT, MPI_INT, rank ? "native" : "external32", MPI_ERR_NOT_SAME, "datarep");
    FAILS(0, rank ? MPI_INT : MPI_DOUBLE, rank ? MPI_INT : MPI_DOUBLE, "native", MPI_ERR_NOT_SAME, "etype");
    /* Only one rank's view is wrong. */
    class = class_of(MPI_File_set_view(fh, rank == 1 ? -2 : 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    CHECK(class != MPI_SUCCESS);
    CHECK(class == MPI_ERR_ARG || rank != 1);
    check_kept();
    OK(MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    /* Etypes may differ where extents do not. */
    OK(MPI_File_set_view(fh, 0, rank ? MPI_INT : MPI_FLOAT, rank ? MPI_INT : MPI_FLOAT, "native",
                         MPI_INFO_NULL));
    OK(MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
}

int main(int argc, char **argv)
{
    set_up(&argc, &argv);
    make_file(64, 0600);
    fh = opened(MPI_MODE_RDWR);
    OK(MPI_File_set_view(fh, 8, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    check_kept();
    filetypes();
    overlaps();
    others();
    not_the_same();
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
