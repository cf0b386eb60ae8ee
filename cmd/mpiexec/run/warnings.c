#include "cmd/mpiexec/run/told.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "plain/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct warning {
    struct warning *next; /* a later one */
    uint64_t due_ns;
    int size, count; /* ranks of the job; ranks that have given it */
    char *text;
    bool said[]; /* by rank */
};

static struct warning *first;

static void warnings_print_one(const struct warning *w)
{
    char list[256] = "", line[PMI_LINE_SIZE];
    int length;

    if (w->size > 1)
        words_list_ranks(w->said, w->size, list, sizeof list);
    length = snprintf(line, sizeof line, "inkling: warning: %s%s%s%s\n",
                      w->size == 1    ? ""
                      : w->count == 1 ? "rank "
                                      : "ranks ",
                      list, w->size == 1 ? "" : ": ", w->text);
    if (length >= (int)sizeof line) {
        length = (int)sizeof line - 1;
        line[length - 1] = '\n';
    }
    writer_write(STDERR_FILENO, line, (size_t)length);
}

static void print_and_free(struct warning **at)
{
    struct warning *w = *at;

    *at = w->next;
    warnings_print_one(w);
    free(w->text);
    free(w);
}

/* The place of the warning with this text; otherwise the end of the list. */
static struct warning **warnings_find(const char *text)
{
    struct warning **at = &first;

    while (*at && strcmp((*at)->text, text) != 0)
        at = &(*at)->next;
    return at;
}

static struct warning *warning_new(int size, const char *text)
{
    struct warning *w = words_allocate(sizeof *w + (size_t)size * sizeof w->said[0]);

    memset(w, 0, sizeof *w + (size_t)size * sizeof w->said[0]);
    w->due_ns = clock_ns() + WARNINGS_WAIT_MS * 1000000ull;
    w->size = size;
    w->text = words_format("%s", text);
    return w;
}

void warnings_add(const struct job *job, int rank, const char *text)
{
    struct warning **at = warnings_find(text);

    if (*at && (*at)->said[rank]) { /* repeated: print the pending one */
        print_and_free(at);
        at = warnings_find(text);
    }
    if (!*at)
        *at = warning_new(job->size, text);
    (*at)->said[rank] = true;
    (*at)->count++;
    if ((*at)->count == (*at)->size)
        print_and_free(at);
}

void warnings_print(uint64_t now)
{
    while (first && first->due_ns <= now)
        print_and_free(&first);
}

uint64_t warnings_due(void)
{
    return first ? first->due_ns : 0;
}
