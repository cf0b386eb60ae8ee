#include "cmd/mpiexec/command_line/notices.h"

#include "cmd/mpiexec/command_line/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
