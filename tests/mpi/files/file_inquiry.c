/* ranks: 1 2 3 */
/* What a file says of itself is what it was told: its mode, group, info, atomicity, size, types and offsets. */
#include "file.h"

static const MPI_Offset most = (MPI_Offset)((uint64_t)-1 >> 1);

static void modes(void)
{
    const int amodes[] = {MPI_MODE_RDONLY, MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL,
                          MPI_MODE_WRONLY | MPI_MODE_APPEND, MPI_MODE_RDWR | MPI_MODE_CREATE,
                          MPI_MODE_RDWR | MPI_MODE_UNIQUE_OPEN};
    int amode;

    for (size_t i = 0; i < sizeof amodes / sizeof *amodes; i++) {
        MPI_File fh = opened(amodes[i]);

        OK(MPI_File_get_amode(fh, &amode));
        CHECK_EQ(amode, amodes[i]);
        OK(MPI_File_close(&fh));
    }
}

/* The group is that of the communicator, whose order is the world's backwards. */
static void groups(void)
{
    MPI_Group wanted, group;
    MPI_Comm backwards;
    MPI_File fh;
    int result;

    OK(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards));
    OK(MPI_File_open(backwards, path, MPI_MODE_RDWR, MPI_INFO_NULL, &fh));
    OK(MPI_Comm_group(backwards, &wanted));
    OK(MPI_Comm_free(&backwards));
    OK(MPI_File_get_group(fh, &group));
    OK(MPI_Group_compare(group, wanted, &result));
    CHECK_EQ(result, MPI_IDENT);
    OK(MPI_Group_free(&group));
    OK(MPI_Group_free(&wanted));
    OK(MPI_File_close(&fh));
}

static void check_info(MPI_File fh, const char *key, const char *expected)
{
    char value[MPI_MAX_INFO_VAL] = "";
    int length = sizeof value, flag;
    MPI_Info info;

    OK(MPI_File_get_info(fh, &info));
    OK(MPI_Info_get_string(info, key, &length, value, &flag));
    CHECK_EQ(flag, 1);
    CHECK_STR(value, expected);
    OK(MPI_Info_free(&info));
}

static void infos(MPI_File fh)
{
    MPI_Info info;

    check_info(fh, "filename", path);
    OK(MPI_Info_create(&info));
    OK(MPI_Info_set(info, "cb_nodes", "3"));
    OK(MPI_File_set_info(fh, info));
    check_info(fh, "cb_nodes", "3");
    OK(MPI_Info_set(info, "cb_nodes", "2"));
    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", info));
    check_info(fh, "cb_nodes", "2");
    OK(MPI_Info_free(&info));
}

static void atomicity(MPI_File fh)
{
    int flag = -1;

    OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 0);
    OK(MPI_File_set_atomicity(fh, 2 + rank)); /* all of them mean true */
    OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_File_set_atomicity(fh, 0));
    OK(MPI_File_get_atomicity(fh, &flag));
    CHECK_EQ(flag, 0);
}

static void check_size(MPI_File fh, MPI_Offset expected)
{
    MPI_Offset bytes;

    barrier();
    OK(MPI_File_get_size(fh, &bytes));
    CHECK_EQ(bytes, expected);
    barrier();
}

static void sizes(MPI_File fh)
{
    OK(MPI_File_set_size(fh, 10));
    check_size(fh, 10);
    CHECK_EQ(byte_at(9), 9);
    OK(MPI_File_set_size(fh, 20));
    check_size(fh, 20);
    CHECK_EQ(byte_at(19), 0);
    OK(MPI_File_preallocate(fh, 40));
    check_size(fh, 40);
    OK(MPI_File_preallocate(fh, 30)); /* no file becomes shorter by it */
    OK(MPI_File_preallocate(fh, 0));
    check_size(fh, 40);
    CHECK_EQ(byte_at(9), 9);
}

/* MPI_File_get_byte_offset at the ends of what there is. */
static void offsets(MPI_File fh)
{
    MPI_Datatype nothing;
    MPI_Offset at = -1;

    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_get_byte_offset(fh, most - 1, &at));
    CHECK_EQ(at, most - 1);
    REFUSED(MPI_File_get_byte_offset(fh, most, &at), MPI_ERR_ARG, "");
    OK(MPI_File_set_view(fh, 1, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
    OK(MPI_File_get_byte_offset(fh, 0, &at));
    CHECK_EQ(at, 1);
    OK(MPI_File_get_byte_offset(fh, most - 2, &at));
    CHECK_EQ(at, most - 1);
    REFUSED(MPI_File_get_byte_offset(fh, most - 1, &at), MPI_ERR_ARG, "");
    OK(MPI_Type_contiguous(0, MPI_INT, &nothing));
    OK(MPI_Type_commit(&nothing));
    OK(MPI_File_set_view(fh, 12, MPI_INT, nothing, "native", MPI_INFO_NULL));
    OK(MPI_File_get_byte_offset(fh, 0, &at));
    CHECK_EQ(at, 12);
    OK(MPI_File_seek(fh, 0, MPI_SEEK_END));
    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, 0);
    OK(MPI_Type_free(&nothing));
}

/* The types of a view are the caller's own, committed. */
static void check_types(MPI_File fh, MPI_Datatype filetype, int bytes)
{
    MPI_Datatype types[2];
    MPI_Aint lb, extent, lb_before, extent_before;
    MPI_Offset disp;
    int values[8] = {0}, room[8], place = 0;
    char datarep[MPI_MAX_DATAREP_STRING];

    OK(MPI_Type_get_extent(filetype, &lb_before, &extent_before));
    OK(MPI_File_get_view(fh, &disp, &types[0], &types[1], datarep));
    CHECK_EQ(disp, 4);
    CHECK_STR(datarep, "internal");
    CHECK_EQ(types[0], MPI_INT);
    OK(MPI_Type_get_extent(types[1], &lb, &extent));
    CHECK_EQ(extent, extent_before);
    OK(MPI_Pack(values, 1, types[1], room, sizeof room, &place, MPI_COMM_SELF));
    CHECK_EQ(place, bytes);
    OK(MPI_Type_free(&types[1]));
}

static void types(MPI_File fh)
{
    MPI_Datatype pair;
    MPI_Aint extent;

    OK(MPI_Type_vector(2, 1, 3, MPI_INT, &pair));
    OK(MPI_Type_commit(&pair));
    OK(MPI_File_set_view(fh, 4, MPI_INT, pair, "internal", MPI_INFO_NULL));
    check_types(fh, pair, 8);
    check_types(fh, pair, 8); /* also when those of the call before are gone */
    OK(MPI_Type_free(&pair));
    OK(MPI_Type_vector(2, 1, 3, MPI_LONG, &pair));
    OK(MPI_File_get_type_extent(fh, pair, &extent));
    CHECK_EQ(extent, 32);
    OK(MPI_File_set_view(fh, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL));
    OK(MPI_File_get_type_extent(fh, pair, &extent));
    CHECK_EQ(extent, 16);
    OK(MPI_Type_free(&pair));
}

static void check_positions(MPI_File fh, MPI_Offset individual, MPI_Offset shared)
{
    MPI_Offset at;

    OK(MPI_File_get_position(fh, &at));
    CHECK_EQ(at, individual);
    OK(MPI_File_get_position_shared(fh, &at));
    CHECK_EQ(at, shared);
    barrier();
}

/* Each new view takes both pointers back, and one that is refused neither. */
static void positions(MPI_File fh)
{
    for (int i = 1; i < 4; i++) {
        OK(MPI_File_set_view(fh, i, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL));
        check_positions(fh, 0, 0);
        OK(MPI_File_seek(fh, i + rank, MPI_SEEK_SET));
        OK(MPI_File_seek_shared(fh, 2 * i, MPI_SEEK_SET));
        check_positions(fh, i + rank, 2 * i);
        REFUSED(MPI_File_set_view(fh, -7, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL), MPI_ERR_ARG, "-7");
        check_positions(fh, i + rank, 2 * i);
    }
}

/* The displacement of a sequential file's next view, where the last one had gaps: the shared pointer's place. */
static void sequential_displacement(void)
{
    MPI_File fh = opened(MPI_MODE_RDONLY | MPI_MODE_SEQUENTIAL);
    MPI_Datatype gaps, etype, filetype;
    MPI_Offset disp;
    char datarep[MPI_MAX_DATAREP_STRING];
    short value;

    REFUSED(MPI_File_get_byte_offset(fh, 0, &disp), MPI_ERR_UNSUPPORTED_OPERATION, "SEQUENTIAL");
    OK(MPI_Type_create_resized(MPI_SHORT, 0, 6, &gaps));
    OK(MPI_Type_commit(&gaps));
    OK(MPI_File_read_ordered(fh, &value, 1, MPI_BYTE, MPI_STATUS_IGNORE));
    for (int i = 0; i < 2; i++) {
        OK(MPI_File_set_view(fh, MPI_DISPLACEMENT_CURRENT, MPI_SHORT, gaps, "native", MPI_INFO_NULL));
        OK(MPI_File_get_view(fh, &disp, &etype, &filetype, datarep));
        CHECK_EQ(disp, size + 6 * size * i);
        OK(MPI_Type_free(&filetype));
        OK(MPI_File_read_ordered(fh, &value, 1, MPI_SHORT, MPI_STATUS_IGNORE));
    }
    OK(MPI_Type_free(&gaps));
    OK(MPI_File_close(&fh));
}

int main(int argc, char **argv)
{
    MPI_File fh;

    set_up(&argc, &argv);
    make_file(100, 0600);
    modes();
    groups();
    sequential_displacement();
    fh = opened(MPI_MODE_RDWR);
    infos(fh);
    atomicity(fh);
    sizes(fh);
    offsets(fh);
    types(fh);
    positions(fh);
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
