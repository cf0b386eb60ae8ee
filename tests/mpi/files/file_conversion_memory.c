/* ranks: 1 2  timeout: 60  not: address  not: thread */
/* Data that is converted needs little memory besides the program's: a rank writes and reads 32 MiB with room for less,
 * by itself and through the buffers of aggregators, as external32 and by callbacks. */
#include "files.h"
#include "most_memory.h"

#include <string.h>

enum {
    MIB = 1 << 20,
    BLOCK = 1024, /* values of a rank before those of the next */
    VALUES = 32 * MIB / (int)sizeof(int),
    ROOM_KIB = 20 * 1024
};

static int *values, *got;

static int same_extent(MPI_Datatype type, MPI_Aint *extent, void *extra)
{
    (void)extra;
    CHECK_EQ(type, MPI_INT);
    *extent = sizeof(int);
    return MPI_SUCCESS;
}

static int flip_read(void *user, MPI_Datatype type, int count, void *in_file, MPI_Offset position,
                     void *extra)
{
    (void)type, (void)extra;
    for (int i = 0; i < count; i++)
        ((int *)user)[position + i] = ~((int *)in_file)[i];
    return MPI_SUCCESS;
}

static int flip_write(void *user, MPI_Datatype type, int count, void *in_file, MPI_Offset position,
                      void *extra)
{
    (void)type, (void)extra;
    for (int i = 0; i < count; i++)
        ((int *)in_file)[i] = ~((int *)user)[position + i];
    return MPI_SUCCESS;
}

static void set_view(MPI_File file, const char *datarep, const char *buffers)
{
    MPI_Datatype filetype;
    MPI_Info info;

    CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_write", buffers), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "romio_cb_read", buffers), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_vector(VALUES / BLOCK, BLOCK, BLOCK * size, MPI_INT, &filetype), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_commit(&filetype), MPI_SUCCESS);
    CHECK_EQ(MPI_File_set_view(file, (MPI_Offset)rank * BLOCK * (MPI_Offset)sizeof(int), MPI_INT, filetype,
                               datarep, info),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&filetype), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void move(MPI_File file, const char *datarep, const char *buffers)
{
    MPI_Status status;
    MPI_Request request;
    int count;
    long before;

    set_view(file, datarep, buffers);
    memset(got, 0, (size_t)VALUES * sizeof *got);
    forget_most();
    before = most_kib();
    CHECK_EQ(MPI_File_write_at_all(file, 0, values, VALUES, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_iwrite_at(file, 0, values, VALUES, MPI_INT, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(file, 0, got, VALUES, MPI_INT, &status), MPI_SUCCESS);
    CHECK(most_kib() < before + ROOM_KIB);
    CHECK_EQ(MPI_Get_count(&status, MPI_INT, &count), MPI_SUCCESS);
    CHECK_EQ(count, VALUES);
    CHECK_EQ(memcmp(values, got, (size_t)VALUES * sizeof *got), 0);
}

int main(int argc, char **argv)
{
    MPI_File file;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    name_file("conversion_memory");
    CHECK_EQ(MPI_Register_datarep("flipped", flip_read, flip_write, same_extent, NULL), MPI_SUCCESS);
    values = malloc((size_t)VALUES * sizeof *values);
    got = malloc((size_t)VALUES * sizeof *got);
    CHECK(values && got);
    for (int i = 0; i < VALUES; i++)
        values[i] = i * 7 + rank;
    file = open_new(0);
    move(file, "external32", "disable");
    move(file, "external32", "enable");
    move(file, "flipped", "disable");
    move(file, "flipped", "enable");
    close_file(&file);
    remove_file();
    free(values);
    free(got);
    MPI_Finalize();
    return 0;
}
