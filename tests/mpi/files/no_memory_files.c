/* ranks: 1  timeout: 120  not: address  not: thread */
/* Memory is out for files: while they are opened, for their views and what they say of themselves, for moving data. */
#include "mpi/no_memory.h"

#include <unistd.h>

enum {
    INTS = CROWD / 2,
    MANY_TYPES = 1024
};

static char path[256];
static MPI_File opened[CROWD], gaps, swapped; /* with a filetype that has gaps; in external32 */
static MPI_Datatype spread, wide; /* pairs with a gap: of int; of long, which is shorter in external32 */

/* The step has made its i-th. */
static int note(int code, int i)
{
    if (!code)
        number[i] = i + 1;
    return code;
}

static int is_over(int i)
{
    (void)i;
    return MPI_SUCCESS;
}

static int open_file(int i)
{
    return note(TRY(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR, some_info, &opened[i])), i);
}

static int close_file(int i)
{
    return MPI_File_close(&opened[i]);
}

static int set_view(int i)
{
    return note(TRY(MPI_File_set_view(swapped, 0, MPI_LONG, wide, "external32", some_info)), i);
}

static int set_back(int i)
{
    (void)i;
    return MPI_File_set_view(swapped, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
}

static int set_info(int i)
{
    return note(TRY(MPI_File_set_info(gaps, some_info)), i);
}

static int get_view(int i)
{
    MPI_Datatype etype;
    MPI_Offset disp;
    char datarep[MPI_MAX_DATAREP_STRING];

    return TRY(MPI_File_get_view(gaps, &disp, &etype, &type[i], datarep));
}

static int drop_type(int i)
{
    return MPI_Type_free(&type[i]);
}

static int get_extent(int i)
{
    MPI_Aint extent;

    return note(TRY(MPI_File_get_type_extent(swapped, wide, &extent)), i);
}

static int get_info(int i)
{
    return TRY(MPI_File_get_info(gaps, &info[i]));
}

static int drop_info(int i)
{
    return MPI_Info_free(&info[i]);
}

static int get_group(int i)
{
    return TRY(MPI_File_get_group(gaps, &group[i]));
}

static int drop_group(int i)
{
    return MPI_Group_free(&group[i]);
}

static int write_gaps(int i)
{
    return note(TRY(MPI_File_write_at(gaps, 0, zeros, INTS, MPI_INT, MPI_STATUS_IGNORE)), i);
}

static int read_gaps(int i)
{
    return note(TRY(MPI_File_read_at_all(gaps, 0, value, INTS / 2, spread, MPI_STATUS_IGNORE)), i);
}

static int write_swapped(int i)
{
    return note(TRY(MPI_File_write_at(swapped, 0, zeros, INTS, MPI_INT, MPI_STATUS_IGNORE)), i);
}

static int read_swapped(int i)
{
    return note(TRY(MPI_File_read_at(swapped, 0, value, INTS, MPI_INT, MPI_STATUS_IGNORE)), i);
}

static int begin_and_wait(void)
{
    MPI_Request one;
    int code = MPI_File_iwrite_at(gaps, 0, zeros, 1, MPI_INT, &one);

    return code ? code : MPI_Wait(&one, MPI_STATUS_IGNORE);
}

static int begin_and_end(void)
{
    int code = MPI_File_read_all_begin(gaps, value, INTS, MPI_INT);

    return code ? code : MPI_File_read_all_end(gaps, value, MPI_STATUS_IGNORE);
}

/* MPI_File_get_view gives the view's own types once more, and takes back the etype's where there is no memory for the
 * filetype's. There is room for many before memory is needed, so all that there is room for are kept meanwhile. One
 * type more, and the other of the two finds none. */
static void no_room_for_types(bool has_more)
{
    static MPI_Datatype etypes[MANY_TYPES], filetypes[MANY_TYPES];
    MPI_Datatype etype = MPI_DATATYPE_NULL, filetype = MPI_DATATYPE_NULL, more = MPI_DATATYPE_NULL;
    MPI_Offset disp;
    char datarep[MPI_MAX_DATAREP_STRING];
    int made = 0, code = MPI_SUCCESS;

    CHECK_EQ(MPI_File_set_view(gaps, 0, spread, spread, "native", MPI_INFO_NULL), MPI_SUCCESS);
    if (has_more)
        MPI_Type_contiguous(2, MPI_INT, &more);
    while (code == MPI_SUCCESS && made < MANY_TYPES) {
        until_failure = 1;
        code = TRY(MPI_File_get_view(gaps, &disp, &etypes[made], &filetypes[made], datarep));
        until_failure = 0;
        made += code == MPI_SUCCESS;
    }
    CHECK_EQ(class_of(code), MPI_ERR_NO_MEM);
    CHECK_EQ(MPI_File_get_view(gaps, &disp, &etype, &filetype, datarep), MPI_SUCCESS);
    CHECK(etype != MPI_DATATYPE_NULL && filetype != MPI_DATATYPE_NULL);
    MPI_Type_free(&etype);
    MPI_Type_free(&filetype);
    for (int i = 0; i < made; i++) {
        MPI_Type_free(&etypes[i]);
        MPI_Type_free(&filetypes[i]);
    }
    if (has_more)
        MPI_Type_free(&more);
    CHECK_EQ(MPI_File_set_view(gaps, 0, MPI_INT, spread, "native", MPI_INFO_NULL), MPI_SUCCESS);
}

/* A thread moves the data, and may be what lacks memory. What it holds itself is nobody's to count. */
static void behind_the_call(int (*access)(void))
{
    for (long n = 1; n < 20; n++) {
        int code;

        until_failure = n;
        code = TRY(access());
        until_failure = 0;
        CHECK(code == MPI_SUCCESS || class_of(code) == MPI_ERR_NO_MEM);
        CHECK_EQ(access(), MPI_SUCCESS);
    }
}

static const struct step steps[] = {
    {"MPI_File_open", open_file, close_file},
    {"MPI_File_set_view", set_view, set_back},
    {"MPI_File_set_info", set_info, is_over},
    {"MPI_File_get_view", get_view, drop_type},
    {"MPI_File_get_info", get_info, drop_info},
    {"MPI_File_get_group", get_group, drop_group},
    {"MPI_File_get_type_extent", get_extent, is_over},
    {"MPI_File_write_at", write_gaps, is_over},
    {"MPI_File_read_at_all", read_gaps, is_over},
    {"MPI_File_write_at, external32", write_swapped, is_over},
    {"MPI_File_read_at, external32", read_swapped, is_over},
};

static MPI_File new_file(void)
{
    MPI_File file;

    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, path, MPI_MODE_RDWR | MPI_MODE_CREATE, MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    return file;
}

int main(void)
{
    begin_steps();
    snprintf(path, sizeof path, "/dev/shm/tested_no_memory.%d", (int)getpid());
    gaps = new_file();
    swapped = new_file();
    MPI_Type_vector(2, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    MPI_Type_vector(2, 1, 2, MPI_LONG, &wide);
    MPI_Type_commit(&wide);
    MPI_File_set_view(gaps, 0, MPI_INT, spread, "native", MPI_INFO_NULL);
    MPI_File_set_view(swapped, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    take_steps(steps, sizeof steps / sizeof *steps);
    no_room_for_types(false);
    no_room_for_types(true);
    behind_the_call(begin_and_wait);
    behind_the_call(begin_and_end);
    MPI_Type_free(&wide);
    MPI_Type_free(&spread);
    MPI_File_close(&swapped);
    MPI_File_close(&gaps);
    CHECK_EQ(MPI_File_delete(path, MPI_INFO_NULL), MPI_SUCCESS);
    end_steps();
    return 0;
}
