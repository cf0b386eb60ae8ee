#include "cmd/mpiexec/run/told.h"

#include "cmd/mpiexec/command_line/words.h"
#include "cmd/mpiexec/run/output.h"
#include "cmd/mpiexec/spawn/spawned.h"
#include "hint/report.h"
#include "metric/metric.h"
#include "plain/fail.h"
#include "plain/json.h"

#include <errno.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    TITLES_SHOWN = 3
};

/* A line that is said. */
struct told {
    struct told *next; /* a later one */
    struct report_line line;
    struct words titles; /* of the objects, once each */
    bool *has;           /* by rank: has told it ... */
    int *times;          /* ... so often */
};

/* What was told of an object that has not ended. */
struct living {
    struct living *next; /* an earlier one */
    int rank;
    struct report_line line;
    char *text; /* that the line points into */
};

static struct told *first, **end = &first;
static struct living *living;
static bool has_told_none;

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static bool is_outside(const struct report_line *l)
{
    return strcmp(l->kind, "outside") == 0;
}

static bool is_alike(const struct report_line *a, const struct report_line *b)
{
    return !a->is_each && !b->is_each && a->is_final == b->is_final && is_same_text(a->kind, b->kind) &&
           is_same_text(a->key, b->key) && is_same_text(a->value, b->value) && is_same_text(a->why, b->why) &&
           is_same_text(a->giver, b->giver) && is_same_text(a->counted, b->counted) &&
           (!is_outside(a) || a->place == b->place);
}

static char *format_title(const struct report_line *l)
{
    if (l->size == 0)
        return words_format("%s", l->title);
    return words_format("%s of %d rank%s%s", l->title, l->size, l->size == 1 ? "" : "s",
                        l->is_each ? words_format(", rank %d", l->rank) : "");
}

static void add_title(struct told *t, char *title)
{
    for (int i = 0; i < t->titles.count; i++)
        if (strcmp(t->titles.word[i], title) == 0) {
            free(title);
            return;
        }
    words_add(&t->titles, title);
}

static const char *told_keep(const char *text)
{
    return text ? words_format("%s", text) : NULL;
}

static struct told *told_new(const struct job *job, const struct report_line *line)
{
    struct told *t = words_allocate(sizeof *t);

    *t = (struct told){.line = *line};
    memset(t->line.count, 0, sizeof t->line.count);
    t->line.kind = told_keep(line->kind);
    t->line.key = told_keep(line->key);
    t->line.value = told_keep(line->value);
    t->line.why = told_keep(line->why);
    t->line.giver = told_keep(line->giver);
    t->line.counted = told_keep(line->counted);
    t->has = words_allocate((size_t)job->world_size * sizeof *t->has);
    t->times = words_allocate((size_t)job->world_size * sizeof *t->times);
    *end = t;
    end = &t->next;
    return t;
}

static void told_fold(const struct job *job, int rank, const struct report_line *line)
{
    struct told *t = first;

    while (t && !is_alike(&t->line, line))
        t = t->next;
    if (!t)
        t = told_new(job, line);
    add_title(t, format_title(line));
    t->has[rank] = true;
    t->times[rank]++;
    for (int i = 0; i < REPORT_COUNTS; i++)
        t->line.count[i] += line->count[i];
}

/* Forgets what the object told before about the same. */
static void outdate(int rank, const struct report_line *line)
{
    for (struct living **at = &living; *at; at = &(*at)->next) {
        struct living *l = *at;

        if (l->rank != rank || l->line.place != line->place || strcmp(l->line.key, line->key) != 0 ||
            (!*line->key && strcmp(l->line.why, line->why) != 0))
            continue;
        *at = l->next;
        free(l->text);
        free(l);
        return;
    }
}

static void keep_living(int rank, const char *text)
{
    struct living *l = words_allocate(sizeof *l);

    *l = (struct living){.next = living, .rank = rank, .text = words_format("%s", text)};
    report_parse(l->text, &l->line);
    living = l;
}

int told_hints_add(const struct job *job, int rank, char *text)
{
    char *whole = words_format("%s", text);
    struct report_line line;
    bool is_one = report_parse(text, &line);

    if (is_one && strcmp(line.kind, "none") == 0)
        has_told_none = true;
    else if (is_one) {
        outdate(rank, &line);
        if (line.is_final)
            told_fold(job, rank, &line);
        else
            keep_living(rank, whole);
    }
    free(whole);
    return is_one ? MPI_SUCCESS : fail(MPI_ERR_OTHER, "PMI hint: it is no line of the report");
}

/* The last one first, so that what was told first is folded first. */
static void fold_living(const struct job *job)
{
    struct living *in_order = NULL;

    while (living) {
        struct living *l = living;

        living = l->next;
        l->next = in_order;
        in_order = l;
    }
    for (; in_order; in_order = in_order->next)
        told_fold(job, in_order->rank, &in_order->line);
}

static void print_titles(FILE *out, const struct told *t)
{
    int count = t->titles.count, shown = count > TITLES_SHOWN + 1 ? TITLES_SHOWN : count;

    for (int i = 0; i < shown; i++)
        fprintf(out, "%s%s", i ? ", " : "", t->titles.word[i]);
    if (shown < count)
        fprintf(out, " and %d more", count - shown);
}

/* The least and the most that one rank has told it. */
static void times_of(const struct job *job, const struct told *t, int *least, int *most)
{
    *least = *most = 0;
    for (int i = 0; i < job->world_size; i++) {
        if (!t->has[i])
            continue;
        *least = *least && *least < t->times[i] ? *least : t->times[i];
        *most = *most > t->times[i] ? *most : t->times[i];
    }
}

static void told_print_text(FILE *out, const struct job *job, const struct told *t)
{
    char text[REPORT_LINE_SIZE], ranks[256];
    int least, most;

    report_format(&t->line, text, sizeof text);
    words_list_ranks(t->has, job->world_size, ranks, sizeof ranks);
    times_of(job, t, &least, &most);
    fprintf(out, "inkling: hints: ");
    print_titles(out, t);
    fprintf(out, ": %s", text);
    if (!t->line.is_final)
        fprintf(out, "; not freed when the job ended");
    if (!t->line.is_each && job->world_size > 1)
        fprintf(out, strchr(ranks, ',') || strchr(ranks, '-') ? "; ranks %s" : "; rank %s", ranks);
    if (most > 1)
        fprintf(out, least == most ? "; %d each" : "; up to %d each", most);
    fputc('\n', out);
}

static void told_print_json(FILE *out, const struct job *job, const struct told *t)
{
    size_t state = strcspn(t->line.why, ":");
    char ranks[256], name[64], text[REPORT_LINE_SIZE];
    struct report_line counted = {.key = "", .why = "", .counted = t->line.counted};

    memcpy(counted.count, t->line.count, sizeof counted.count);
    report_format(&counted, text, sizeof text);
    words_list_ranks(t->has, job->world_size, ranks, sizeof ranks);
    snprintf(name, sizeof name, "%.*s", (int)state, t->line.why);
    fprintf(out, "{\"kind\": \"%s\", \"objects\": [", t->line.kind);
    for (int i = 0; i < t->titles.count; i++) {
        fprintf(out, "%s", i ? ", " : "");
        json_write_text(out, t->titles.word[i]);
    }
    fprintf(out, "], \"ranks\": \"%s\", \"ended\": %s, \"key\": ", ranks,
            t->line.is_final ? "true" : "false");
    json_write_text(out, *t->line.key ? t->line.key : NULL);
    fprintf(out, ", \"value\": ");
    json_write_text(out, t->line.value);
    fprintf(out, ", \"state\": ");
    json_write_text(out, *t->line.key ? name : NULL);
    fprintf(out, ", \"why\": ");
    json_write_text(out, t->line.why[state] && *t->line.key ? t->line.why + state + 2 : t->line.why);
    fprintf(out, ", \"given_by\": ");
    json_write_text(out, t->line.giver);
    fprintf(out, ", \"counted\": ");
    json_write_text(out, text);
    fprintf(out, ", \"counts\": [%llu, %llu, %llu]}", (unsigned long long)t->line.count[0],
            (unsigned long long)t->line.count[1], (unsigned long long)t->line.count[2]);
}

static void print_all_json(const struct job *job)
{
    FILE *out = fopen(job->hints_report, "w");

    if (!out) {
        fprintf(stderr, "mpiexec: --hints-report=json:%s: %s\n", job->hints_report, strerror(errno));
        return;
    }
    fputc('[', out);
    for (const struct told *t = first; t; t = t->next) {
        fprintf(out, "%s\n  ", t == first ? "" : ",");
        told_print_json(out, job, t);
    }
    fprintf(out, "\n]\n");
    if (ferror(out) | fclose(out))
        fprintf(stderr, "mpiexec: --hints-report=json:%s: %s\n", job->hints_report, strerror(errno));
}

static void print_all_text(const struct job *job)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return;
    for (const struct told *t = first; t; t = t->next)
        told_print_text(out, job, t);
    if (!first && has_told_none)
        fprintf(out, "inkling: hints: none were given\n");
    fclose(out);
    writer_write(STDERR_FILENO, text, size);
    free(text);
}

/* Whether each rank that has begun MPI has told it. */
static bool is_told_by_all(const struct job *job, const struct told *t)
{
    for (int i = 0; i < job->world_size; i++)
        if (!t->has[i] && (job->asked || job->rank[i].initialized))
            return false;
    return true;
}

/* A hint from outside is said if it matched no object of any rank. What a rank that died, or a job that was spawned, would have
 * matched is not known. */
static bool is_to_be_said(const struct job *job, const struct told *t)
{
    return !is_outside(&t->line) ||
           (t->line.count[0] == 0 && !job->is_spawned && !spawn_nested_has_run() && is_told_by_all(job, t));
}

static void drop_unsaid(const struct job *job)
{
    struct told **at = &first;

    while (*at) {
        if (is_to_be_said(job, *at))
            at = &(*at)->next;
        else
            *at = (*at)->next;
    }
}

void told_hints_print(struct job *job)
{
    fold_living(job);
    drop_unsaid(job);
    if (job->hints_report)
        print_all_json(job);
    else if (first || has_told_none)
        print_all_text(job);
}

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
    char *behind;

    for (int i = 0; i < NUMBERS; i++, text = behind) {
        c.number[i] = strtoull(text, &behind, 10);
        if (behind == text)
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
