/* refuse: what cannot be spawned is the same error on all parents, with codes, in bounded time, and leaves
 * nothing behind. */
#include "spawn.h"

#include <sys/stat.h>
#include <unistd.h>

static const char *me;

static int error_of(const char *command, char **argv, int maxprocs, MPI_Info info, int *codes)
{
    MPI_Comm inter = MPI_COMM_SELF;
    int error = MPI_Comm_spawn(command, argv, maxprocs, info, 0, MPI_COMM_WORLD, &inter, codes);

    CHECK_EQ(inter == MPI_COMM_SELF, error != MPI_SUCCESS); /* outputs are written on success alone */
    if (!error)
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    return class_of(error);
}

static void refused(const char *command, char **argv, MPI_Info info)
{
    int codes[4] = {-1, -1, -1, -1};

    CHECK_EQ(error_of(command, argv, 3, info, codes), MPI_ERR_SPAWN);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(codes[i], i < 3 ? MPI_ERR_SPAWN : -1);
    CHECK_EQ(error_of(command, argv, 2, info, MPI_ERRCODES_IGNORE), MPI_ERR_SPAWN);
}

static void refused_for(const char *key, const char *value)
{
    MPI_Info info = info_of(key, value);

    refused(me, MPI_ARGV_NULL, info);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void programs(void)
{
    refused("./there-is-no-such-program", MPI_ARGV_NULL, MPI_INFO_NULL);
    refused("/etc/passwd", MPI_ARGV_NULL, MPI_INFO_NULL); /* not executable */
    refused("/tmp", MPI_ARGV_NULL, MPI_INFO_NULL);
    refused("-n", MPI_ARGV_NULL, MPI_INFO_NULL);
}

static void infos(void)
{
    refused_for("wdir", "/no/such/folder");
    refused_for("wdir", me);
    refused_for("arch", "vax");
    refused_for("host", "no.such.host.invalid");
    refused_for("file", "/no/such/file");
    refused_for("soft", "7:9");
    refused_for("soft", "a");
    refused_for("soft", "1:2:0");
    refused_for("appnum", "-1");
    refused_for("appnum", "two");
    refused_for("mpi_initial_errhandler", "mpi_errors_explode");
    refused_for("env", "=x");
}

/* Children that end without MPI_Init, each in its way, alone or beside one that waits in it. */
static void silent(void)
{
    char *shell[] = {"sh", "sh"}, *quits[] = {"-c", "exit 0", NULL};
    static char first_quits[4096], *one_quits[] = {"-c", first_quits, NULL};

    snprintf(first_quits, sizeof first_quits, "[ $PMI_RANK = 0 ] && exit 0; exec %s child", me);
    refused("/bin/true", MPI_ARGV_NULL, MPI_INFO_NULL);
    refused(shell[0], quits, MPI_INFO_NULL);
    refused(shell[0], (char *[]){"-c", "sleep 0.2; exit 3", NULL}, MPI_INFO_NULL);
    refused(shell[0], (char *[]){"-c", "kill -SEGV $$", NULL}, MPI_INFO_NULL);
    refused(shell[0], one_quits, MPI_INFO_NULL);
}

static void arguments(void)
{
    char *commands[] = {(char *)me, NULL};
    int counts[] = {1, 1}, none[] = {1, 0};
    MPI_Info freed = info_of("wdir", "/"), infos[] = {MPI_INFO_NULL, MPI_INFO_NULL},
             bad[] = {MPI_INFO_NULL, freed}, copy = freed;
    MPI_Comm inter, dup, unwritten = MPI_COMM_SELF;

    bad[1] = copy;
    CHECK_EQ(MPI_Info_free(&freed), MPI_SUCCESS);
    CHECK_EQ(error_of(NULL, NULL, 1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_EQ(error_of("", NULL, 1, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_EQ(error_of(me, NULL, 0, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_EQ(error_of(me, NULL, -5, MPI_INFO_NULL, NULL), MPI_ERR_ARG);
    CHECK_EQ(error_of(me, NULL, 1, copy, NULL), MPI_ERR_INFO);
    CHECK_EQ(
        class_of(MPI_Comm_spawn_multiple(0, commands, NULL, counts, infos, 0, MPI_COMM_WORLD, &inter, NULL)),
        MPI_ERR_ARG);
    CHECK_EQ(
        class_of(MPI_Comm_spawn_multiple(2, commands, NULL, counts, infos, 0, MPI_COMM_WORLD, &inter, NULL)),
        MPI_ERR_ARG);
    CHECK_EQ(class_of(MPI_Comm_spawn_multiple(1, NULL, NULL, counts, infos, 0, MPI_COMM_WORLD, &inter, NULL)),
             MPI_ERR_ARG);
    CHECK_EQ(
        class_of(MPI_Comm_spawn_multiple(1, commands, NULL, NULL, infos, 0, MPI_COMM_WORLD, &inter, NULL)),
        MPI_ERR_ARG);
    commands[1] = commands[0];
    CHECK_EQ(
        class_of(MPI_Comm_spawn_multiple(2, commands, NULL, none, infos, 0, MPI_COMM_WORLD, &inter, NULL)),
        MPI_ERR_ARG);
    CHECK_EQ(
        class_of(MPI_Comm_spawn_multiple(2, commands, NULL, counts, bad, 0, MPI_COMM_WORLD, &inter, NULL)),
        MPI_ERR_INFO);
    CHECK_EQ(class_of(MPI_Comm_spawn(me, NULL, 1, MPI_INFO_NULL, world_size, MPI_COMM_WORLD, &inter, NULL)),
             MPI_ERR_ROOT);
    CHECK_EQ(class_of(MPI_Comm_spawn(me, NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_NULL, &inter, NULL)),
             MPI_ERR_COMM);
    if (world_size > 1) {
        CHECK_EQ(class_of(MPI_Comm_spawn(me, NULL, 1, MPI_INFO_NULL, world_rank > 0, MPI_COMM_WORLD, &inter,
                                         NULL)),
                 MPI_ERR_ROOT);
        CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &dup), MPI_SUCCESS);
        CHECK_EQ(MPI_Intercomm_create(dup, 0, MPI_COMM_WORLD, !(world_rank % 2), 0, &inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_errhandler(inter, MPI_ERRORS_RETURN), MPI_SUCCESS);
        CHECK_EQ(class_of(MPI_Comm_spawn(me, NULL, 1, MPI_INFO_NULL,
                                         world_rank % 2 ? 0
                                         : world_rank   ? MPI_PROC_NULL
                                                        : MPI_ROOT,
                                         inter, &unwritten, NULL)),
                 MPI_ERR_COMM);
        CHECK_EQ(unwritten == MPI_COMM_SELF, 1);
        CHECK_EQ(MPI_Comm_free(&inter), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_free(&dup), MPI_SUCCESS);
    }
}

/* One of several commands cannot be started: none is. */
static void one_of_several(void)
{
    char *commands[] = {(char *)me, "./there-is-no-such-program", (char *)me};
    int counts[] = {1, 2, 1}, codes[4] = {-1, -1, -1, -1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;

    CHECK_EQ(class_of(MPI_Comm_spawn_multiple(3, commands, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_WORLD,
                                              &inter, codes)),
             MPI_ERR_SPAWN);
    for (int i = 0; i < 4; i++)
        CHECK_EQ(codes[i], MPI_ERR_SPAWN);
}

static void soft(const char *list, int maxprocs, int expected)
{
    MPI_Info info = info_of("soft", list);
    MPI_Comm inter;
    int codes[16], remote;

    CHECK_EQ(MPI_Comm_spawn(me, MPI_ARGV_NULL, maxprocs, info, 0, MPI_COMM_WORLD, &inter, codes),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    CHECK_EQ(remote, expected);
    for (int i = 0; i < maxprocs; i++)
        CHECK_EQ(codes[i], i < expected ? MPI_SUCCESS : MPI_ERR_SPAWN);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static void softs(void)
{
    soft("0:100", 3, 3);
    soft("1,2,4,8,16", 6, 4);
    soft("2:10000:2", 3, 2);
    soft("10:2:-4", 7, 6);
    soft(" 5 , 1 ", 4, 1);
    soft("-3,2", 3, 2);
    soft("-4:4:3", 3, 2);
    soft("5:9,1", 3, 1);
}

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int provided;

    start(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    me = argv[0];
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    if (parent != MPI_COMM_NULL) {
        CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    } else {
        CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
        CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
        programs();
        infos();
        arguments();
        one_of_several();
        silent();
        softs();
        CHECK_EQ(error_of(me, MPI_ARGV_NULL, 2, MPI_INFO_NULL, NULL), MPI_SUCCESS); /* nothing is broken */
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
