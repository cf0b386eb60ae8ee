#include "cmd/where/job_view.h"

#include "plain/clock.h"
#include "plain/pmi_line.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LINES_VERSION = 4,
    WORD_MOST = 2048
};

enum field_kind {
    FIELD_INT,
    FIELD_WORD,
    FIELD_BOOL,
    FIELD_LETTER,
    FIELD_REAL,
    FIELD_AGE, /* a time of the clock; 0: none */
    FIELD_TEXT,
    FIELD_RANKS /* an array of int, whose count is at `room` */
};

struct field {
    enum field_kind kind;
    size_t at, room;
};

struct record {
    const char *name;
    const struct field *field;
    int fields;
};

#define FIELD(kind, type, member)                                                                            \
    {                                                                                                        \
        kind, offsetof(struct type, member), sizeof(((struct type *)0)->member)                              \
    }
#define RECORD(name, table)                                                                                  \
    {                                                                                                        \
        name, table, sizeof(table) / sizeof *(table)                                                         \
    }

static const struct field rank_fields[] = {FIELD(FIELD_INT, rank_view, traced.pid),
                                           FIELD(FIELD_LETTER, rank_view, traced.state),
                                           FIELD(FIELD_BOOL, rank_view, traced.is_open),
                                           FIELD(FIELD_BOOL, rank_view, traced.is_refused),
                                           FIELD(FIELD_BOOL, rank_view, has_objects),
                                           FIELD(FIELD_BOOL, rank_view, is_refused),
                                           FIELD(FIELD_INT, rank_view, objects.requests_left),
                                           FIELD(FIELD_INT, rank_view, objects.messages_left),
                                           FIELD(FIELD_INT, rank_view, shares.waits),
                                           FIELD(FIELD_REAL, rank_view, shares.core),
                                           FIELD(FIELD_REAL, rank_view, shares.rate),
                                           FIELD(FIELD_TEXT, rank_view, python.lacks),
                                           FIELD(FIELD_TEXT, rank_view, host)};
static const struct field comm_fields[] = {
    FIELD(FIELD_WORD, object_comm, at),        FIELD(FIELD_WORD, object_comm, context),
    FIELD(FIELD_INT, object_comm, rank),       FIELD(FIELD_INT, object_comm, count),
    FIELD(FIELD_BOOL, object_comm, is_hidden), FIELD(FIELD_BOOL, object_comm, is_inter),
    FIELD(FIELD_TEXT, object_comm, name)};
static const struct field request_fields[] = {
    FIELD(FIELD_WORD, object_request, at),     FIELD(FIELD_INT, object_request, kind),
    FIELD(FIELD_INT, object_request, plane),   FIELD(FIELD_WORD, object_request, comm),
    FIELD(FIELD_WORD, object_request, parent), FIELD(FIELD_WORD, object_request, made),
    FIELD(FIELD_INT, object_request, source),  FIELD(FIELD_INT, object_request, tag),
    FIELD(FIELD_TEXT, object_request, place),  FIELD(FIELD_TEXT, object_request, origin)};
static const struct field message_fields[] = {
    FIELD(FIELD_WORD, object_message, comm), FIELD(FIELD_INT, object_message, source),
    FIELD(FIELD_INT, object_message, tag), FIELD(FIELD_INT, object_message, process)};
static const struct field window_fields[] = {
    FIELD(FIELD_WORD, object_window, at),         FIELD(FIELD_WORD, object_window, comm),
    FIELD(FIELD_INT, object_window, count),       FIELD(FIELD_INT, object_window, locked[0]),
    FIELD(FIELD_INT, object_window, locks),       FIELD(FIELD_BOOL, object_window, has_started),
    FIELD(FIELD_BOOL, object_window, has_posted), FIELD(FIELD_TEXT, object_window, name)};
static const struct field file_fields[] = {FIELD(FIELD_WORD, object_file, comm),
                                           FIELD(FIELD_TEXT, object_file, name)};
static const struct field thread_fields[] = {
    FIELD(FIELD_INT, rank_thread, tid),
    FIELD(FIELD_LETTER, rank_thread, state),
    FIELD(FIELD_BOOL, rank_thread, in_mpi),
    FIELD(FIELD_BOOL, rank_thread, is_unseen),
    FIELD(FIELD_TEXT, rank_thread, call),
    FIELD(FIELD_TEXT, rank_thread, place),
    FIELD(FIELD_TEXT, rank_thread, doing),
    FIELD(FIELD_BOOL, rank_thread, is_settled),
    FIELD(FIELD_BOOL, rank_thread, waits),
    FIELD(FIELD_INT, rank_thread, wait),
    FIELD(FIELD_WORD, rank_thread, comm),
    FIELD(FIELD_WORD, rank_thread, context),
    FIELD(FIELD_INT, rank_thread, peer),
    FIELD(FIELD_INT, rank_thread, tag),
    FIELD(FIELD_WORD, rank_thread, bytes),
    FIELD(FIELD_AGE, rank_thread, since_ns),
    FIELD(FIELD_TEXT, rank_thread, collective),
    FIELD(FIELD_BOOL, rank_thread, is_precise),
    FIELD(FIELD_WORD, rank_thread, what),
    FIELD(FIELD_TEXT, rank_thread, posted),
    FIELD(FIELD_REAL, rank_thread, stopped_ms),
    {FIELD_RANKS, offsetof(struct rank_thread, awaited), offsetof(struct rank_thread, awaits)}};

static const struct record rank_record = RECORD("rank", rank_fields),
                           comm_record = RECORD("comm", comm_fields),
                           request_record = RECORD("request", request_fields),
                           message_record = RECORD("message", message_fields),
                           window_record = RECORD("window", window_fields),
                           file_record = RECORD("file", file_fields),
                           thread_record = RECORD("thread", thread_fields);

static void write_awaited(FILE *out, const int *rank, int count)
{
    fprintf(out, " =");
    for (int i = 0; i < count; i++)
        fprintf(out, i ? ",%d" : "%d", rank[i]);
}

static void write_field(FILE *out, const struct field *f, const void *object, uint64_t now)
{
    const unsigned char *at = (const unsigned char *)object + f->at;
    char text[WORD_MOST];
    uint64_t word = 0;
    double real;
    int number = 0;

    memcpy(f->kind == FIELD_INT ? (void *)&number : (void *)&word, at,
           f->room < sizeof word ? f->room : sizeof word);
    switch (f->kind) {
    case FIELD_INT:
        fprintf(out, " %d", number);
        break;
    case FIELD_WORD:
        fprintf(out, " %llu", (unsigned long long)word);
        break;
    case FIELD_AGE:
        fprintf(out, " %llu", (unsigned long long)(word ? now - word + 1 : 0));
        break;
    case FIELD_BOOL:
    case FIELD_LETTER:
        fprintf(out, " %d", *at);
        break;
    case FIELD_REAL:
        memcpy(&real, at, sizeof real);
        fprintf(out, " %.6f", real);
        break;
    case FIELD_TEXT:
        pmi_line_escape((const char *)at, text, sizeof text);
        fprintf(out, " =%s", text);
        break;
    case FIELD_RANKS:
        memcpy(&number, (const unsigned char *)object + f->room, sizeof number);
        write_awaited(out, (const int *)(const void *)at, number);
    }
}

static void write_record(FILE *out, int rank, const struct record *r, const void *object)
{
    uint64_t now = clock_ns();

    fprintf(out, "%d %s", rank, r->name);
    for (int i = 0; i < r->fields; i++)
        write_field(out, &r->field[i], object, now);
    fprintf(out, "\n");
}

static void write_rank(FILE *out, int rank, const struct rank_view *v)
{
    const struct objects *o = &v->objects;

    write_record(out, rank, &rank_record, v);
    for (int i = 0; i < o->comms; i++)
        write_record(out, rank, &comm_record, &o->comm[i]);
    for (int i = 0; i < o->requests; i++)
        write_record(out, rank, &request_record, &o->request[i]);
    for (int i = 0; i < o->messages; i++)
        write_record(out, rank, &message_record, &o->message[i]);
    for (int i = 0; i < o->windows; i++)
        write_record(out, rank, &window_record, &o->window[i]);
    for (int i = 0; i < o->files; i++)
        write_record(out, rank, &file_record, &o->file[i]);
    for (int i = 0; i < v->threads; i++)
        write_record(out, rank, &thread_record, &v->thread[i]);
    fprintf(out, "%d end\n", rank);
}

static void write_members(FILE *out, const struct job_view *job, const struct job_members *m)
{
    fprintf(out, "job members %llu ", (unsigned long long)m->context);
    for (int r = 0; r < job->size; r++)
        fputc(m->has[r] ? '1' : '0', out);
    fprintf(out, "\n");
}

void view_lines_write(FILE *out, const struct job_view *job)
{
    char name[WORD_MOST], command[WORD_MOST];

    pmi_line_escape(job->name, name, sizeof name);
    pmi_line_escape(job->first.command, command, sizeof command);
    fprintf(out, "job begin %d %d =%s =%s\n", LINES_VERSION, job->size, name, command);
    for (int i = 0; i < job->member_lists; i++)
        write_members(out, job, &job->members[i]);
    for (int r = 0; r < job->size; r++)
        if (job->rank[r] && !*job->rank[r]->host) {
            gethostname(job->rank[r]->host, sizeof job->rank[r]->host - 1);
            write_rank(out, r, job->rank[r]);
            *job->rank[r]->host = 0;
        }
}

static bool read_awaited(char *text, int *rank, int *count)
{
    *count = 0;
    for (char *word; *text && (word = strsep(&text, ",")) != NULL; (*count)++) {
        if (*count == RANK_AWAITED || atoi(word) < 0)
            return false;
        rank[*count] = atoi(word);
        if (!text)
            text = word + strlen(word);
    }
    return true;
}

static bool read_field(const struct field *f, char *word, void *object, uint64_t came_ns)
{
    unsigned char *at = (unsigned char *)object + f->at;
    uint64_t number = strtoull(word, NULL, 10);
    double real = atof(word);
    int small = atoi(word);

    switch (f->kind) {
    case FIELD_INT:
        memcpy(at, &small, sizeof small);
        return true;
    case FIELD_AGE:
        number = number && number < came_ns ? came_ns - number : 0;
        memcpy(at, &number, sizeof number);
        return true;
    case FIELD_WORD:
        memcpy(at, &number, sizeof number);
        return true;
    case FIELD_BOOL:
        *at = small != 0;
        return true;
    case FIELD_LETTER:
        *at = (unsigned char)small;
        return true;
    case FIELD_REAL:
        memcpy(at, &real, sizeof real);
        return true;
    case FIELD_TEXT:
        pmi_line_unescape(word + 1, (char *)at, f->room);
        return *word == '=';
    case FIELD_RANKS:
        return *word == '=' &&
               read_awaited(word + 1, (int *)(void *)at, (int *)(void *)((char *)object + f->room));
    }
    return false;
}

static bool read_record(const struct record *r, char *text, void *object, uint64_t came_ns)
{
    for (int i = 0; i < r->fields; i++) {
        char *word = strsep(&text, " ");

        if (!word || !read_field(&r->field[i], word, object, came_ns))
            return false;
    }
    return true;
}

/* The next object of an array of `most`, and counts it; NULL: there is no room. */
static void *next_of(void *array, size_t size, int *count, int most)
{
    return *count < most ? (char *)array + (size_t)(*count)++ * size : NULL;
}

/* Where the record of this name goes; NULL: nowhere. */
static void *find_room(struct rank_view *v, const char *name, const struct record **record)
{
    const struct record *const all[] = {&rank_record,   &comm_record, &request_record, &message_record,
                                        &window_record, &file_record, &thread_record};
    struct objects *o = &v->objects;

    *record = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(all[i]->name, name) == 0)
            *record = all[i];
    if (*record == &rank_record)
        return v;
    if (*record == &comm_record)
        return next_of(o->comm, sizeof *o->comm, &o->comms, OBJECTS_COMMS);
    if (*record == &request_record)
        return next_of(o->request, sizeof *o->request, &o->requests, OBJECTS_REQUESTS);
    if (*record == &message_record)
        return next_of(o->message, sizeof *o->message, &o->messages, OBJECTS_MESSAGES);
    if (*record == &window_record)
        return next_of(o->window, sizeof *o->window, &o->windows, OBJECTS_WINDOWS);
    if (*record == &file_record)
        return next_of(o->file, sizeof *o->file, &o->files, OBJECTS_FILES);
    if (*record == &thread_record)
        return next_of(v->thread, sizeof *v->thread, &v->threads, RANK_THREADS);
    return NULL;
}

/* Behind the name. Here the program may be unknown. */
static void take_program(char *text, struct job_view *job)
{
    char *command = text ? strchr(text, ' ') : NULL;

    if (command && command[1] == '=' && !*job->first.command)
        pmi_line_unescape(command + 2, job->first.command, sizeof job->first.command);
}

/* One of the job itself: "begin", or the members of a communicator. */
static bool read_job_line(char *text, struct job_view *job)
{
    char *name = strsep(&text, " "), *word = text ? strsep(&text, " ") : NULL;
    int size;

    if (!word || !text)
        return false;
    if (strcmp(name, "begin") == 0) {
        size = atoi(strsep(&text, " "));
        if (atoi(word) != LINES_VERSION || size < 1 || size > JOB_RANKS || (job->size && job->size != size))
            return false;
        if (!job->size)
            job->rank = calloc((size_t)size, sizeof(struct rank_view *));
        job->size = job->rank ? size : 0;
        take_program(text, job);
        return job->size > 0;
    }
    if (strcmp(name, "members") == 0 && strlen(text) == (size_t)job->size) {
        bool *has = job_members(job, strtoull(word, NULL, 10));

        for (int r = 0; has && r < job->size; r++)
            has[r] = has[r] || text[r] == '1';
    }
    return true;
}

static bool read_rank_line(char *text, struct job_view *job, struct rank_view **fresh, uint64_t came_ns)
{
    char *end, *name;
    long rank = strtol(text, &end, 10);
    const struct record *record;
    void *room;

    if (*end != ' ' || rank < 0 || rank >= job->size)
        return false;
    text = end + 1;
    if (job->rank[rank])
        return true; /* it is seen from here */
    if (!fresh[rank])
        fresh[rank] = calloc(1, sizeof **fresh);
    name = strsep(&text, " ");
    if (!fresh[rank])
        return false;
    if (strcmp(name, "end") == 0) {
        job->rank[rank] = fresh[rank];
        fresh[rank] = NULL;
        return true;
    }
    room = find_room(fresh[rank], name, &record);
    return record && (!room || read_record(record, text, room, came_ns));
}

bool view_lines_read(FILE *in, struct job_view *job, uint64_t came_ns)
{
    struct rank_view **fresh = NULL; /* ranks whose last line has not come */
    char *line = NULL;
    size_t room = 0;
    bool is_right = true;

    while (is_right && getline(&line, &room, in) > 0) {
        line[strcspn(line, "\r\n")] = 0;
        if (strncmp(line, "job ", 4) == 0)
            is_right = read_job_line(line + 4, job);
        else if (fresh || !*line)
            is_right = !*line || read_rank_line(line, job, fresh, came_ns);
        if (!fresh && job->size)
            fresh = calloc((size_t)job->size, sizeof *fresh);
    }
    free(line);
    for (int r = 0; fresh && r < job->size; r++)
        free(fresh[r]);
    is_right = is_right && fresh;
    free(fresh);
    return is_right;
}
