#include "cmd/mpiexec/command_line/notices.h"

#include "cmd/diagnosis.h"
#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/launch/launch.h"
#include "plain/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum notice_kind {
    NOTICE_UNDERSTOOD,
    NOTICE_IGNORED,
    NOTICE_TRANSLATED
};

struct notice {
    enum notice_kind kind;
    char *what;
    const char *text;
};

struct notices {
    struct notice *notice;
    int count;
};

static void notices_add(struct job *job, enum notice_kind kind, char *what, const char *text)
{
    struct notices *all = job->notices;

    if (!all)
        all = job->notices = words_allocate(sizeof *all);
    for (int i = 0; i < all->count; i++)
        if (all->notice[i].kind == kind && strcmp(all->notice[i].what, what) == 0)
            return;
    all->notice = words_grow(all->notice, (size_t)(all->count + 1) * sizeof *all->notice);
    all->notice[all->count++] = (struct notice){kind, what, text};
}

void notices_ignore(struct job *job, char *what, const char *why)
{
    notices_add(job, NOTICE_IGNORED, what, why);
}

void notices_translate(struct job *job, char *what, char *ours)
{
    notices_add(job, NOTICE_TRANSLATED, what, ours);
}

void notices_understand(struct job *job, char *what, const char *meaning)
{
    notices_add(job, NOTICE_UNDERSTOOD, what, meaning);
}

/* "A, B" of a kind; "" if there are none. */
static char *notices_join(const struct notices *all, enum notice_kind kind)
{
    char *line = words_format("%s", "");

    for (int i = 0; i < all->count; i++) {
        const struct notice *n = &all->notice[i];
        char *before = line;

        if (n->kind != kind)
            continue;
        line =
            words_format("%s%s%s%s%s", before, *before ? ", " : "", n->what,
                         kind == NOTICE_TRANSLATED ? " is " : "", kind == NOTICE_TRANSLATED ? n->text : "");
        free(before);
    }
    return line;
}

/* Whoever types a command without -n may have forgotten it; a script, which means it so, is told nothing. */
static void print_missing_count(const struct job *job)
{
    const struct app *app = job->app;

    if (job->apps == 1 && !app->is_counted && app->count == 1 && !job->is_spawned && isatty(STDERR_FILENO))
        fprintf(stderr, "mpiexec: one rank, since there is no -n; for four: mpiexec -n 4 %s\n",
                words_join(&app->argv, 0));
}

void notices_print(const struct job *job)
{
    char *ignored, *translated;

    if (job->quiet)
        return;
    print_missing_count(job);
    if (!job->notices)
        return;
    ignored = notices_join(job->notices, NOTICE_IGNORED);
    translated = notices_join(job->notices, NOTICE_TRANSLATED);
    if (*ignored || *translated)
        fprintf(stderr, "mpiexec: %s%s%s%s (`inkling explain` says why; --quiet is silent)\n",
                *ignored ? "ignored: " : "", ignored,
                !*translated ? ""
                : *ignored   ? "; taken over: "
                             : "taken over: ",
                translated);
    free(ignored);
    free(translated);
}

void notices_explain(const struct job *job)
{
    static const char *const kinds[] = {"", "ignored: ", "taken over: "};
    size_t width = 0;

    for (int i = 0; job->notices && i < job->notices->count; i++)
        if (strlen(job->notices->notice[i].what) > width && strlen(job->notices->notice[i].what) <= 40)
            width = strlen(job->notices->notice[i].what);
    for (int i = 0; job->notices && i < job->notices->count; i++) {
        const struct notice *n = &job->notices->notice[i];

        printf("%-*s  %s%s\n", (int)width, n->what, kinds[n->kind], n->text);
    }
}

static int ranks_of_line(const struct job *job)
{
    int count = 0;

    for (int i = 0; i < job->apps; i++)
        count += job->app[i].count;
    return count;
}

static void tell_ranks(const struct job *job)
{
    const struct app *app = job->app;
    int count = ranks_of_line(job);

    if (job->apps == 1 && !app->is_counted && count == 1)
        diagnosis_tell(SLOWER, "ranks", "one, since there is no -n",
                       words_format("mpiexec -n 4 %s", words_join(&app->argv, 0)));
    else
        diagnosis_tell(FINE, "ranks", words_format("%d", count), NULL);
}

/* Whether somebody may expect that ranks read it: a pipe or a file. */
static bool input_holds_data(void)
{
    struct stat input;

    return fstat(STDIN_FILENO, &input) == 0 &&
           (S_ISREG(input.st_mode) || S_ISFIFO(input.st_mode) || S_ISSOCK(input.st_mode));
}

static void tell_input(const struct job *job)
{
    if (job->input == INPUT_ALL)
        diagnosis_tell(FINE, "standard input", "every rank gets it", NULL);
    else if (job->input == INPUT_NONE)
        diagnosis_tell(FINE, "standard input", "no rank gets it", NULL);
    else if (input_holds_data() && !job->is_input_chosen && ranks_of_line(job) > 1)
        diagnosis_tell(SLOWER, "standard input",
                       "rank 0 alone gets what comes in here; the others find its end at once",
                       "mpiexec --stdin all gives it to every rank");
    else
        diagnosis_tell(FINE, "standard input", words_format("rank %d gets it", job->input), NULL);
}

int notices_examine(struct job *job, int error)
{
    if (error) {
        diagnosis_tell(BROKEN, "command line", fail_note(),
                       "inkling explain says what its parts mean; mpiexec --help lists options");
        return 1;
    }
    diagnosis_tell(FINE, "command line", "mpiexec takes it", NULL);
    tell_ranks(job);
    tell_input(job);
    return foreign_examine(job) == BROKEN;
}
