#include "cmd/inkling.h"

#include "hint/hint.h"
#include "metric/event.h"
#include "metric/metric.h"
#include "plain/fail.h"
#include "plain/json.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* What one line tells. */
struct variable_line {
    const char *kind, *name;
    const char *value; /* of a setting: that in force with this environment; NULL: not set */
    const char *class; /* of a performance variable */
    bool of_comm;      /* bound to a communicator */
    const char *text;
};

static struct {
    const char *word;
    bool as_json;
    int count;
} list;

static const char *const class_names[] = {
    [MPI_T_PVAR_CLASS_STATE] = "state",
    [MPI_T_PVAR_CLASS_LEVEL] = "level",
    [MPI_T_PVAR_CLASS_SIZE] = "size",
    [MPI_T_PVAR_CLASS_PERCENTAGE] = "percentage",
    [MPI_T_PVAR_CLASS_HIGHWATERMARK] = "highwatermark",
    [MPI_T_PVAR_CLASS_LOWWATERMARK] = "lowwatermark",
    [MPI_T_PVAR_CLASS_COUNTER] = "counter",
    [MPI_T_PVAR_CLASS_AGGREGATE] = "aggregate",
    [MPI_T_PVAR_CLASS_TIMER] = "timer",
};

static void vars_print_json(const struct variable_line *l)
{
    printf("%s\n  {\"kind\": \"%s\", \"name\": \"%s\"", list.count ? "," : "", l->kind, l->name);
    if (strcmp(l->kind, "cvar") == 0) {
        printf(", \"value\": ");
        json_write_text(stdout, l->value);
    }
    if (l->class)
        printf(", \"class\": \"%s\"", l->class);
    printf(", \"binding\": \"%s\", \"text\": ", l->of_comm ? "communicator" : "none");
    json_write_text(stdout, l->text);
    putchar('}');
}

static void vars_print(const struct variable_line *l)
{
    if (list.word && !strcasestr(l->name, list.word) && !strcasestr(l->text, list.word))
        return;
    if (list.as_json)
        vars_print_json(l);
    else
        printf("%-6s%-38s %-14s%-5s %s\n", l->kind, l->name,
               l->class   ? l->class
               : l->value ? l->value
                          : "not set",
               l->of_comm ? "comm" : "", l->text);
    list.count++;
}

static void print_setting(enum hint_id id, bool of_comm)
{
    char name[64], value[MPI_MAX_INFO_VAL + 1];

    hint_variable_name(&hint_table[id], of_comm, name, sizeof name);
    vars_print(
        &(struct variable_line){.kind = "cvar",
                                .name = name,
                                .value = hint_format(&hint_process, id, value, sizeof value) ? value : NULL,
                                .of_comm = of_comm,
                                .text = hint_table[id].text});
}

static void print_settings(void)
{
    for (int of_comm = 0; of_comm < 2; of_comm++)
        for (int id = 0; id < HINT_COUNT; id++)
            if (hint_has_variable(&hint_table[id], of_comm))
                print_setting((enum hint_id)id, of_comm);
}

static void print_variables(void)
{
    for (const struct metric_row *row = metric_table; row->name; row++)
        vars_print(&(struct variable_line){.kind = "pvar",
                                           .name = row->name,
                                           .class = class_names[row->class],
                                           .of_comm = row->bind == MPI_T_BIND_MPI_COMM,
                                           .text = row->text});
}

static void print_events(void)
{
    for (int id = 0; id < EVENT_COUNT; id++)
        vars_print(&(struct variable_line){.kind = "event",
                                           .name = event_table[id].name,
                                           .class = "event",
                                           .of_comm = event_table[id].bind == MPI_T_BIND_MPI_COMM,
                                           .text = event_table[id].text});
}

int vars_run(const char *word, bool as_json)
{
    if (hint_process_init()) {
        fprintf(stderr, "inkling: %s\n", fail_note());
        return 1;
    }
    list.word = word;
    list.as_json = as_json;
    if (as_json)
        printf("[");
    else
        printf("%-6s%-38s %-14s%-5s %s\n", "kind", "name", "class or value", "of", "what it is");
    print_settings();
    print_variables();
    print_events();
    if (as_json)
        printf("\n]\n");
    if (list.count == 0)
        fprintf(stderr, "inkling: no variable's name or text has '%s'; `inkling vars` lists all\n", word);
    return list.count == 0;
}
