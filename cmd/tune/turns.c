/* The program that `inkling tune` runs on the ranks: measures, and prints lines that the command reads (tune.h). Plain MPI, but for the
 * info keys that force an algorithm, a file of rules or an eager limit.
 *
 *     tune_rank points COLLECTIVE ALGORITHMS SIZES    of each size, each algorithm against the built-in choice
 *     tune_rank check FILE COLLECTIVE SIZES           the same of the rules of FILE
 *     tune_rank links                                 latency, overhead, bandwidth; eager limits
 *     tune_rank network NAME                          messages between hosts over this network, which the environment has chosen
 *
 * Candidates are measured in turns, so that what else happens on the machine meets all of them alike, and compared turn by turn.
 */
#include "cmd/tune/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TURNS = 21,
    CANDIDATES = 12,
    WARM_CALLS = 12 /* mailboxes are made by then */
};

static int rank, ranks;

/* Seconds of a call, on the slowest rank. */
static double time_calls(const struct tune_call *call, MPI_Comm comm, int items, int calls)
{
    double begin, mine, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    for (int i = 0; i < calls; i++)
        call->run(comm, items);
    mine = (MPI_Wtime() - begin) / calls;
    MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

static int rank_compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *value)
{
    qsort(value, TURNS, sizeof *value, rank_compare);
    return value[TURNS / 2];
}

/* One line for each candidate but the first, which the others are compared with. */
static void print_points(const struct tune_call *call, size_t bytes, char *const *word, int count,
                         double seconds[CANDIDATES][TURNS])
{
    double first[TURNS];

    memcpy(first, seconds[0], sizeof first);
    for (int c = 1; rank == 0 && c < count; c++) {
        double ratio[TURNS], base[TURNS];

        for (int t = 0; t < TURNS; t++)
            ratio[t] = seconds[c][t] / first[t];
        memcpy(base, first, sizeof base);
        qsort(ratio, TURNS, sizeof *ratio, rank_compare);
        printf("point %s %zu %s %.9g %.9g %.4f %.4f %.4f\n", call->name, bytes, word[c], median(base),
               median(seconds[c]), ratio[TURNS / 4], ratio[TURNS / 2], ratio[TURNS - 1 - TURNS / 4]);
    }
    fflush(stdout);
}

/* As many calls as take about two milliseconds. */
static int choose_calls(const struct tune_call *call, MPI_Comm comm, int items)
{
    double one = time_calls(call, comm, items, 3);
    int calls = one > 0 ? (int)(0.002 / one) : 1000;

    MPI_Bcast(&calls, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return calls < 2 ? 2 : calls > 2000 ? 2000 : calls;
}

static void measure_size(const struct tune_call *call, size_t bytes, char *const *word, const MPI_Comm *comm,
                         int count)
{
    static double seconds[CANDIDATES][TURNS];
    int items = (int)(bytes / sizeof(double) / (size_t)(call->has_blocks ? ranks : 1)), calls;

    for (int c = 0; c < count; c++)
        time_calls(call, comm[c], items, WARM_CALLS);
    calls = choose_calls(call, comm[0], items);
    for (int t = 0; t < TURNS; t++)
        for (int i = 0; i < count; i++) {
            int c = (i + t) % count; /* which of them comes first changes */

            seconds[c][t] = time_calls(call, comm[c], items, calls);
        }
    print_points(call, bytes, word, count, seconds);
}

/* The words of a list with commas, in place. */
static int split_list(char *list, char **word, int most)
{
    int count = 0;

    for (char *w = strtok(list, ","); w && count < most; w = strtok(NULL, ","))
        word[count++] = w;
    return count;
}

static const struct tune_call *turns_find_call(const char *name)
{
    const struct tune_call *call = tune_calls;

    while (call->name && strcmp(call->name, name) != 0)
        call++;
    if (!call->name)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return call;
}

static void measure_sizes(const struct tune_call *call, char *sizes, char *const *word, const MPI_Comm *comm,
                          int count)
{
    char *size[64];
    int many = split_list(sizes, size, 64);

    calls_prepare((size_t)strtoull(size[many - 1], NULL, 10), ranks);
    for (int i = 0; i < many; i++)
        measure_size(call, (size_t)strtoull(size[i], NULL, 10), word, comm, count);
}

static void measure_points(const char *name, char *algorithms, char *sizes)
{
    char *word[CANDIDATES] = {"built-in"}, key[64];
    MPI_Comm comm[CANDIDATES] = {calls_comm_with("inkling_rules", "built-in")};
    int count = 1 + split_list(algorithms, word + 1, CANDIDATES - 1);

    snprintf(key, sizeof key, "inkling_%s", name);
    for (int c = 1; c < count; c++)
        comm[c] = calls_comm_with(key, word[c]);
    measure_sizes(turns_find_call(name), sizes, word, comm, count);
}

static void check_rules(const char *path, const char *name, char *sizes)
{
    char *word[] = {"built-in", "rules"};
    MPI_Comm comm[] = {calls_comm_with("inkling_rules", "built-in"), calls_comm_with("inkling_rules", path)};

    measure_sizes(turns_find_call(name), sizes, word, comm, 2);
}

int main(int argc, char **argv)
{
    int hosts;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    hosts = links_count_hosts();
    if (rank == 0)
        printf("hosts %d\n", hosts);
    if (argc == 5 && strcmp(argv[1], "points") == 0)
        measure_points(argv[2], argv[3], argv[4]);
    else if (argc == 5 && strcmp(argv[1], "check") == 0)
        check_rules(argv[2], argv[3], argv[4]);
    else if (argc == 2 && strcmp(argv[1], "links") == 0)
        links_measure();
    else if (argc == 3 && strcmp(argv[1], "network") == 0)
        links_measure_network(argv[2]);
    MPI_Finalize();
    return 0;
}
