/* ranks: 1 2 3  timeout: 60 */
/* Representations: external32, whose values have other sizes and another order of bytes, and one of the program's.
 * Views, positions and sizes count the file's bytes; statuses count memory's; callbacks come with the standard's
 * arguments, and their errors are MPI_ERR_CONVERSION. */
#include "files.h"

enum {
    VALUES = 10
};

static int extents, reads, writes, failing;
static char state[] = "state";

/* In the file an int is 8 bytes: the value, and its complement. */
static int wide_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    CHECK(extra == state);
    CHECK_EQ(type, MPI_INT);
    *extent = 8;
    extents++;
    return MPI_SUCCESS;
}

static int wide_read(void *user, MPI_Datatype type, int count, void *in_file, MPI_Offset position,
                     void *extra)
{
    const int *pair = in_file;
    int extent_of_pairs = type != MPI_INT;

    CHECK(extra == state);
    for (int i = 0; i < count; i++) {
        CHECK_EQ(pair[2 * i], ~pair[2 * i + 1]);
        ((int *)user)[(position + i) * (1 + extent_of_pairs)] = pair[2 * i];
    }
    reads++;
    return failing ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int wide_write(void *user, MPI_Datatype type, int count, void *in_file, MPI_Offset position,
                      void *extra)
{
    int *pair = in_file, step = type == MPI_INT ? 1 : 2;

    CHECK(extra == state);
    for (int i = 0; i < count; i++) {
        pair[2 * i] = ((int *)user)[(position + i) * step];
        pair[2 * i + 1] = ~pair[2 * i];
    }
    writes++;
    return failing ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static void registering(void)
{
    CHECK_EQ(MPI_Register_datarep("wide", wide_read, wide_write, wide_extent, state), MPI_SUCCESS);
    CHECK_EQ(class_of(MPI_Register_datarep("wide", wide_read, wide_write, wide_extent, state)),
             MPI_ERR_DUP_DATAREP);
    CHECK_EQ(class_of(MPI_Register_datarep("external32", NULL, NULL, wide_extent, NULL)),
             MPI_ERR_DUP_DATAREP);
    CHECK_EQ(class_of(MPI_Register_datarep("", NULL, NULL, wide_extent, NULL)), MPI_ERR_ARG);
    CHECK_EQ(extents + reads + writes, 0);
}

/* The ints of rank r are every size-th. */
static MPI_Datatype every(MPI_Datatype of)
{
    int sizes = size, subsizes = 1, starts = rank;
    MPI_Datatype type;

    CHECK_EQ(MPI_Type_create_subarray(1, &sizes, &subsizes, &starts, MPI_ORDER_C, of, &type), MPI_SUCCESS);
    return committed(type);
}

static void own_representation(MPI_File file)
{
    int values[VALUES], got[2 * VALUES] = {0};
    MPI_Datatype mine = every(MPI_INT), spread;
    MPI_Request request;
    MPI_Aint extent;
    MPI_Offset at;
    MPI_Status status;

    for (int i = 0; i < VALUES; i++)
        values[i] = 100 * rank + i;
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, mine, "wide", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(extents, 0); /* only data access may call it */
    CHECK_EQ(MPI_File_get_type_extent(file, MPI_INT, &extent), MPI_SUCCESS);
    CHECK_EQ(extent, 8);
    CHECK_EQ(MPI_File_write_all(file, values, VALUES, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), VALUES);
    CHECK(writes > 0);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(bytes_on_disk(), 8 * VALUES * size);
    CHECK_EQ(MPI_File_get_byte_offset(file, 3, &at), MPI_SUCCESS);
    CHECK_EQ(at, 8 * (3 * size + rank));
    CHECK_EQ(MPI_Type_vector(VALUES, 1, 2, MPI_INT, &spread), MPI_SUCCESS);
    spread = committed(spread);
    CHECK_EQ(MPI_File_iread_at(file, 0, got, 1, spread, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    for (int i = 0; i < VALUES; i++)
        CHECK_EQ(got[2 * i], values[i]);
    CHECK_EQ(MPI_File_read_at(file, VALUES - 2, got, 4, MPI_INT, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_INT), 2);
    CHECK_EQ(got[1], values[VALUES - 1]);
    failing = 1;
    CHECK_EQ(class_of(MPI_File_read_at(file, 0, got, 1, MPI_INT, &status)), MPI_ERR_CONVERSION);
    CHECK_EQ(class_of(MPI_File_write_at(file, 0, values, 1, MPI_INT, &status)), MPI_ERR_CONVERSION);
    failing = 0;
    CHECK_EQ(MPI_Type_free(&spread), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&mine), MPI_SUCCESS);
}

static MPI_Aint given; /* what bad_extent says */
static int code;       /* and returns */

static int bad_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    (void)type, (void)extra;
    *extent = given;
    return code;
}

/* No call goes on without the extent of a value in the file. */
static void refuse_extent(MPI_File file, int class)
{
    MPI_Aint extent = -5;
    MPI_Offset at = -5;
    int value = 0;

    CHECK_EQ(class_of(MPI_File_get_type_extent(file, MPI_INT, &extent)), class);
    CHECK_EQ(extent, -5);
    CHECK_EQ(class_of(MPI_File_get_byte_offset(file, 0, &at)), class);
    CHECK_EQ(at, -5);
    CHECK_EQ(class_of(MPI_File_seek(file, 0, MPI_SEEK_SET)), class);
    CHECK_EQ(class_of(MPI_File_seek_shared(file, 0, MPI_SEEK_SET)), class);
    CHECK_EQ(class_of(MPI_File_write_at(file, 0, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), class);
    CHECK_EQ(class_of(MPI_File_read_all(file, &value, 1, MPI_INT, MPI_STATUS_IGNORE)), class);
}

static void bad_extents(MPI_File file)
{
    char name[MPI_MAX_DATAREP_STRING + 1];

    memset(name, 'n', sizeof name);
    name[MPI_MAX_DATAREP_STRING] = 0;
    CHECK_EQ(class_of(MPI_Register_datarep(name, NULL, NULL, bad_extent, NULL)), MPI_ERR_ARG);
    name[MPI_MAX_DATAREP_STRING - 1] = 0; /* the longest */
    CHECK_EQ(class_of(MPI_Register_datarep(name, NULL, NULL, NULL, NULL)), MPI_ERR_ARG);
    CHECK_EQ(MPI_Register_datarep(name, NULL, NULL, bad_extent, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, name, MPI_INFO_NULL), MPI_SUCCESS);
    given = 4;
    code = MPI_ERR_OTHER;
    refuse_extent(file, MPI_ERR_CONVERSION);
    code = MPI_SUCCESS;
    given = -4;
    refuse_extent(file, MPI_ERR_CONVERSION);
    given = 0;
    refuse_extent(file, MPI_ERR_CONVERSION);
    given = MPI_UNDEFINED;
    refuse_extent(file, MPI_ERR_VALUE_TOO_LARGE);
    given = 4;
    CHECK_EQ(MPI_File_seek(file, 3, MPI_SEEK_SET), MPI_SUCCESS);
}

static void check_external(void)
{
    unsigned char bytes[4];
    int fd = open(path, O_RDONLY);

    CHECK(fd >= 0);
    for (int i = 0; i < VALUES * size; i++) {
        int value = 1000 * (i % size) + i / size;

        CHECK_EQ(pread(fd, bytes, 4, 4 * i), 4);
        CHECK_EQ(bytes[3], value & 255);
        CHECK_EQ(bytes[2], value >> 8);
    }
    close(fd);
}

/* A long has 8 bytes here and 4 there. */
static void external32(MPI_File file)
{
    long values[VALUES], got[VALUES + 5];
    MPI_Datatype mine = every(MPI_LONG);
    MPI_Request request;
    MPI_Aint extent;
    MPI_Status status;

    for (int i = 0; i < VALUES; i++)
        values[i] = 1000 * rank + i;
    memset(got, 0x11, sizeof got);
    CHECK_EQ(MPI_File_set_size(file, 0), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, 0, MPI_LONG, mine, "external32", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_File_get_type_extent(file, MPI_LONG, &extent), MPI_SUCCESS);
    CHECK_EQ(extent, 4);
    CHECK_EQ(MPI_File_iwrite_at(file, 0, values, VALUES, MPI_LONG, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_LONG), VALUES);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    check_external();
    CHECK_EQ(MPI_File_read_at_all(file, 1, got, VALUES + 4, MPI_LONG, &status), MPI_SUCCESS);
    CHECK_EQ(count_of(&status, MPI_LONG), VALUES - 1);
    CHECK(memcmp(got, values + 1, (VALUES - 1) * sizeof *got) == 0);
    CHECK_EQ(got[VALUES - 1], 0x1111111111111111);
    CHECK_EQ(MPI_Type_free(&mine), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_File file;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("datareps");
    file = open_new(MPI_MODE_DELETE_ON_CLOSE);
    registering();
    own_representation(file);
    bad_extents(file);
    external32(file);
    close_file(&file);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
