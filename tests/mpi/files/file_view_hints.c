/* ranks: 2 3 */
/* Hints that must be the same on all ranks, in the info of MPI_File_set_view: where ranks do not agree, all of them have
 * the default afterwards. */
#include "file.h"

static char fallback[MPI_MAX_INFO_VAL];

static void look_up(MPI_File fh, char *value)
{
    int length = MPI_MAX_INFO_VAL, flag;
    MPI_Info info;

    OK(MPI_File_get_info(fh, &info));
    OK(MPI_Info_get_string(info, "cb_buffer_size", &length, value, &flag));
    CHECK_EQ(flag, 1);
    OK(MPI_Info_free(&info));
}

/* `mine`: this rank's offer; NULL: it gives no info at all. */
static void offer(MPI_File fh, const char *mine, const char *expected)
{
    char value[MPI_MAX_INFO_VAL];
    MPI_Info info = MPI_INFO_NULL;

    if (mine) {
        OK(MPI_Info_create(&info));
        OK(MPI_Info_set(info, "cb_buffer_size", mine));
    }
    OK(MPI_File_set_view(fh, 0, MPI_INT, MPI_INT, "native", info));
    if (mine)
        OK(MPI_Info_free(&info));
    look_up(fh, value);
    CHECK_STR(value, expected);
}

int main(int argc, char **argv)
{
    MPI_File fh;
    int is_last;

    set_up(&argc, &argv);
    is_last = rank == size - 1;
    fh = opened(MPI_MODE_RDWR | MPI_MODE_CREATE);
    look_up(fh, fallback);
    CHECK(strcmp(fallback, "65536") != 0);
    offer(fh, "65536", "65536");
    offer(fh, NULL, "65536");
    offer(fh, is_last ? "131072" : "65536", fallback);
    offer(fh, "65536", "65536");
    offer(fh, is_last ? "131072" : NULL, fallback);
    offer(fh, is_last ? NULL : "131072", fallback);
    OK(MPI_File_close(&fh));
    tear_down();
    return 0;
}
