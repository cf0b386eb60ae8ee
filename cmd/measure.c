#include "cmd/inkling.h"

#include "cmd/place.h"
#include "plain/clock.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TURNS = 9,
    QUARTILE = 2 /* the place of the first one among so many; of the last, from the end */
};

extern char **environ;

static const char folder[] = "inkling-advice", hints[] = "inkling-advice/hints.txt";

/* Runs the command, whose output is not wanted, and waits for it. Its exit code; 127: it could not be started. */
static int measure_start(char **argument)
{
    posix_spawn_file_actions_t actions;
    int status = 0, error;
    pid_t child;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawn(&child, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error || waitpid(child, &status, 0) != child)
        return 127;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* mpiexec with these two words, if any, before the others. */
static int measure_job(char **words, const char *first, const char *second, double *seconds)
{
    struct install_place place;
    char mpiexec[PLACE_SIZE + 16], **argument;
    int count = 0, at = 1, code;
    uint64_t began;

    while (words[count])
        count++;
    argument = calloc((size_t)count + 4, sizeof *argument);
    if (!argument)
        return 127;
    place_find(&place);
    snprintf(mpiexec, sizeof mpiexec, "%s/mpiexec", place.bin);
    argument[0] = mpiexec;
    if (first)
        argument[at++] = (char *)first;
    if (second)
        argument[at++] = (char *)second;
    memcpy(argument + at, words, (size_t)count * sizeof *words);
    began = clock_ns();
    code = measure_start(argument);
    *seconds = (double)(clock_ns() - began) / 1e9;
    free(argument);
    return code;
}

static int count_hints(void)
{
    char line[4096];
    int count = 0;
    FILE *in = fopen(hints, "r");

    while (in && fgets(line, sizeof line, in))
        count += line[0] != '#';
    if (in)
        fclose(in);
    return count;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void measure_print(const char *title, double *value, const char *unit)
{
    qsort(value, TURNS, sizeof *value, compare);
    printf("%-9s%.4g%s (half of the turns: %.4g to %.4g)\n", title, value[TURNS / 2], unit, value[QUARTILE],
           value[TURNS - 1 - QUARTILE]);
}

static bool is_below(const double *sorted, const double *other)
{
    return sorted[TURNS - 1 - QUARTILE] < other[QUARTILE];
}

/* All are sorted. Times of a busy machine drift, so that a few ratios say less than the times do. */
static void print_verdict(const double *without, const double *with, const double *ratio)
{
    if (is_below(with, without) && ratio[TURNS - 1 - QUARTILE] < 1)
        printf("The hints pay: they save %.0f %% of the time.\n", 100 * (1 - ratio[TURNS / 2]));
    else if (is_below(without, with) && ratio[QUARTILE] > 1)
        printf("The hints do not pay: the job takes %.0f %% longer.\n", 100 * (ratio[TURNS / 2] - 1));
    else
        printf("There is no difference that this measurement can tell: the middle halves of the times "
               "overlap.\n");
}

/* One turn; which of the two comes first changes. The exit code of the first job that fails. */
static int measure_turn(char **words, int turn, double *without, double *with)
{
    int code = 0;

    for (int i = 0; i < 2 && !code; i++) {
        if ((turn + i) % 2)
            code = measure_job(words, "--hints", hints, with);
        else
            code = measure_job(words, NULL, NULL, without);
        if (code)
            fprintf(stderr, "inkling: advise: code %d %s the hints of %s\n", code,
                    (turn + i) % 2 ? "with" : "without", hints);
    }
    return code;
}

static int measure_turns(char **words, int count)
{
    double without[TURNS], with[TURNS], ratio[TURNS];

    for (int turn = 0; turn < TURNS; turn++) {
        int code = measure_turn(words, turn, &without[turn], &with[turn]);

        if (code)
            return code;
        ratio[turn] = with[turn] / without[turn];
    }
    printf("%d turns, without and with the %d hints of %s:\n", TURNS, count, hints);
    measure_print("without", without, " s");
    measure_print("with", with, " s");
    measure_print("ratio", ratio, "");
    print_verdict(without, with, ratio);
    return 0;
}

int measure_run(char **words)
{
    char option[sizeof "--advise=" + sizeof folder];
    double seconds;
    int code, count;

    if (!*words) {
        fprintf(stderr,
                "inkling: advise --measure needs a program: inkling advise --measure -n 4 ./program\n");
        return 1;
    }
    snprintf(option, sizeof option, "--advise=%s", folder);
    code = measure_job(words, option, NULL, &seconds);
    if (code)
        return code;
    count = count_hints();
    if (count)
        return measure_turns(words, count);
    printf("There is nothing to measure: no hint is advised that would gain and that the program does not "
           "give.\n");
    return 0;
}
