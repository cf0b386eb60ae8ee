/* steps: an MPI program that does what its arguments say, in order, for the tests of mpiexec.
 *
 *     @R           the next step is for rank R only (MPI's rank if initialised, else the launcher's)
 *     init finalize barrier     wrong: a fatal error
 *     say TEXT     prints "TEXT" and a newline on standard output;   complain TEXT: on standard error
 *     hold TEXT    prints "TEXT" and a newline, and leaves it in the buffer, whatever follows
 *     spin         computes for ever;   mumble: prints numbers for ever
 *     show NAME    prints "rank NAME=value" from the environment;     where: prints the working directory
 *     read         copies standard input to standard output
 *     who          prints "rank R of S" as MPI says
 *     level        prints the thread level asked for at launch, and whether MPI_THREAD_MULTIPLE is given
 *     misspell KEY sets an info key of this name
 *     app          prints "appnum A universe U"
 *     sets         prints "rank SIZE SET: RANKS" for each process set, whose members send each other their ranks
 *     cores        prints the cores that it may use, "rank R cores 0-1"
 *     exit N       die N: raises signal N      abort N: MPI_Abort
 *     sleep MS     ignore N: ignores signal N  catch N: prints "caught N" when it comes, and goes on
 *     ready FILE   creates FILE
 *     fork         goes on as child, in a session of its own, while the parent sleeps
 */
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int my_rank(void)
{
    int initialized, finalized, rank;
    const char *told = getenv("PMI_RANK");

    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (!initialized || finalized)
        return told ? atoi(told) : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

static void doze(long milliseconds)
{
    struct timespec left = {milliseconds / 1000, milliseconds % 1000 * 1000000};

    while (nanosleep(&left, &left) < 0)
        ;
}

/* Past a sanitizer's handler. */
static void die(int number)
{
    signal(number, SIG_DFL);
    raise(number);
}

static void caught(int number)
{
    char text[] = "caught 00\n";

    text[7] = (char)('0' + number / 10);
    text[8] = (char)('0' + number % 10);
    if (write(1, text, sizeof text - 1) < 0)
        _exit(99);
}

static void show_attributes(void)
{
    int *value, found;

    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &value, &found);
    printf("appnum %d", found ? *value : -1);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_UNIVERSE_SIZE, &value, &found);
    printf(" universe %d\n", found ? *value : -1);
}

static void show_cores(void)
{
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");

    while (status && fgets(line, sizeof line, status))
        if (strncmp(line, "Cpus_allowed_list:", 18) == 0)
            printf("rank %d cores %s", my_rank(), line + 18 + strspn(line + 18, "\t "));
    if (status)
        fclose(status);
}

static void copy_input(void)
{
    char bytes[4096];
    size_t n;

    while ((n = fread(bytes, 1, sizeof bytes, stdin)) > 0)
        fwrite(bytes, 1, n, stdout);
}

static int holds;

static void hold(const char *text)
{
    holds = 1;
    printf("%s\n", text);
}

static void spin(void)
{
    static volatile double x = 1;

    for (;;)
        x = x * 0.5 + 1;
}

static void mumble(void)
{
    for (long i = 0;; i++)
        printf("%ld\n", i);
}

static void branch(void)
{
    if (fork() > 0)
        doze(100000);
    setsid();
}

static void show_place(void)
{
    char here[4096];

    printf("%s\n", getcwd(here, sizeof here));
}

static void show_world(void)
{
    int size;

    MPI_Comm_size(MPI_COMM_WORLD, &size);
    printf("rank %d of %d\n", my_rank(), size);
}

/* The thread level given, and the one asked for at launch. */
static void show_level(void)
{
    char asked[32] = "none";
    int given, found, size = sizeof asked;

    MPI_Query_thread(&given);
    MPI_Info_get_string(MPI_INFO_ENV, "thread_level", &size, asked, &found);
    printf("%s asked, %s\n", asked,
           given == MPI_THREAD_MULTIPLE ? "MPI_THREAD_MULTIPLE given" : "less given");
}

#if MPI_VERSION < 5 && !defined(MPI_COMM_TYPE_RESOURCE_GUIDED) /* another library: it sees no sets */
#define MPI_COMM_TYPE_RESOURCE_GUIDED MPI_UNDEFINED
#endif

/* Guided by the set's name, a communicator of its members stays whole. */
static void split_by_set(MPI_Comm comm, const char *name)
{
    MPI_Comm part;
    MPI_Info info;
    int result;

    MPI_Info_create(&info);
    MPI_Info_set(info, "mpi_pset_name", name);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &part);
    MPI_Info_free(&info);
    MPI_Comm_compare(comm, part, &result);
    if (result != MPI_CONGRUENT)
        printf("%d %s is split\n", my_rank(), name);
    MPI_Comm_free(&part);
}

/* The members of a set create a communicator, and each sends all others its rank in the world. */
static void show_set(MPI_Session session, const char *name)
{
    char size[16];
    int rank = my_rank(), all[64], n, length = sizeof size, found;
    MPI_Group group;
    MPI_Comm comm;
    MPI_Info info;

    MPI_Session_get_pset_info(session, name, &info);
    MPI_Info_get_string(info, "mpi_size", &length, size, &found);
    MPI_Info_free(&info);
    MPI_Group_from_session_pset(session, name, &group);
    MPI_Comm_create_from_group(group, name, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Group_free(&group);
    MPI_Comm_size(comm, &n);
    MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, comm);
    split_by_set(comm, name);
    MPI_Comm_free(&comm);
    printf("%d %s %s:", rank, size, name);
    for (int i = 0; i < n; i++)
        printf(" %d", all[i]);
    printf("\n");
}

static void show_sets(void)
{
    char name[MPI_MAX_PSET_NAME_LEN];
    MPI_Session session;
    int count;

    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    for (int i = 0; i < count; i++) {
        int length = sizeof name;

        MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name);
        show_set(session, name);
    }
    MPI_Session_finalize(&session);
}

/* An info key that is a slip for another draws a warning. */
static void misspell(const char *key)
{
    MPI_Info info;

    MPI_Info_create(&info);
    MPI_Info_set(info, key, "true");
    MPI_Comm_set_info(MPI_COMM_SELF, info);
    MPI_Info_free(&info);
}

/* A step without a value. */
static int do_alone(const char *step)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } steps[] = {{"who", show_world}, {"app", show_attributes}, {"cores", show_cores}, {"read", copy_input},
                 {"fork", branch},    {"where", show_place},    {"sets", show_sets},   {"level", show_level},
                 {"spin", spin},      {"mumble", mumble}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
        if (strcmp(step, steps[i].name) == 0) {
            steps[i].run();
            return 1;
        }
    }
    if (strcmp(step, "init") == 0)
        return MPI_Init(NULL, NULL) == MPI_SUCCESS;
    if (strcmp(step, "finalize") == 0)
        return MPI_Finalize() == MPI_SUCCESS;
    if (strcmp(step, "wrong") == 0)
        return MPI_Barrier(MPI_COMM_NULL) != MPI_SUCCESS;
    return strcmp(step, "barrier") == 0 && MPI_Barrier(MPI_COMM_WORLD) == MPI_SUCCESS;
}

static int do_with(const char *step, const char *value)
{
    if (strcmp(step, "say") == 0)
        printf("%s\n", value);
    else if (strcmp(step, "hold") == 0)
        hold(value);
    else if (strcmp(step, "complain") == 0)
        fprintf(stderr, "%s\n", value);
    else if (strcmp(step, "show") == 0)
        printf("%d %s=%s\n", my_rank(), value, getenv(value) ? getenv(value) : "(none)");
    else if (strcmp(step, "exit") == 0)
        exit(atoi(value));
    else if (strcmp(step, "die") == 0)
        die(atoi(value));
    else if (strcmp(step, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, atoi(value));
    else if (strcmp(step, "sleep") == 0)
        doze(atol(value));
    else if (strcmp(step, "ignore") == 0)
        signal(atoi(value), SIG_IGN);
    else if (strcmp(step, "catch") == 0)
        signal(atoi(value), caught);
    else if (strcmp(step, "misspell") == 0)
        misspell(value);
    else if (strcmp(step, "ready") == 0)
        close(open(value, O_CREAT | O_WRONLY, 0600));
    else
        return 0;
    return 1;
}

static int wants_value(const char *step)
{
    static const char *const steps[] = {"say",   "complain", "hold",   "show",  "exit",  "die",
                                        "abort", "sleep",    "ignore", "catch", "ready", "misspell"};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcmp(step, steps[i]) == 0)
            return 1;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        int only = -1, takes_value;

        if (argv[i][0] == '@')
            only = atoi(argv[i++] + 1);
        if (i >= argc)
            return 98;
        takes_value = wants_value(argv[i]);
        if (only >= 0 && only != my_rank()) {
            i += takes_value;
            continue;
        }
        if (takes_value ? i + 1 >= argc || !do_with(argv[i], argv[i + 1]) : !do_alone(argv[i])) {
            fprintf(stderr, "steps: cannot do '%s'\n", argv[i]);
            return 98;
        }
        i += takes_value;
        if (!holds)
            fflush(stdout);
    }
    return 0;
}
