/* The verbs of inkling that are programs of their own: one is linked with all of the library, one is an MPI program. They lie in
 * libexec/inkling beside bin, in a build as in an installation. */
#include "cmd/inkling.h"

#include "cmd/diagnosis.h"
#include "cmd/place.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int helper_run(const char *name, char **words)
{
    char program[PLACE_SIZE + 64];
    struct install_place place;

    place_find(&place);
    snprintf(program, sizeof program, "%s/../libexec/inkling/%s", place.bin, name);
    words[-1] = program;
    execv(program, words - 1);
    fprintf(stderr, "inkling: %s: %s cannot be started (%s); install Inkling as a whole\n", name, program,
            strerror(errno));
    return 1;
}

/* Whether the word is the name of a launcher whose options mpiexec knows. */
static bool is_launcher(const char *word)
{
    static const char *const names[] = {"mpiexec", "mpirun", "orterun", "prterun"};
    const char *slash = strrchr(word, '/'), *name = slash ? slash + 1 : word;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

/* Becomes mpiexec, with this option before the words, which may begin with the name of a launcher. The two before them are written. */
static int become_mpiexec(const char *verb, char *option, char **words)
{
    char program[PLACE_SIZE + 16];
    struct install_place place;
    char **line = words[0] && is_launcher(words[0]) ? words - 1 : words - 2;

    place_find(&place);
    snprintf(program, sizeof program, "%s/mpiexec", place.bin);
    line[0] = program;
    line[1] = option;
    execv(program, line);
    fprintf(stderr, "inkling: %s: %s cannot be started (%s)\n", verb, program, strerror(errno));
    return 1;
}

int helper_explain(char **words)
{
    char option[] = "--explain";

    return become_mpiexec("explain", option, words);
}

int helper_examine(char **words, bool as_json)
{
    char option[64];
    int status = 1;
    pid_t child;

    snprintf(option, sizeof option, "--examine=%s:%d", as_json ? "json" : "text", diagnosis_count());
    fflush(stdout);
    child = fork();
    if (child == 0)
        _exit(become_mpiexec("doctor", option, words));
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}
