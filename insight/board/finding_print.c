#include "insight/board/finding_list.h"

#include "plain/json.h"
#include "plain/source_place.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FORM_PATH = 4200,   /* a form with its path */
    FINDING_TEXT = 8192 /* with its places */
};

#define BOARD_FULL "the memory that ranks share for checks, 256 MiB, was full"

static const struct {
    enum unchecked bit;
    const char *text;
} left_out[] = {
    {UNCHECKED_COLLECTIVES, "some collectives were not compared: " BOARD_FULL},
    {UNCHECKED_MESSAGES, "messages between some ranks were not compared: " BOARD_FULL},
    {UNCHECKED_WINDOWS, "accesses to some windows were not compared: " BOARD_FULL},
    {UNCHECKED_HOSTS,
     "between hosts only what collectives are called with which roots and operations was compared, "
     "in MPI_Finalize"},
    {UNCHECKED_FAR, "collectives between hosts after the first 4096"},
    {UNCHECKED_MEMORY, "all that followed when a rank had no memory for what it must remember"},
    {UNCHECKED_LISTS,
     "what ranks of other hosts found: they did not reach MPI_Finalize, and each host tells for itself"},
};

static bool find_line(const struct finding_list *list, struct call_place place, struct source_place *line)
{
    static struct {
        struct call_place place;
        struct source_place line;
    } last[16];
    static int next;
    int i = 0;

    if (!place.module || place.module > list->modules)
        return false;
    while (i < 16 && (last[i].place.module != place.module || last[i].place.offset != place.offset))
        i++;
    if (i == 16) {
        struct source_place *found = &last[i = next++ % 16].line;

        *found = (struct source_place){.number = 0};
        last[i].place = place;
        source_place_find(list->module[place.module - 1], &place.offset, &found, 1, SOURCE_PLACE_REPORT_MS);
    }
    *line = last[i].line;
    return line->number > 0;
}

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* "solve.c:41 (solve)"; without debug information the module and the offset */
static void format_place(const struct finding_list *list, struct call_place place, char *text, size_t size)
{
    struct source_place line = {.number = 0};

    if (find_line(list, place, &line))
        snprintf(text, size, "%s:%d (%s)", file_name(line.file), line.number, line.function);
    else if (place.module && place.module <= list->modules)
        snprintf(text, size, "%s+0x%llx (no debug information: compile with -g)",
                 file_name(list->module[place.module - 1]), (unsigned long long)place.offset);
    else
        snprintf(text, size, "an unknown place");
}

/* A text with its places, see hang.c. */
static void format_text(const struct finding_list *list, const char *text, char *out, size_t size)
{
    size_t used = 0;

    while (*text && used + 1 < size) {
        struct call_place place = {0, 0};
        unsigned long long offset;

        if (*text == '\1' && sscanf(text + 1, "%u:%llx", &place.module, &offset) == 2) {
            place.offset = offset;
            format_place(list, place, out + used, size - used);
            used += strlen(out + used);
            text += strcspn(text, "\2");
            text += *text == '\2';
        } else {
            out[used++] = *text++;
        }
    }
    out[used < size ? used : size - 1] = '\0';
}

/* "0", "0-3,7" */
static void format_ranks(const struct finding *f, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < 512 && used + 16 < size; i++) {
        int end = i;

        while (end < 512 && f->ranks[end / 64] >> end % 64 & 1)
            end++;
        if (end == i)
            continue;
        used += (size_t)snprintf(text + used, size - used, end - i > 1 ? "%s%d-%d" : "%s%d", used ? "," : "",
                                 i, end - 1);
        i = end;
    }
}

static void print_text(const struct finding_list *list, const struct finding *f, FILE *out)
{
    char place[sizeof(struct source_place) + 32], text[FINDING_TEXT], ranks[128];

    format_text(list, f->text, text, sizeof text);
    format_ranks(f, ranks, sizeof ranks);
    fprintf(out, "inkling check: %s: %s\n", finding_names[f->class], text);
    format_place(list, f->where, place, sizeof place);
    fprintf(out, "  %s%s%srank%s %s%s", f->where.module ? "at " : "", f->where.module ? place : "",
            f->where.module ? ", " : "", strpbrk(ranks, ",-") ? "s" : "", ranks,
            f->is_spawned ? " of a spawned job" : "");
    if (f->count > 1)
        fprintf(out, ", %llu times", (unsigned long long)f->count);
    fprintf(out, "\n");
    if (f->call[0])
        fprintf(out, "  call: %s\n", f->call);
    if (f->other.module) {
        format_place(list, f->other, place, sizeof place);
        fprintf(out, "  %s: at %s\n", f->role, place);
    }
    if (f->made.module) {
        format_place(list, f->made, place, sizeof place);
        fprintf(out, "  %s: at %s\n", f->made_by, place);
    }
    if (f->fix[0])
        fprintf(out, "  to mend: %s\n", f->fix);
}

static void print_member(const char *name, const char *text, FILE *out)
{
    fprintf(out, ", \"%s\": ", name);
    json_write_text(out, text);
}

static void print_place(const struct finding_list *list, const char *name, const char *what,
                        struct call_place place, FILE *out)
{
    struct source_place line = {.number = 0};

    if (!find_line(list, place, &line))
        return;
    fprintf(out, ", \"%s\": {\"line\": %d", name, line.number);
    print_member("file", line.file, out);
    print_member("function", line.function, out);
    if (what)
        print_member("what", what, out);
    fputc('}', out);
}

static void print_json(const struct finding_list *list, const struct finding *f, FILE *out)
{
    char text[FINDING_TEXT], ranks[128];

    format_text(list, f->text, text, sizeof text);
    format_ranks(f, ranks, sizeof ranks);
    fprintf(out, "{\"class\": \"%s\", \"count\": %llu", finding_names[f->class],
            (unsigned long long)f->count);
    print_member("ranks", ranks, out);
    if (f->is_spawned)
        print_member("job", "spawned", out);
    print_member("text", text, out);
    print_member("call", f->call, out);
    print_member("fix", f->fix, out);
    print_place(list, "where", NULL, f->where, out);
    print_place(list, "other", f->role, f->other, out);
    print_place(list, "made", f->made_by, f->made, out);
    fputc('}', out);
}

/* SARIF has a place for a change of the source, which is not known, and none for what it should be: so both are lines of the text. */
static void print_message(const struct finding_list *list, const struct finding *f, FILE *out)
{
    char text[FINDING_TEXT], whole[FINDING_TEXT + sizeof f->call + sizeof f->fix + 32];

    format_text(list, f->text, text, sizeof text);
    snprintf(whole, sizeof whole, "%s%s%s%s%s", text, f->call[0] ? "\ncall: " : "", f->call,
             f->fix[0] ? "\nto mend: " : "", f->fix);
    json_write_text(out, whole);
}

/* The file as a URI: what could mean something else in one is percent-encoded. */
static void print_uri(const char *file, FILE *out)
{
    fputs(*file == '/' ? "\"file://" : "\"", out);
    for (; *file; file++)
        if (isascii((unsigned char)*file) && (isalnum((unsigned char)*file) || strchr("/-._~", *file)))
            fputc(*file, out);
        else
            fprintf(out, "%%%02X", (unsigned char)*file);
    fputc('"', out);
}

static void print_location(const struct source_place *line, const char *message, FILE *out)
{
    fprintf(out, "{\"physicalLocation\": {\"artifactLocation\": {\"uri\": ");
    print_uri(line->file, out);
    fprintf(out, "}, \"region\": {\"startLine\": %d}}", line->number);
    if (message) {
        fprintf(out, ", \"message\": {\"text\": ");
        json_write_text(out, message);
        fputc('}', out);
    }
    fputc('}', out);
}

static void print_sarif(const struct finding_list *list, const struct finding *f, FILE *out)
{
    struct source_place line = {.number = 0};

    fprintf(out, "{\"ruleId\": \"%s\", \"level\": \"%s\", \"message\": {\"text\": ", finding_names[f->class],
            finding_list_is_note(f)    ? "note"
            : f->class == FINDING_LEAK ? "warning"
                                       : "error");
    print_message(list, f, out);
    fprintf(out, "}, \"occurrenceCount\": %llu, \"locations\": [", (unsigned long long)f->count);
    if (find_line(list, f->where, &line))
        print_location(&line, NULL, out);
    fprintf(out, "], \"relatedLocations\": [");
    if (find_line(list, f->other, &line))
        print_location(&line, f->role, out);
    if (find_line(list, f->made, &line)) {
        struct source_place other;

        fputs(find_line(list, f->other, &other) ? ", " : "", out);
        print_location(&line, f->made_by, out);
    }
    fprintf(out, "]}");
}

static void print_list(const struct finding_list *list, uint32_t count, FILE *out,
                       void (*print)(const struct finding_list *, const struct finding *, FILE *))
{
    for (uint32_t i = 0; i < count; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        print(list, &list->finding[i], out);
    }
}

static void visit_left_out(const struct finding_list *list, FILE *out,
                           void (*print)(const char *what, bool is_first, FILE *out))
{
    uint32_t left = atomic_load_explicit(&list->unchecked, memory_order_relaxed);
    bool is_first = true;
    char lost[96];

    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++) {
        if (!(left & (uint32_t)left_out[i].bit))
            continue;
        print(left_out[i].text, is_first, out);
        is_first = false;
    }
    snprintf(lost, sizeof lost, "%llu more findings were not kept: there is room for %d",
             (unsigned long long)list->lost, LIST_FINDINGS);
    if (list->lost > 0)
        print(lost, is_first, out);
}

static void print_left_out(const char *what, bool is_first, FILE *out)
{
    (void)is_first;
    fprintf(out, "inkling check: left out: %s\n", what);
}

static void print_left_out_json(const char *what, bool is_first, FILE *out)
{
    fputs(is_first ? "" : ", ", out);
    json_write_text(out, what);
}

static void print_left_out_sarif(const char *what, bool is_first, FILE *out)
{
    fputs(is_first ? "{\"level\": \"warning\", \"message\": {\"text\": "
                   : ", {\"level\": \"warning\", \"message\": {\"text\": ",
          out);
    json_write_text(out, what);
    fputs("}}", out);
}

/* Findings that were dropped from the list that is printed. */
static uint32_t suppressed;

static void print_whole_json(const struct finding_list *list, uint32_t count, FILE *out)
{
    fprintf(out, "{\"findings\": [");
    print_list(list, count, out, print_json);
    fprintf(out, "], \"left_out\": [");
    visit_left_out(list, out, print_left_out_json);
    fprintf(out, "], \"suppressed\": %u}\n", suppressed);
}

static void print_whole_sarif(const struct finding_list *list, uint32_t count, FILE *out)
{
    fprintf(out, "{\"version\": \"2.1.0\", \"$schema\": "
                 "\"https://json.schemastore.org/sarif-2.1.0.json\",\n \"runs\": [{\"tool\": "
                 "{\"driver\": {\"name\": \"inkling check\"}}, \"invocations\": "
                 "[{\"executionSuccessful\": true, \"toolExecutionNotifications\": [");
    visit_left_out(list, out, print_left_out_sarif);
    fprintf(out, "]}], \"results\": [");
    print_list(list, count, out, print_sarif);
    fprintf(out, "]}]}\n");
}

/* False: the file cannot be written, which is said. */
static bool print_file(const struct finding_list *list, uint32_t count, const char *path, bool is_sarif)
{
    FILE *out = fopen(path, "w");

    if (out)
        (is_sarif ? print_whole_sarif : print_whole_json)(list, count, out);
    if (out && !fclose(out))
        return true;
    fprintf(stderr, "inkling check: cannot write %s: %s; the findings follow here\n", path, strerror(errno));
    return false;
}

static uint32_t count_faults(const struct finding_list *list, uint32_t count)
{
    uint32_t faults = 0;

    for (uint32_t i = 0; i < count; i++)
        faults += !finding_list_is_note(&list->finding[i]);
    return faults;
}

/* "inkling check: 2 findings, 1 note in FILE" */
static void print_counts(uint32_t faults, uint32_t notes, const char *paths)
{
    if (faults + notes == 0)
        fprintf(stderr, "inkling check: nothing was found");
    else
        fprintf(stderr, "inkling check: %u finding%s", faults, faults == 1 ? "" : "s");
    if (notes > 0)
        fprintf(stderr, ", %u note%s", notes, notes == 1 ? "" : "s");
    if (*paths && faults + notes > 0)
        fprintf(stderr, " in %s", paths);
    if (suppressed > 0)
        fprintf(stderr, "; %u suppressed", suppressed);
    fprintf(stderr, "\n");
}

size_t finding_print_form(const char *how)
{
    static const char *const forms[] = {"json:", "sarif:", "suppress:", "text"};
    const char *end = how;

    while ((end = strchr(end, ','))) {
        for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
            if (strncmp(end + 1, forms[i], strlen(forms[i])) == 0)
                return (size_t)(end - how);
        end++;
    }
    return strlen(how);
}

bool finding_print_suppresses(const char *form)
{
    return strncmp(form, "suppress:", strlen("suppress:")) == 0;
}

/* The files of `how`. Adds their names to `paths`; returns how many forms are, or become, text. */
static int print_files(const struct finding_list *list, uint32_t count, const char *how, char *paths,
                       size_t size)
{
    int texts = 0, forms = 0;

    for (size_t length; how && *how; how += length + (how[length] == ',')) {
        char path[FORM_PATH];
        const char *colon;

        length = finding_print_form(how);
        if (finding_print_suppresses(how))
            continue;
        forms++;
        snprintf(path, sizeof path, "%.*s", (int)length, how);
        colon = strchr(path, ':');
        if (!colon || !print_file(list, count, colon + 1, *how == 's')) {
            texts++;
            continue;
        }
        snprintf(paths + strlen(paths), size - strlen(paths), "%s%s", *paths ? " and " : "", colon + 1);
    }
    return forms == 0 ? 1 : texts;
}

static bool is_suppressed(const struct finding_list *list, const struct finding *f,
                          const struct suppression *by)
{
    struct source_place line = {.number = 0};
    uint32_t module = f->where.module <= list->modules ? f->where.module : 0;

    find_line(list, f->where, &line);
    return suppression_matches(by, (enum finding_class)f->class, module ? list->module[module - 1] : "",
                               &line);
}

/* Drops what the lines of a file are for. */
static void suppress(struct finding_list *list, const char *path)
{
    uint32_t count = atomic_load_explicit(&list->count, memory_order_acquire), kept = 0;
    char why[256];
    struct suppression *by = suppression_read(path, why, sizeof why);

    if (*why)
        fprintf(stderr, "inkling check: %s suppresses nothing: %s\n", path, why);
    for (uint32_t i = 0; by && i < count; i++)
        if (!is_suppressed(list, &list->finding[i], by))
            list->finding[kept++] = list->finding[i];
    if (by) {
        suppressed += count - kept;
        /* relaxed: nobody adds to the list any more */
        atomic_store_explicit(&list->count, kept, memory_order_relaxed);
    }
    suppression_free(by);
}

static void suppress_all(struct finding_list *list, const char *how)
{
    suppressed = 0;
    for (size_t length; how && *how; how += length + (how[length] == ',')) {
        char path[FORM_PATH];

        length = finding_print_form(how);
        if (!finding_print_suppresses(how))
            continue;
        snprintf(path, sizeof path, "%.*s", (int)length, how);
        suppress(list, strchr(path, ':') + 1);
    }
}

int finding_print(struct finding_list *list, const char *how, bool has_files)
{
    uint32_t count, faults;
    char paths[2 * FORM_PATH] = "";

    suppress_all(list, how);
    count = atomic_load_explicit(&list->count, memory_order_acquire);
    faults = count_faults(list, count);
    finding_list_sort(list);
    if (!has_files || print_files(list, count, how, paths, sizeof paths)) {
        for (uint32_t i = 0; i < count; i++)
            print_text(list, &list->finding[i], stderr);
        visit_left_out(list, stderr, print_left_out);
    }
    print_counts(faults, count - faults, paths);
    return (int)faults;
}
