/* spawn: starts copies of itself, and other programs, in the ways that its first argument names (see main).
 * Copies get their instructions in the same way, and find out by MPI_Comm_get_parent that they are copies. */
#include "spawn.h"

#include "mpi/ways.h"

#include <dirent.h>
#include <limits.h>
#include <pthread.h>
#include <unistd.h>

enum {
    MOST = 8,
    TURNS = 100,
    SLACK = 20,    /* descriptors of children that end just now */
    PATIENCE = 200 /* of 50 ms until others have: under sanitizers a process needs a second to end */
};

static const char *me; /* this program */

/* Children: what the parents sent to each is right, and back. */
static void exchange(MPI_Comm inter)
{
    int rank, size, remote;

    CHECK_EQ(MPI_Comm_rank(inter, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(inter, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    for (int i = 0; i < remote; i++) {
        int mine[2] = {rank, size}, theirs[2];

        CHECK_EQ(MPI_Sendrecv(mine, 2, MPI_INT, i, 5, theirs, 2, MPI_INT, i, 5, inter, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        CHECK_EQ(theirs[0], i);
        CHECK_EQ(theirs[1], remote);
    }
    CHECK_EQ(MPI_Barrier(inter), MPI_SUCCESS);
}

static int attribute(int key)
{
    int *value, found;

    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found), MPI_SUCCESS);
    return found ? *value : -1;
}

static void child_exchange(MPI_Comm parent, char **argv)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    CHECK_EQ(MPI_Comm_get_name(parent, name, &length), MPI_SUCCESS);
    CHECK_STR(name, "MPI_COMM_PARENT");
    CHECK_EQ(attribute(MPI_APPNUM), atoi(argv[2]));
    CHECK_EQ(attribute(MPI_UNIVERSE_SIZE), atoi(argv[3]));
    exchange(parent);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
    CHECK(parent == MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    CHECK(parent == MPI_COMM_NULL);
}

/* Spawns n copies from comm, which exchange and disconnect. */
static void spawn_and_exchange(MPI_Comm comm, int root, int n)
{
    char universe[16], *argv[] = {"exchange", "0", universe, NULL};
    MPI_Comm inter;
    int codes[MOST], size, remote;

    snprintf(universe, sizeof universe, "%d", attribute(MPI_UNIVERSE_SIZE));
    if (attribute(MPI_UNIVERSE_SIZE) < 0)
        snprintf(universe, sizeof universe, "%ld",
                 sysconf(_SC_NPROCESSORS_ONLN) > n ? sysconf(_SC_NPROCESSORS_ONLN) : n);
    memset(codes, -1, sizeof codes);
    CHECK_EQ(MPI_Comm_spawn(me, argv, n, MPI_INFO_NULL, root, comm, &inter, codes), MPI_SUCCESS);
    for (int i = 0; i < MOST; i++)
        CHECK_EQ(codes[i], i < n ? MPI_SUCCESS : -1);
    CHECK_EQ(MPI_Comm_size(inter, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    CHECK_EQ(remote, n);
    exchange(inter);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

static void sizes(void)
{
    for (int n = 1; n <= MOST; n++)
        spawn_and_exchange(MPI_COMM_WORLD, n % world_size, n);
}

/* Odd and even ranks spawn at the same time, each with its own root; the even ones in reverse order. */
static void subsets(void)
{
    MPI_Comm half;
    int size;

    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, world_rank % 2 ? world_rank : -world_rank, &half),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(half, &size), MPI_SUCCESS);
    spawn_and_exchange(half, size - 1, 2);
    CHECK_EQ(MPI_Comm_free(&half), MPI_SUCCESS);
    spawn_and_exchange(MPI_COMM_SELF, 0, 1);
}

/* A child that has depth left spawns a child. */
static void descend(int depth)
{
    char left[16], *argv[] = {"descend", left, NULL};
    MPI_Comm inter;

    if (depth == 0)
        return;
    snprintf(left, sizeof left, "%d", depth - 1);
    CHECK_EQ(MPI_Comm_spawn(me, argv, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    exchange(inter);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

static void child_descend(MPI_Comm parent, char **argv)
{
    descend(atoi(argv[2]));
    exchange(parent);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
}

static void nested(void)
{
    descend(3);
}

static void multiple(void)
{
    char universe[16], *commands[] = {(char *)me, (char *)me, (char *)me};
    char *argv[3][4] = {{"exchange", "0", universe, NULL},
                        {"exchange", "1", universe, NULL},
                        {"exchange", "7", universe, NULL}};
    char **argvs[] = {argv[0], argv[1], argv[2]};
    int counts[] = {1, 3, 2}, codes[6], remote;
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL, info_of("appnum", "7")};
    MPI_Comm inter;

    snprintf(universe, sizeof universe, "%d", attribute(MPI_UNIVERSE_SIZE));
    memset(codes, -1, sizeof codes);
    if (world_rank == world_size - 1)
        CHECK_EQ(MPI_Comm_spawn_multiple(3, commands, argvs, counts, infos, world_size - 1, MPI_COMM_WORLD,
                                         &inter, codes),
                 MPI_SUCCESS);
    else /* what counts at the root alone is not looked at */
        CHECK_EQ(MPI_Comm_spawn_multiple(-1, NULL, NULL, NULL, NULL, world_size - 1, MPI_COMM_WORLD, &inter,
                                         codes),
                 MPI_SUCCESS);
    for (int i = 0; i < 6; i++)
        CHECK_EQ(codes[i], MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    CHECK_EQ(remote, 6);
    exchange(inter);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&infos[2]), MPI_SUCCESS);
}

/* Every byte of every argument arrives. */
static char *odd_arguments[] = {"arguments", "",   " ",       "a b", "two  spaces ", "line\nbreak\n", ":",
                                "-n",        "--", "-wdir=/", "*",   "$HOME",        "'\"\\",         "%41=%",
                                "\xff\x01",  NULL, NULL};

static char **all_arguments(void)
{
    static char longest[70000];
    int last = 0;

    memset(longest, 'x', sizeof longest - 1);
    while (odd_arguments[last] && odd_arguments[last] != longest)
        last++;
    odd_arguments[last] = longest;
    return odd_arguments;
}

static void child_arguments(MPI_Comm parent, char **argv)
{
    char **expected = all_arguments();
    int i = 0;

    for (; expected[i]; i++)
        CHECK_STR(argv[i + 1], expected[i]);
    CHECK(!argv[i + 1]);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
}

static void arguments(void)
{
    char *command = (char *)me, **argvs[2] = {all_arguments(), all_arguments()},
         *commands[] = {command, command};
    int counts[] = {1, 1};
    MPI_Info infos[] = {MPI_INFO_NULL, MPI_INFO_NULL};
    MPI_Comm inter;

    CHECK_EQ(
        MPI_Comm_spawn(command, argvs[0], 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
        MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_spawn_multiple(2, commands, argvs, counts, infos, 0, MPI_COMM_WORLD, &inter,
                                     MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 0, MPI_COMM_WORLD, &inter,
                                     MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

/* Ranks that share a host, of whichever jobs, need no messages. */
static void check_way(MPI_Comm all, int rank, int size)
{
    MPI_Comm host;
    int near, sum;

    ways_open();
    CHECK_EQ(MPI_Comm_split_type(all, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &near), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    for (int i = 0; i < 10; i++) {
        CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all), MPI_SUCCESS);
        CHECK_EQ(sum, size * (size - 1) / 2);
    }
    CHECK_EQ(ways_count(WAY_SHARED) > 0, near == size);
    ways_close();
}

/* Parents and children in one intracommunicator. */
static void melt(MPI_Comm inter, int is_child)
{
    MPI_Comm all;
    int mine, remote, rank, size;

    CHECK_EQ(MPI_Comm_size(inter, &mine), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_remote_size(inter, &remote), MPI_SUCCESS);
    CHECK_EQ(MPI_Intercomm_merge(inter, is_child, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(all, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(all, &size), MPI_SUCCESS);
    CHECK_EQ(size, mine + remote);
    CHECK_EQ(rank, is_child ? remote + world_rank : world_rank);
    check_way(all, rank, size);
    CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(all), MPI_SUCCESS); /* which connects them still */
    CHECK_EQ(MPI_Comm_disconnect(&all), MPI_SUCCESS);
}

static void child_melt(MPI_Comm parent, char **argv)
{
    (void)argv;
    melt(parent, 1);
}

static void merge(void)
{
    MPI_Comm inter;

    CHECK_EQ(MPI_Comm_spawn(me, (char *[]){"melt", NULL}, 3, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    melt(inter, 0);
}

/* Neither side disconnects: MPI_Finalize is enough. */
static void child_stay(MPI_Comm parent, char **argv)
{
    (void)argv;
    exchange(parent);
}

static void stay(void)
{
    MPI_Comm inter;

    CHECK_EQ(MPI_Comm_spawn(me, (char *[]){"stay", NULL}, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter,
                            MPI_ERRCODES_IGNORE),
             MPI_SUCCESS);
    exchange(inter);
}

static int count_descriptors(void)
{
    DIR *list = opendir("/proc/self/fd");
    int count = 0;

    CHECK(list != NULL);
    while (readdir(list))
        count++;
    closedir(list);
    return count;
}

/* Many in turn leave no descriptor behind. */
static void turns(void)
{
    int before = 0;

    for (int i = 0; i < TURNS; i++) {
        if (i == 3)
            before = count_descriptors();
        spawn_and_exchange(MPI_COMM_SELF, 0, 1);
    }
    for (int i = 0; i < PATIENCE && count_descriptors() >= before + SLACK; i++) {
        int flag;

        CHECK_EQ(MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
        usleep(50 * 1000);
    }
    CHECK(count_descriptors() < before + SLACK);
}

static void *spawn_in_thread(void *comm)
{
    for (int i = 0; i < 5; i++)
        spawn_and_exchange(*(MPI_Comm *)comm, 0, 2);
    return NULL;
}

/* Several threads spawn at the same time. */
static void threads(void)
{
    MPI_Comm comm[3];
    pthread_t thread[3];

    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]), MPI_SUCCESS);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, spawn_in_thread, &comm[i]), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 3; i++)
        CHECK_EQ(MPI_Comm_free(&comm[i]), MPI_SUCCESS);
}

static const struct {
    const char *name;
    void (*run)(void);                           /* of a process that has no parent */
    void (*run_child)(MPI_Comm parent, char **); /* of one that has */
} deeds[] = {
    {"sizes", sizes, NULL},
    {"exchange", NULL, child_exchange},
    {"subsets", subsets, NULL},
    {"nested", nested, NULL},
    {"descend", NULL, child_descend},
    {"multiple", multiple, NULL},
    {"arguments", arguments, child_arguments},
    {"merge", merge, NULL},
    {"melt", NULL, child_melt},
    {"stay", stay, child_stay},
    {"turns", turns, NULL},
    {"threads", threads, NULL},
};

int main(int argc, char **argv)
{
    MPI_Comm parent;
    int provided, found = 0;

    start(&argc, &argv, argc > 1 && strcmp(argv[1], "threads") == 0 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
          &provided);
    me = argv[0];
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    if (argc == 1) {
        CHECK(parent != MPI_COMM_NULL);
        CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
        found = 1;
    }
    for (size_t i = 0; i < sizeof deeds / sizeof *deeds && !found; i++) {
        if (strcmp(argv[1], deeds[i].name) != 0)
            continue;
        found = 1;
        if (parent == MPI_COMM_NULL)
            deeds[i].run();
        else
            deeds[i].run_child(parent, argv);
    }
    CHECK(found);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
