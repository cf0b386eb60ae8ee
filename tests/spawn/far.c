/* far: spawns copies of itself on other hosts: far HOSTS WHERE..., with HOSTS for the info key host ("-": no
 * key) and the host that each child is to find itself on. With TEST_SECRET in its environment it gives this to the
 * children as TEST_GIVEN, too, by the key env; a child says "got TEST_SECRET TEST_GIVEN", and stays for a second, for
 * who looks at what can be read of it. */
#include "spawn.h"

#include <unistd.h>

enum {
    NAME = 65,
    LARGE = 3 << 20
};

/* Both sides: a little of everything, between all. */
static void work(MPI_Comm inter, int is_child)
{
    unsigned char *large = malloc(LARGE);
    int rank, size, sum = 0;
    MPI_Comm all;

    CHECK(large != NULL);
    CHECK_EQ(MPI_Intercomm_merge(inter, is_child, &all), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(all, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(all, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, all), MPI_SUCCESS);
    CHECK_EQ(sum, size * (size - 1) / 2);
    for (int root = 0; root < size; root++) {
        memset(large, rank == root ? root + 1 : 0, LARGE);
        CHECK_EQ(MPI_Bcast(large, LARGE, MPI_BYTE, root, all), MPI_SUCCESS);
        CHECK(large[0] == root + 1 && memcmp(large, large + 1, LARGE - 1) == 0);
    }
    CHECK_EQ(MPI_Comm_disconnect(&all), MPI_SUCCESS);
    free(large);
}

static void be_child(MPI_Comm parent)
{
    const char *secret = getenv("TEST_SECRET");
    char here[NAME] = "";

    if (secret) {
        CHECK_STR(getenv("TEST-ODD"), "1");
        printf("got %s %s\n", secret, getenv("TEST_GIVEN"));
        fflush(stdout);
        sleep(1);
    }
    CHECK_EQ(gethostname(here, sizeof here - 1), 0);
    CHECK_EQ(MPI_Gather(here, NAME, MPI_CHAR, NULL, 0, MPI_CHAR, 0, parent), MPI_SUCCESS);
    work(parent, 1);
    CHECK_EQ(MPI_Comm_disconnect(&parent), MPI_SUCCESS);
}

static void look_where(MPI_Comm inter, int n, char **where)
{
    char *names = calloc((size_t)n, NAME);

    CHECK(names != NULL);
    CHECK_EQ(
        MPI_Gather(NULL, 0, MPI_CHAR, names, NAME, MPI_CHAR, world_rank ? MPI_PROC_NULL : MPI_ROOT, inter),
        MPI_SUCCESS);
    for (int i = 0; i < n && world_rank == 0; i++)
        CHECK_STR(names + (size_t)i * NAME, where[i]);
    free(names);
}

/* A name that no shell takes comes through as well. */
static void give(MPI_Info info, const char *value)
{
    char words[256];

    snprintf(words, sizeof words, "TEST_GIVEN=%s $x 'y'\nTEST-ODD=1", value);
    CHECK_EQ(MPI_Info_set(info, "env", words), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    int provided, n = argc - 2;
    MPI_Info info = MPI_INFO_NULL;
    MPI_Comm parent, inter;

    start(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    CHECK_EQ(MPI_Comm_get_parent(&parent), MPI_SUCCESS);
    if (parent != MPI_COMM_NULL) {
        be_child(parent);
    } else {
        if (strcmp(argv[1], "-") != 0)
            info = info_of("host", argv[1]);
        if (info != MPI_INFO_NULL && getenv("TEST_SECRET"))
            give(info, getenv("TEST_SECRET"));
        CHECK_EQ(
            MPI_Comm_spawn(argv[0], MPI_ARGV_NULL, n, info, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE),
            MPI_SUCCESS);
        look_where(inter, n, argv + 2);
        work(inter, 0);
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
        if (info != MPI_INFO_NULL)
            CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
