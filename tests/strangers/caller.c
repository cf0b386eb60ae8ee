/* caller inits SECONDS: says how many milliseconds MPI_Init took, and then a message to rank 0, which all send SECONDS later.
 * caller probes SECONDS: after so long, rank 0 probes for a second, and says how many connections it took in meanwhile.
 * caller serves|calls FILE TIMES [MS]: one process opens a port, leaves its name in the file and accepts so many callers, one after the
 * other; the other calls, MS between two calls, and says how many milliseconds each took. */
#include "check.h"

#include <dirent.h>
#include <stdbool.h>
#include <time.h>

static char port[MPI_MAX_PORT_NAME];

static void rest(int ms)
{
    nanosleep(&(struct timespec){ms / 1000, ms % 1000 * 1000000L}, NULL);
}

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void say_time(const char *what, double begin)
{
    printf("%s %.0f ms\n", what, 1e3 * (now() - begin));
    fflush(stdout);
}

/* Ranks of the other host make a connection each to rank 0, which a crowd may be at. */
static int init(double seconds)
{
    double begin = now();
    int rank, size, said;

    CHECK_EQ(MPI_Init(NULL, NULL), MPI_SUCCESS);
    say_time("init took", begin);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    rest((int)(1e3 * seconds));
    begin = now();
    for (int i = 1; i < size && rank == 0; i++)
        CHECK_EQ(MPI_Recv(&said, 1, MPI_INT, i, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank > 0) {
        CHECK_EQ(MPI_Ssend(&rank, 1, MPI_INT, 0, 7, MPI_COMM_WORLD), MPI_SUCCESS);
        say_time("a message took", begin);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}

static int count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;

    CHECK(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

static int probe(double seconds)
{
    int rank, before, there;

    CHECK_EQ(MPI_Init(NULL, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    rest((int)(1e3 * seconds));
    before = count_descriptors();
    for (double end = now() + 1; rank == 0 && now() < end;)
        CHECK_EQ(MPI_Iprobe(1, 7, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (rank == 0)
        printf("took in %d\n", count_descriptors() - before);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}

static void tell_port(const char *file)
{
    char draft[512];
    FILE *f;

    CHECK_EQ(MPI_Open_port(MPI_INFO_NULL, port), MPI_SUCCESS);
    snprintf(draft, sizeof draft, "%s.new", file);
    f = fopen(draft, "w");
    CHECK(f && fputs(port, f) >= 0 && fclose(f) == 0);
    CHECK_EQ(rename(draft, file), 0);
}

static void learn_port(const char *file)
{
    FILE *f = fopen(file, "r");

    CHECK(f && fgets(port, sizeof port, f) && fclose(f) == 0);
}

static void meet(bool serves)
{
    MPI_Comm inter;
    double begin = now();
    int error;

    if (serves)
        error = MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    else
        error = MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_SELF, &inter);
    if (!serves)
        say_time(error ? "failed after" : "met in", begin);
    if (!error)
        CHECK_EQ(MPI_Comm_disconnect(&inter), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    bool serves;

    CHECK(argc >= 3);
    if (strcmp(argv[1], "inits") == 0)
        return init(atof(argv[2]));
    if (strcmp(argv[1], "probes") == 0)
        return probe(atof(argv[2]));
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK(argc >= 4);
    serves = strcmp(argv[1], "serves") == 0;
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN), MPI_SUCCESS);
    if (serves)
        tell_port(argv[2]);
    else
        learn_port(argv[2]);
    for (int i = 0; i < atoi(argv[3]); i++) {
        meet(serves);
        if (!serves)
            rest(argc > 4 ? atoi(argv[4]) : 50);
    }
    if (serves)
        CHECK_EQ(MPI_Close_port(port), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
