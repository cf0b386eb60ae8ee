/* ranks: 1 2 */
/* Bad arguments of data access, of seeks and of sizes are refused before anything is moved (MPI-5.0, 15.2, 15.4). */
#include "file.h"

static int value = 77;
static MPI_Status status;

static void counts_and_types(MPI_File fh)
{
    MPI_Datatype raw;
    MPI_Request request = MPI_REQUEST_NULL;

    OK(MPI_Type_contiguous(2, MPI_INT, &raw));
    REFUSED(MPI_File_write_at(fh, 0, &value, -1, MPI_INT, &status), MPI_ERR_COUNT, "-1");
    REFUSED(MPI_File_read(fh, &value, -1, MPI_INT, &status), MPI_ERR_COUNT, "-1");
    REFUSED(MPI_File_write_at(fh, 0, &value, 1, MPI_DATATYPE_NULL, &status), MPI_ERR_TYPE, "");
    REFUSED(MPI_File_write_at(fh, 0, &value, 1, raw, &status), MPI_ERR_TYPE, "commit");
    REFUSED(MPI_File_write(fh, &value, 1, raw, &status), MPI_ERR_TYPE, "commit");
    REFUSED(MPI_File_iwrite_at(fh, 0, &value, -1, MPI_INT, &request), MPI_ERR_COUNT, "-1");
    REFUSED(MPI_File_iread_at(fh, 0, &value, 1, raw, &request), MPI_ERR_TYPE, "commit");
    CHECK_EQ(request, MPI_REQUEST_NULL);
    REFUSED(MPI_File_write_at(fh, 0, NULL, 1, MPI_INT, &status), MPI_ERR_BUFFER, "");
    OK(MPI_Type_free(&raw));
}

static void offsets(MPI_File fh)
{
    const MPI_Offset most = (MPI_Offset)((uint64_t)-1 >> 1);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Offset place = -5;

    REFUSED(MPI_File_write_at(fh, -1, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "-1");
    REFUSED(MPI_File_read_at(fh, -8, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "-8");
    REFUSED(MPI_File_iwrite_at(fh, -1, &value, 1, MPI_INT, &request), MPI_ERR_ARG, "-1");
    REFUSED(MPI_File_iread_at(fh, -1, &value, 1, MPI_INT, &request), MPI_ERR_ARG, "-1");
    CHECK_EQ(request, MPI_REQUEST_NULL);
    REFUSED(MPI_File_get_byte_offset(fh, -1, &place), MPI_ERR_ARG, "-1");
    /* Ends after the last byte that a file can have. */
    REFUSED(MPI_File_write_at(fh, most, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "");
    REFUSED(MPI_File_write_at(fh, most - 1, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "");
    OK(MPI_File_set_view(fh, 16, MPI_INT, MPI_INT, "native", MPI_INFO_NULL));
    REFUSED(MPI_File_write_at(fh, most / 2, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "");
    REFUSED(MPI_File_get_byte_offset(fh, most / 2, &place), MPI_ERR_ARG, "");
    REFUSED(MPI_File_write_at(fh, most / 4, &value, 1, MPI_INT, &status), MPI_ERR_ARG, "");
    CHECK_EQ(place, -5);
    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
}

static void positions(MPI_File fh)
{
    const MPI_Offset most = (MPI_Offset)((uint64_t)-1 >> 1);
    MPI_Offset at;

    OK(MPI_File_seek(fh, 10, MPI_SEEK_SET));
    REFUSED(MPI_File_seek(fh, -1, MPI_SEEK_SET), MPI_ERR_ARG, "-1");
    REFUSED(MPI_File_seek(fh, -11, MPI_SEEK_CUR), MPI_ERR_ARG, "-11");
    REFUSED(MPI_File_seek(fh, -1000, MPI_SEEK_END), MPI_ERR_ARG, "-1000");
    REFUSED(MPI_File_seek(fh, most, MPI_SEEK_CUR), MPI_ERR_ARG, "");
    REFUSED(MPI_File_seek(fh, 0, 12345), MPI_ERR_ARG, "12345");
    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, 10);
    OK(MPI_File_seek_shared(fh, 10, MPI_SEEK_SET));
    REFUSED(MPI_File_seek_shared(fh, -1, MPI_SEEK_SET), MPI_ERR_ARG, "-1");
    REFUSED(MPI_File_seek_shared(fh, -11, MPI_SEEK_CUR), MPI_ERR_ARG, "-11");
    REFUSED(MPI_File_seek_shared(fh, 0, 12345), MPI_ERR_ARG, "");
    if (size > 1)
        REFUSED(MPI_File_seek_shared(fh, rank, MPI_SEEK_SET), MPI_ERR_NOT_SAME, "");
    OK(MPI_File_get_position_shared(fh, &at));
    CHECK_EQ(at, 10);
}

static void sizes(MPI_File fh)
{
    REFUSED(MPI_File_set_size(fh, -1), MPI_ERR_ARG, "-1");
    REFUSED(MPI_File_preallocate(fh, -1), MPI_ERR_ARG, "-1");
    if (size > 1)
        REFUSED(MPI_File_set_size(fh, 100 + rank), MPI_ERR_NOT_SAME, "same");
    if (size > 1)
        REFUSED(MPI_File_preallocate(fh, 100 + rank), MPI_ERR_NOT_SAME, "same");
    if (size > 1)
        REFUSED(MPI_File_set_atomicity(fh, rank), MPI_ERR_NOT_SAME, "");
    CHECK_EQ(size_of_file(), 64);
}

/* What the mode does not allow. */
static void modes(void)
{
    MPI_File fh = opened(MPI_MODE_RDONLY);
    MPI_Request request = MPI_REQUEST_NULL;

    REFUSED(MPI_File_write_at(fh, 0, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_write(fh, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_write_all(fh, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_write_shared(fh, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_write_ordered(fh, &value, 1, MPI_INT, &status), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_iwrite(fh, &value, 1, MPI_INT, &request), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_set_size(fh, 0), MPI_ERR_READ_ONLY, name);
    REFUSED(MPI_File_preallocate(fh, 4096), MPI_ERR_READ_ONLY, name);
    OK(MPI_File_read_at(fh, 0, &value, 1, MPI_INT, &status));
    OK(MPI_File_sync(fh));
    OK(MPI_File_close(&fh));
    fh = opened(MPI_MODE_WRONLY);
    REFUSED(MPI_File_read_at(fh, 0, &value, 1, MPI_INT, &status), MPI_ERR_ACCESS, name);
    REFUSED(MPI_File_read_all(fh, &value, 1, MPI_INT, &status), MPI_ERR_ACCESS, name);
    REFUSED(MPI_File_iread_shared(fh, &value, 1, MPI_INT, &request), MPI_ERR_ACCESS, name);
    OK(MPI_File_close(&fh));
    CHECK_EQ(request, MPI_REQUEST_NULL);
    CHECK_EQ(size_of_file(), 64);
}

/* MPI-5.0, 15.4: MPI_MODE_SEQUENTIAL has the shared pointer only, and no seeks. */
static void sequential(void)
{
    MPI_File fh = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    MPI_Offset at;

    REFUSED(MPI_File_read_at(fh, 0, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION,
            "SEQUENTIAL");
    REFUSED(MPI_File_read(fh, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_read_all(fh, &value, 1, MPI_INT, &status), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_seek(fh, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_get_position(fh, &at), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_get_position_shared(fh, &at), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    OK(MPI_File_read_ordered(fh, &value, 1, MPI_INT, &status));
    CHECK_EQ(value & 0xff, 4 * rank);
    OK(MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_read_ordered(fh, &value, 4, MPI_BYTE, &status)); /* on from where the shared pointer was */
    CHECK_EQ(value & 0xff, 4 * (size + rank));
    OK(MPI_File_close(&fh));
    fh = opened(MPI_MODE_WRONLY | MPI_MODE_SEQUENTIAL);
    REFUSED(MPI_File_set_size(fh, 4), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    REFUSED(MPI_File_preallocate(fh, 4), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    OK(MPI_File_close(&fh));
}

/* Each call on no file, and on one that was closed. */
static void no_file(MPI_File fh)
{
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Datatype a, b;
    MPI_Group group;
    MPI_Info info;
    MPI_Offset at;
    char text[MPI_MAX_DATAREP_STRING];
    int flag;

    REFUSED(MPI_File_get_size(fh, &at), MPI_ERR_FILE, "");
    REFUSED(MPI_File_set_size(fh, 0), MPI_ERR_FILE, "");
    REFUSED(MPI_File_preallocate(fh, 0), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_group(fh, &group), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_amode(fh, &flag), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_info(fh, &info), MPI_ERR_FILE, "");
    REFUSED(MPI_File_set_info(fh, MPI_INFO_NULL), MPI_ERR_FILE, "");
    REFUSED(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", MPI_INFO_NULL), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_view(fh, &at, &a, &b, text), MPI_ERR_FILE, "");
    REFUSED(MPI_File_read_at(fh, 0, &value, 1, MPI_INT, &status), MPI_ERR_FILE, "");
    REFUSED(MPI_File_write(fh, &value, 1, MPI_INT, &status), MPI_ERR_FILE, "");
    REFUSED(MPI_File_iread(fh, &value, 1, MPI_INT, &request), MPI_ERR_FILE, "");
    REFUSED(MPI_File_write_all_begin(fh, &value, 1, MPI_INT), MPI_ERR_FILE, "");
    REFUSED(MPI_File_write_all_end(fh, &value, &status), MPI_ERR_FILE, "");
    REFUSED(MPI_File_seek(fh, 0, MPI_SEEK_SET), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_position(fh, &at), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_byte_offset(fh, 0, &at), MPI_ERR_FILE, "");
    REFUSED(MPI_File_seek_shared(fh, 0, MPI_SEEK_SET), MPI_ERR_FILE, "");
    REFUSED(MPI_File_set_atomicity(fh, 1), MPI_ERR_FILE, "");
    REFUSED(MPI_File_get_atomicity(fh, &flag), MPI_ERR_FILE, "");
    REFUSED(MPI_File_sync(fh), MPI_ERR_FILE, "");
    REFUSED(MPI_File_close(&fh), MPI_ERR_FILE, "");
}

int main(int argc, char **argv)
{
    MPI_File fh, closed;

    set_up(&argc, &argv);
    make_file(64, 0600);
    fh = closed = opened(MPI_MODE_RDWR);
    counts_and_types(fh);
    offsets(fh);
    positions(fh);
    sizes(fh);
    OK(MPI_File_close(&fh));
    for (int i = 0; i < 64; i++)
        CHECK_EQ(byte_at(i), i);
    modes();
    sequential();
    no_file(MPI_FILE_NULL);
    no_file(closed);
    tear_down();
    return 0;
}
