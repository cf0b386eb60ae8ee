#include "hint/print.h"

#include "hint/parse.h"
#include "plain/json.h"

#include <ctype.h>
#include <string.h>

/* The parts of the table, as people look for them. */
static const struct print_part {
    unsigned on;
    const char *title, *text;
} parts[] = {
    {ON_COMM, "Communicators",
     "Info keys of MPI_Comm_set_info, MPI_Comm_dup_with_info, MPI_Comm_idup_with_info and "
     "MPI_Comm_split_type. MPI_Comm_get_info reports those in force. Some of the library's settings are "
     "keys of communicators, too."},
    {ON_WIN, "Windows",
     "Info keys of MPI_Win_create, MPI_Win_allocate, MPI_Win_allocate_shared, MPI_Win_create_dynamic and "
     "MPI_Win_set_info. MPI_Win_get_info reports those in force."},
    {ON_FILE, "Files",
     "Info keys of MPI_File_open, MPI_File_set_view and MPI_File_set_info. MPI_File_get_info reports those "
     "in force."},
    {ON_SESSION, "Sessions", "Info keys of MPI_Session_init."},
    {ON_MEMORY, "Memory", "Info keys of MPI_Alloc_mem."},
    {ON_PROCESS, "Library settings",
     "Environment variables, read when MPI starts; give all processes the same."},
    {ON_COMMAND, "Compiler wrappers", "Environment variables that mpicc and mpicxx read."},
};

enum {
    PARTS = sizeof parts / sizeof *parts,
    MAX_NAME = 64,
    MAX_GAIN = 2048
};

static bool is_variable(const struct hint_row *row)
{
    return row->on & (ON_PROCESS | ON_COMMAND);
}

static bool print_is_part(const struct hint_row *row, const struct print_part *part)
{
    return part->on & (is_variable(row) ? row->on & (ON_PROCESS | ON_COMMAND) : row->on);
}

/* The key as the user writes it: variables are in capitals. */
static const char *print_name_of(const struct hint_row *row, char *buffer, size_t size)
{
    size_t i = 0;

    for (; i < size - 1 && row->key[i]; i++)
        buffer[i] = is_variable(row) ? (char)toupper((unsigned char)row->key[i]) : row->key[i];
    buffer[i] = '\0';
    return buffer;
}

static const char *default_of(const struct hint_row *row)
{
    return row->def ? row->def : "not set";
}

static const char *moment_of(const struct hint_row *row)
{
    if (row->when & READ_ONLY)
        return row->when & AT_SESSION ? "in MPI_Session_init; read-only elsewhere" : "read-only";
    if (row->when & AT_SESSION)
        return "in MPI_Session_init";
    if (row->on & ON_OPERATION)
        return "when MPI starts, and later by MPI_T_cvar_write; to one communicator, as info key in lower "
               "case, at its creation and by set_info; to one persistent collective, in its info argument, "
               "on "
               "all ranks";
    if (row->when & AT_START && row->on & ON_COMM)
        return "when MPI starts, and later by MPI_T_cvar_write; to one communicator, as info key in lower "
               "case, at its creation and by set_info";
    if (row->when & AT_START)
        return row->when & AT_SET ? "when MPI starts, and later by MPI_T_cvar_write" : "when MPI starts";
    if (row->when & AT_SET)
        return "at creation, and later by set_info";
    return "at creation";
}

static const char *agreement_of(const struct hint_row *row)
{
    if (is_variable(row))
        return row->agree == AGREE_SAME ? "all processes must have the same value"
                                        : "each process for itself";
    if (row->agree == AGREE_SAME)
        return "all ranks must give the same value; otherwise the default is in force on all, with a warning";
    return "each rank for itself";
}

static const char *print_state_of(const struct hint_row *row)
{
    static const char *const names[] = {
        [EFFECT_ACTIVE] = "active", [EFFECT_IDLE] = "idle", [EFFECT_NONE] = "ignored"};

    return names[row->state];
}

/* What to say beside the name of a state; NULL: nothing. */
static const char *remark_of(const struct hint_row *row)
{
    if (row->state == EFFECT_NONE)
        return "ignored: neither kept nor reported";
    return row->state == EFFECT_IDLE ? "idle: accepted and reported, but not needed" : NULL;
}

/* What the hint was worth; "": nothing is to be said, since it was not measured, and needs not be. */
static void print_gain_text(const struct gains *gains, const struct hint_row *row, char *buffer, size_t size)
{
    const struct gain *gain = gains_find(gains, (enum hint_id)(row - hint_table));

    buffer[0] = '\0';
    if (gain || (row->state == EFFECT_ACTIVE && !is_variable(row) && !(row->when & READ_ONLY)))
        gains_format(gain, buffer, size);
}

/* Behind a figure: where and when it was measured. */
static void print_where(FILE *out, const struct gains *gains, const struct hint_row *row)
{
    if (gains_find(gains, (enum hint_id)(row - hint_table)))
        fprintf(out, " (%s, %s)", gains->machine, gains->date);
}

/* Settings and requests promise nothing. */
static const char *broken_of(const struct hint_row *row)
{
    return row->broken || is_variable(row) || row->state == EFFECT_NONE || row->when & READ_ONLY
               ? row->broken
               : "it promises nothing: results are the same with every value";
}

static int count_rows(const struct print_part *part)
{
    int count = 0;

    for (int id = 0; id < HINT_COUNT; id++)
        count += print_is_part(&hint_table[id], part);
    return count;
}

static void print_line(FILE *out, const struct gains *gains, const struct hint_row *row)
{
    const struct gain *gain = gains_find(gains, (enum hint_id)(row - hint_table));
    char name[MAX_NAME];

    fprintf(out, "  %-50s %-12s %-7s %s%s\n", print_name_of(row, name, sizeof name), default_of(row),
            print_state_of(row), row->since,
            gain && gains_are_none(gain) && row->state == EFFECT_ACTIVE ? " no measured effect" : "");
}

static bool has_word(const struct hint_row *row, const char *word)
{
    return !word || strcasestr(row->key, word) || strcasestr(row->text, word) ||
           strcasestr(row->effect, word);
}

static bool other_has_word(const struct other_key *k, const char *word)
{
    return !word || strcasestr(k->key, word) || strcasestr(k->of, word) || strcasestr(k->text, word);
}

static int print_other_keys(FILE *out, const char *word, bool is_first)
{
    int count = 0;

    for (const struct other_key *k = other_key_table; k->key; k++) {
        if (!other_has_word(k, word))
            continue;
        if (count == 0)
            fprintf(out, "%s%-25s keys of, or reported by\n", is_first ? "" : "\n", "Other info keys");
        fprintf(out, "  %-23s %s\n", k->key, k->of);
        count++;
    }
    return count;
}

int hint_print_summary(FILE *out, const struct gains *gains, const char *word)
{
    int count = 0;

    for (int p = 0; p < PARTS; p++) {
        bool has_title = false;

        for (int id = 0; id < HINT_COUNT; id++) {
            const struct hint_row *row = &hint_table[id];

            if (!print_is_part(row, &parts[p]) || !has_word(row, word))
                continue;
            if (!has_title)
                fprintf(out, "%s%-52s %-12s %-7s since\n", count ? "\n" : "", parts[p].title, "default",
                        "state");
            has_title = true;
            print_line(out, gains, row);
            count++;
        }
    }
    return count + print_other_keys(out, word, count == 0);
}

static void print_json_row(FILE *out, const struct gains *gains, const struct hint_row *row)
{
    char name[MAX_NAME], legal[128], gain[MAX_GAIN];

    hint_format_legal(row, legal, sizeof legal);
    fprintf(out, "{\"key\": \"%s\", \"default\": ", print_name_of(row, name, sizeof name));
    json_write_text(out, row->def);
    fprintf(out, ", \"value\": ");
    json_write_text(out, legal);
    fprintf(out, ", \"of\": [");
    for (int p = 0, some = 0; p < PARTS; p++)
        if (row->on & parts[p].on)
            fprintf(out, "%s\"%s\"", some++ ? ", " : "", parts[p].title);
    fprintf(out, "], \"given\": \"%s\", \"state\": \"%s\", \"since\": \"%s\", \"meaning\": ", moment_of(row),
            print_state_of(row), row->since);
    json_write_text(out, row->text);
    fprintf(out, ", \"effect\": ");
    json_write_text(out, row->effect);
    fprintf(out, ", \"broken\": ");
    json_write_text(out, broken_of(row));
    print_gain_text(gains, row, gain, sizeof gain);
    json_write_member(out, ", ", "gain", gain[0] ? gain : NULL);
    if (gains_find(gains, (enum hint_id)(row - hint_table))) {
        json_write_member(out, ", ", "machine", gains->machine);
        json_write_member(out, ", ", "date", gains->date);
    }
    fputc('}', out);
}

static void print_json_other(FILE *out, const struct other_key *k)
{
    fprintf(out,
            "{\"key\": \"%s\", \"value\": \"%s\", \"of\": [\"%s\"], \"since\": \"%s\", \"meaning\": ", k->key,
            k->value, k->of, k->since);
    json_write_text(out, k->text);
    fputc('}', out);
}

int hint_print_json(FILE *out, const struct gains *gains, const char *word)
{
    int count = 0;

    fprintf(out, "[");
    for (int id = 0; id < HINT_COUNT; id++) {
        if (!has_word(&hint_table[id], word))
            continue;
        fprintf(out, "%s\n  ", count++ ? "," : "");
        print_json_row(out, gains, &hint_table[id]);
    }
    for (const struct other_key *k = other_key_table; k->key; k++) {
        if (!other_has_word(k, word))
            continue;
        fprintf(out, "%s\n  ", count++ ? "," : "");
        print_json_other(out, k);
    }
    fprintf(out, "\n]\n");
    return count;
}

void hint_print_row(FILE *out, const struct gains *gains, const struct hint_row *row)
{
    char name[MAX_NAME], legal[128], gain[MAX_GAIN];

    hint_format_legal(row, legal, sizeof legal);
    fprintf(out, "%s\n", print_name_of(row, name, sizeof name));
    fprintf(out, "  meaning  %s\n", row->text);
    fprintf(out, "  value    %s; default: %s\n", legal, default_of(row));
    fprintf(out, "  of       ");
    for (int p = 0, some = 0; p < PARTS; p++)
        if (row->on & parts[p].on)
            fprintf(out, "%s%s", some++ ? ", " : "", parts[p].title);
    fprintf(out, "\n  given    %s", moment_of(row));
    if (!is_variable(row) && !(row->when & READ_ONLY))
        fprintf(out, "; %s", agreement_of(row));
    fprintf(out, "\n  since    %s\n", row->since);
    fprintf(out, "  state    %s\n", remark_of(row) ? remark_of(row) : "active");
    fprintf(out, "  effect   %s\n", row->effect);
    if (broken_of(row))
        fprintf(out, "  broken   if the promise is broken: %s\n", broken_of(row));
    print_gain_text(gains, row, gain, sizeof gain);
    if (gain[0]) {
        fprintf(out, "  gain     %s", gain);
        print_where(out, gains, row);
        fputc('\n', out);
    }
}

bool hint_print_other(FILE *out, const char *key)
{
    const struct other_key *first = other_key_find(key), *k = first;

    for (; k && k->key && strcmp(k->key, key) == 0; k++)
        fprintf(out, "%s\n  meaning  %s\n  value    %s\n  of       %s\n  since    %s\n", k->key, k->text,
                k->value, k->of, k->since);
    return first != NULL;
}

static void print_section(FILE *out, const struct gains *gains, const struct hint_row *row)
{
    char name[MAX_NAME], legal[128], gain[MAX_GAIN];

    hint_format_legal(row, legal, sizeof legal);
    fprintf(out, "\n### `%s`\n\n%s\n\n", print_name_of(row, name, sizeof name), row->text);
    fprintf(out, "- **Value**: %s; default: %s.\n", legal, default_of(row));
    fprintf(out, "- **Given**: %s", moment_of(row));
    if (!is_variable(row) && !(row->when & READ_ONLY))
        fprintf(out, "; %s", agreement_of(row));
    fprintf(out, ".\n- **Effect**: %s", row->effect);
    if (remark_of(row))
        fprintf(out, " (%s)", remark_of(row));
    fprintf(out, ".\n");
    if (broken_of(row))
        fprintf(out, "- **If the promise is broken**: %s.\n", broken_of(row));
    print_gain_text(gains, row, gain, sizeof gain);
    if (gain[0])
        fprintf(out, "- **Gain**: %s.\n", gain);
    fprintf(out, "- **Since**: %s.\n", row->since);
}

static void print_other_sections(FILE *out)
{
    fprintf(out, "\n## Other info keys\n\nThese are no hints of an object: some call takes them, or some "
                 "object reports them.\n"
                 "No report calls them ignored.\n");
    for (const struct other_key *k = other_key_table; k->key; k++)
        fprintf(out, "\n### `%s`\n\n%s\n\n- **Of**: %s.\n- **Value**: %s.\n- **Since**: %s.\n", k->key,
                k->text, k->of, k->value, k->since);
}

void hint_print_markdown(FILE *out, const struct gains *gains)
{
    fprintf(out,
            "# Hints and settings\n\n"
            "`inkling hints --markdown` prints this page from the table in `src/hint/table.c`.\n\n"
            "A hint is *active* when the library makes use of it today, and *idle* when it is checked,\n"
            "agreed on and reported, but changes nothing yet. One that is *ignored* is neither kept nor\n"
            "reported, for the reason given. A key that is not listed here changes\n"
            "nothing and is not reported; one that looks like a slip for a key listed here is pointed\n"
            "out once. A value that is not legal leaves the old one in force.\n\n"
            "The gains are those that `make bench-hints` measured last: the same program with the\n"
            "hint and without, in one run. ");
    if (gains->machine)
        fprintf(out, "They were measured on %s, on %s. Other machines have other gains.\n", gains->machine,
                gains->date);
    else
        fprintf(out, "Here it has measured none.\n");
    for (int p = 0; p < PARTS; p++) {
        if (!count_rows(&parts[p]))
            continue;
        fprintf(out, "\n## %s\n\n%s\n", parts[p].title, parts[p].text);
        for (int id = 0; id < HINT_COUNT; id++)
            if (print_is_part(&hint_table[id], &parts[p]))
                print_section(out, gains, &hint_table[id]);
    }
    print_other_sections(out);
}
