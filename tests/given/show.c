/* Prints, on rank 0, the hints in force of objects of each kind: "OBJECT KEY VALUE". The program itself gives
 * mpi_assert_no_any_tag = true to the communicator that it calls `own`, and then takes it back from `changed`. It gives `named`
 * the name halo; what it said of mpi_assert_no_any_tag before stays. */
#include "check.h"

static int rank;

static void print_info(const char *object, MPI_Info info)
{
    char key[MPI_MAX_INFO_KEY], value[MPI_MAX_INFO_VAL];
    int keys, size, flag;

    MPI_Info_get_nkeys(info, &keys);
    for (int i = 0; i < keys && rank == 0; i++) {
        MPI_Info_get_nthkey(info, i, key);
        size = sizeof value;
        MPI_Info_get_string(info, key, &size, value, &flag);
        printf("%s %s %s\n", object, key, value);
    }
    MPI_Info_free(&info);
}

static void print_comm(const char *object, MPI_Comm comm)
{
    MPI_Info info;

    MPI_Comm_get_info(comm, &info);
    print_info(object, info);
}

static MPI_Info pair(const char *key, const char *value)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, value);
    return info;
}

static void make_communicators(void)
{
    MPI_Info mine = pair("mpi_assert_no_any_tag", "true"), back = pair("mpi_assert_no_any_tag", "false");
    MPI_Comm comm;

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, mine, &comm);
    print_comm("own", comm);
    MPI_Comm_set_info(comm, back);
    print_comm("changed", comm);
    MPI_Comm_free(&comm);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm);
    print_comm("split", comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&mine);
    MPI_Info_free(&back);
}

static void name_communicator(void)
{
    MPI_Info mine = pair("mpi_assert_no_any_tag", "false");
    MPI_Comm comm;

    MPI_Comm_dup_with_info(MPI_COMM_WORLD, mine, &comm);
    MPI_Comm_set_name(comm, "halo");
    print_comm("named", comm);
    MPI_Comm_free(&comm);
    MPI_Info_free(&mine);
}

static void make_session(const char *name)
{
    MPI_Session session;
    MPI_Info info;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session); /* the session's place */
    MPI_Session_get_info(session, &info);
    print_info(name, info);
    MPI_Session_finalize(&session);
}

static void make_window_and_file(void)
{
    MPI_Info info;
    MPI_Win win;
    MPI_File file;
    int *base;

    MPI_Win_allocate(64, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_name(win, "field");
    MPI_Win_get_info(win, &info);
    print_info("win", info);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, rank, 0, 1, MPI_INT, win);
    MPI_Win_fence(0, win);
    MPI_Win_free(&win);
    MPI_File_open(MPI_COMM_WORLD, "given.data", MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_get_info(file, &info);
    print_info("file", info);
    MPI_File_close(&file);
}

int main(int argc, char **argv)
{
    if (getenv("SHOW_FIRST"))
        make_session("first"); /* nothing has opened MPI before */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (getenv("SHOW_DEATH") && rank == 1)
        abort();
    print_comm("world", MPI_COMM_WORLD);
    make_communicators();
    name_communicator();
    make_session("session");
    make_window_and_file();
    MPI_Finalize();
    return 0;
}
