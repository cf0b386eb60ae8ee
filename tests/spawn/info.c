/* info: what the keys of the info do to spawned processes, and what the intercommunicator keeps. A child gets
 * the list of its keys and checks them. */
#include "spawn.h"

#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *me;

static void expect_env(const char *key, const char *value)
{
    char found[MPI_MAX_INFO_VAL + 1];
    int flag, size = sizeof found;

    CHECK_EQ(MPI_Info_get_string(MPI_INFO_ENV, key, &size, found, &flag), MPI_SUCCESS);
    CHECK(flag);
    CHECK_STR(found, value);
}

static void expect_hint(MPI_Comm comm, const char *key, const char *value)
{
    char found[MPI_MAX_INFO_VAL + 1];
    int flag, size = sizeof found;
    MPI_Info info;

    CHECK_EQ(MPI_Comm_get_info(comm, &info), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(info, key, &size, found, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, value != NULL);
    if (value)
        CHECK_STR(found, value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void child_wdir(MPI_Comm parent, char **argv)
{
    char here[PATH_MAX];

    (void)parent;
    CHECK(getcwd(here, sizeof here) != NULL);
    CHECK_STR(here, argv[2]);
    expect_env("wdir", argv[2]);
}

static void child_env(MPI_Comm parent, char **argv)
{
    (void)parent;
    (void)argv;
    CHECK_STR(getenv("SPAWN_ONE"), "1 and a space");
    CHECK_STR(getenv("SPAWN_TWO"), "");
    CHECK_STR(getenv("SPAWN_OLD"), "from the parent");
}

static void child_keys(MPI_Comm parent, char **argv)
{
    int *appnum, flag;

    (void)parent;
    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &appnum, &flag), MPI_SUCCESS);
    CHECK(flag && *appnum == 12);
    expect_env("maxprocs", "3");
    expect_env("soft", "1:2");
    expect_env("host", "localhost");
    expect_env("command", argv[0]);
    expect_env("argv", "keys x");
}

static void child_errhandler(MPI_Comm parent, char **argv)
{
    MPI_Comm comms[] = {MPI_COMM_WORLD, MPI_COMM_SELF, parent};

    (void)argv;
    expect_env("mpi_initial_errhandler", "mpi_errors_return");
    for (int i = 0; i < 3; i++) {
        MPI_Errhandler handler;

        CHECK_EQ(MPI_Comm_get_errhandler(comms[i], &handler), MPI_SUCCESS);
        CHECK(handler == MPI_ERRORS_RETURN);
        CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    }
}

/* R48: the intercommunicator's kinds are those of the World Model. */
static void child_kinds(MPI_Comm parent, char **argv)
{
    expect_env("mpi_memory_alloc_kinds", argv[3]);
    expect_hint(MPI_COMM_WORLD, "mpi_memory_alloc_kinds", argv[3]);
    expect_hint(MPI_COMM_SELF, "mpi_memory_alloc_kinds", argv[3]);
    expect_hint(parent, "mpi_memory_alloc_kinds", argv[3]);
}

static void child_plain(MPI_Comm parent, char **argv)
{
    (void)argv;
    expect_hint(parent, "mpi_assert_no_any_tag", "false");
    expect_hint(parent, "mpi_assert_memory_alloc_kinds", NULL);
}

/* Spawns, with a hook on the parents' side. */
static void spawn(const char *command, char **argv, int n, MPI_Info info, void (*look)(MPI_Comm inter))
{
    MPI_Comm inter;

    CHECK_EQ(MPI_Comm_spawn(command, argv, n, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    if (look)
        look(inter);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

static void spawn_with(const char *key, const char *value, char **argv, void (*look)(MPI_Comm inter))
{
    MPI_Info info = info_of(key, value);

    spawn(me, argv, 2, info, look);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* R47, and the root alone has given the info. */
static void look_at_hints(MPI_Comm inter)
{
    expect_hint(inter, "mpi_assert_no_any_tag", world_rank == 0 ? "true" : "false");
}

static void look_at_assertion(MPI_Comm inter)
{
    expect_hint(inter, "mpi_assert_memory_alloc_kinds",
                world_rank == 0 ? "system" : NULL); /* R34: as it was supplied */
    expect_hint(MPI_COMM_WORLD, "mpi_assert_memory_alloc_kinds", NULL);
}

static void directories(void)
{
    char here[PATH_MAX], *slash = strrchr(me, '/');
    char folder[PATH_MAX];
    MPI_Info info;

    CHECK(getcwd(here, sizeof here) != NULL);
    spawn(me, (char *[]){"wdir", here, NULL}, 1, MPI_INFO_NULL, NULL); /* that of the root */
    spawn_with("wdir", "/", (char *[]){"wdir", "/", NULL}, NULL);
    snprintf(folder, sizeof folder, "/no/such/folder:%.*s", (int)(slash - me), me);
    info = info_of("path", folder);
    spawn(slash + 1, (char *[]){"plain", NULL}, 1, info, NULL);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void keys(void)
{
    MPI_Info info = info_of("soft", "1:2");

    CHECK_EQ(MPI_Info_set(info, "host", "localhost"), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "appnum", " 12 "), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(info, "no such key", "x"), MPI_SUCCESS);
    spawn(me, (char *[]){"keys", "x", NULL}, 3, info, NULL);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    CHECK_EQ(setenv("SPAWN_OLD", "from the parent", 1), 0);
    spawn_with("env", "SPAWN_ONE=1 and a space\nSPAWN_TWO=", (char *[]){"env", NULL}, NULL);
    spawn_with("mpi_initial_errhandler", "MPI_Errors_Return", (char *[]){"errhandler", NULL}, NULL);
}

static void hints(void)
{
    char *asked[] = {"kinds", "system,mpi:alloc_mem", "system,mpi:alloc_mem,mpi", NULL};
    char *bad[] = {"kinds", ",,:x", "mpi,system", NULL};

    spawn_with("mpi_memory_alloc_kinds", asked[1], asked, NULL);
    spawn_with("mpi_memory_alloc_kinds", bad[1], bad, NULL); /* R26: no error */
    spawn_with("mpi_assert_no_any_tag", "true", (char *[]){"plain", NULL}, look_at_hints);
    spawn_with("mpi_assert_memory_alloc_kinds", "system", (char *[]){"plain", NULL}, look_at_assertion);
}

static const struct {
    const char *name;
    void (*run)(MPI_Comm parent, char **argv);
} looks[] = {{"wdir", child_wdir},   {"env", child_env},
             {"keys", child_keys},   {"errhandler", child_errhandler},
             {"kinds", child_kinds}, {"plain", child_plain}};

int main(int argc, char **argv)
{
    MPI_Comm parent;
    char path[PATH_MAX];
    int provided;

    start(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    me = realpath(argv[0], path);
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    if (parent == MPI_COMM_NULL) {
        directories();
        keys();
        hints();
    } else {
        size_t i = 0;

        while (i < sizeof looks / sizeof *looks && strcmp(argv[1], looks[i].name) != 0)
            i++;
        CHECK(i < sizeof looks / sizeof *looks);
        looks[i].run(parent, argv);
        CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
