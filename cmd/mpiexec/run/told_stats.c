#include "cmd/mpiexec/run/told.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "metric/metric.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    ELAPSED, /* nanoseconds in MPI */
    WORD,    /* the first word of the process */
    NUMBERS = WORD + METRIC_WORDS
};

/* What a rank has told last. */
struct counted {
    bool is_told;
    uint64_t number[NUMBERS];
};

/* One number over all ranks that have told. */
struct summary {
    int ranks, most_rank;
    uint64_t sum, least, most;
};

static struct counted *counted; /* by rank; NULL: none has told */
static struct {
    int rank;
    char text[320];
} network; /* which the lowest rank that has one took, and why; "": none */

static void keep_network(int rank, const char *text)
{
    static const char word[] = " network ";

    if (strncmp(text, word, strlen(word)) != 0 || (*network.text && network.rank < rank))
        return;
    network.rank = rank;
    snprintf(network.text, sizeof network.text, "%s", text + strlen(word));
}

int told_stats_add(const struct job *job, int rank, const char *text)
{
    struct counted c = {.is_told = true};
    char *end;

    for (int i = 0; i < NUMBERS; i++, text = end) {
        c.number[i] = strtoull(text, &end, 10);
        if (end == text)
            return fail(MPI_ERR_OTHER, "PMI stats: %d numbers in place of %d", i, NUMBERS);
    }
    if (!counted)
        counted = words_allocate((size_t)job->world_size * sizeof *counted);
    counted[rank] = c;
    keep_network(rank, text);
    return MPI_SUCCESS;
}

static struct summary summarize(const struct job *job, int number)
{
    struct summary s = {.least = UINT64_MAX};

    for (int i = 0; i < job->world_size; i++) {
        uint64_t n = counted[i].number[number];

        if (!counted[i].is_told)
            continue;
        s.ranks++;
        s.sum += n;
        s.least = n < s.least ? n : s.least;
        if (n > s.most || s.ranks == 1) {
            s.most = n;
            s.most_rank = i;
        }
    }
    return s;
}

/* The row that counts; levels have nothing to say at the end. */
static const struct metric_row *find_row(int metric)
{
    for (const struct metric_row *row = metric_table; row->name; row++)
        if ((int)row->metric == metric &&
            (row->class == MPI_T_PVAR_CLASS_COUNTER || row->class == MPI_T_PVAR_CLASS_AGGREGATE ||
             row->class == MPI_T_PVAR_CLASS_TIMER))
            return row;
    return NULL;
}

/* Seconds, or a number, from a million on with M, G ... behind it. */
static void format_number(const struct metric_row *row, double n, char *text, size_t size)
{
    static const char unit[] = " kMGTPE";
    int i = 0;

    if (row->class == MPI_T_PVAR_CLASS_TIMER) {
        snprintf(text, size, "%.3f s", n / 1e9);
        return;
    }
    for (double most = 1e6; n >= most; i++, most = 1e3)
        n /= 1000;
    snprintf(text, size, i ? "%.2f%c" : n == (double)(uint64_t)n ? "%.0f%c" : "%.1f%c", n, unit[i]);
}

static void print_row(FILE *out, const struct metric_row *row, const struct summary *s)
{
    const double value[] = {(double)s->sum, (double)s->least, (double)s->sum / s->ranks, (double)s->most};
    char name[64], text[32];

    snprintf(name, sizeof name, "%s", row->name + strlen("inkling_"));
    for (char *c = name; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    fprintf(out, "  %-28s", name);
    for (size_t i = 0; i < sizeof value / sizeof *value; i++) {
        format_number(row, value[i], text, sizeof text);
        fprintf(out, " %12s", text);
    }
    fprintf(out, "  (rank %d)\n", s->most_rank);
}

static void print_all(FILE *out, const struct job *job)
{
    struct summary elapsed = summarize(job, ELAPSED);

    fprintf(out, "inkling stats: %d of %d ranks have ended MPI, after %.3f s at most\n", elapsed.ranks,
            job->world_size, (double)elapsed.most / 1e9);
    if (*network.text)
        fprintf(out, "  network between hosts: %s\n", network.text);
    fprintf(out, "  %-28s %12s %12s %12s %12s\n", "", "total ", "least ", "average ", "most ");
    for (int m = 0; m < METRIC_WORDS; m++) {
        const struct metric_row *row = find_row(m);
        struct summary s = summarize(job, WORD + m);

        if (row && s.sum > 0)
            print_row(out, row, &s);
    }
}

void told_stats_print(const struct job *job)
{
    char *text = NULL;
    size_t size;
    FILE *out = counted ? open_memstream(&text, &size) : NULL;

    if (!out)
        return;
    print_all(out, job);
    fclose(out);
    writer_write(STDERR_FILENO, text, size);
    free(text);
}
