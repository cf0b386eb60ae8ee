
#include "insight/advise/advise.h"

#include <string.h>

/* The file for mpiexec --hints: what the program does not give yet and would gain from, where the object can be named. */
void advise_print_hints(const struct advice_list *list, FILE *out)
{
    fprintf(out, "# What mpiexec --advise saw to be true of %s on %d ranks.\n", list->profile->program,
            list->profile->size);
    for (int i = 0; i < list->count; i++) {
        const struct advice *a = &list->advice[i];

        if (a->kind != ADVICE_HINT || a->is_given || (a->is_idle && !list->has_all))
            continue;
        fprintf(out, "# %s\n", a->text);
        fprintf(out,
                list->where[a->object][0]
                    ? "%s=%s@%s\n"
                    : "# %s=%s cannot be said of this object alone: give it a name, or compile with -g%s\n",
                a->key, a->value, list->where[a->object]);
    }
}

static const char *variable_of(const struct profile_object *o)
{
    return o->kind == PROFILE_WIN ? "win" : o->kind == PROFILE_FILE ? "file" : o->maker[0] ? "comm" : o->name;
}

/* Hints that count only when the object is made. */
static bool is_at_creation(const struct advice *a)
{
    const struct hint_row *row = hint_find(a->key);

    return row && !(row->when & AT_SET);
}

/* As in the names of its procedures. */
static const char *noun_of(const struct profile_object *o)
{
    return o->kind == PROFILE_WIN ? "Win" : o->kind == PROFILE_FILE ? "File" : "Comm";
}

static void format_c(const struct profile_object *o, const struct advice *a, char *text, size_t size)
{
    size_t used = (size_t)snprintf(
        text, size, "MPI_Info info;\nMPI_Info_create(&info);\nMPI_Info_set(info, \"%s\", \"%s\");\n", a->key,
        a->value);

    if (is_at_creation(a))
        snprintf(text + used, size - used, "/* pass info to %s */\nMPI_Info_free(&info);", o->maker);
    else
        snprintf(text + used, size - used, "MPI_%s_set_info(%s, info);\nMPI_Info_free(&info);", noun_of(o),
                 variable_of(o));
}

static void format_fortran(const struct profile_object *o, const struct advice *a, char *text, size_t size)
{
    size_t used = (size_t)snprintf(
        text, size,
        "type(MPI_Info) :: info\ncall MPI_Info_create(info)\ncall MPI_Info_set(info, '%s', '%s')\n", a->key,
        a->value);

    if (is_at_creation(a))
        snprintf(text + used, size - used, "! pass info to %s\ncall MPI_Info_free(info)", o->maker);
    else
        snprintf(text + used, size - used, "call MPI_%s_set_info(%s, info)\ncall MPI_Info_free(info)",
                 noun_of(o), variable_of(o));
}

static void format_python(const struct profile_object *o, const struct advice *a, char *text, size_t size)
{
    const char *variable =
        o->kind == PROFILE_COMM && !o->maker[0] ? o->name + strlen("MPI_") : variable_of(o);
    const char *module = o->kind == PROFILE_COMM && !o->maker[0] ? "MPI." : "";
    size_t used =
        (size_t)snprintf(text, size, "info = MPI.Info.Create()\ninfo.Set('%s', '%s')\n", a->key, a->value);

    if (is_at_creation(a))
        snprintf(text + used, size - used, "# pass info where the %s is made\ninfo.Free()",
                 o->kind == PROFILE_WIN ? "window" : "object");
    else
        snprintf(text + used, size - used, "%s%s.Set_info(info)\ninfo.Free()", module, variable);
}

void advise_format_lines(const struct advice_list *list, const struct advice *a, const char *language,
                         char *text, size_t size)
{
    const struct profile_object *o = &list->profile->object[a->object];

    if (strcmp(language, "C") == 0)
        format_c(o, a, text, size);
    else if (strcmp(language, "Fortran") == 0)
        format_fortran(o, a, text, size);
    else
        format_python(o, a, text, size);
}

enum {
    SITES_SHOWN = 12
};

static const char *const kinds[] = {"communicator", "window", "file"};

void advise_format_place(const struct advice_list *list, struct profile_place place,
                         const struct source_place *line, char *text, size_t size)
{
    const char *path = line->number   ? line->file
                       : place.module ? list->profile->module[place.module - 1]
                                      : "";
    const char *slash = strrchr(path, '/');

    path = slash ? slash + 1 : path;
    if (line->number)
        snprintf(text, size, "%.200s:%d (%s)", path, line->number, line->function);
    else if (place.module)
        snprintf(text, size, "%.200s+0x%llx", path, (unsigned long long)place.offset);
    else
        snprintf(text, size, "an unknown place");
}

void advise_format_object(const struct advice_list *list, int object, char *text, size_t size)
{
    const struct profile_object *o = object < 0 ? NULL : &list->profile->object[object];
    char place[600];

    if (!o) {
        snprintf(text, size, "no object");
        return;
    }
    if (!o->maker[0]) {
        snprintf(text, size, "%s", o->name);
        return;
    }
    advise_format_place(list, o->place, &list->object[object], place, sizeof place);
    snprintf(text, size, "%s%s%s made by %s at %s", kinds[o->kind], o->name[0] ? " " : "", o->name, o->maker,
             place);
}

/* The first hint of an object gets its heading. */
static void print_kind(const struct advice_list *list, enum advice_kind kind, bool given, bool idle,
                       const char *title, FILE *out)
{
    int before = -2;
    bool is_first = true;

    for (int i = 0; i < list->count; i++) {
        const struct advice *a = &list->advice[i];
        char object[900];

        if (a->kind != kind || a->is_given != given || (!given && a->is_idle != idle))
            continue;
        if (is_first)
            fprintf(out, "\n%s\n", title);
        is_first = false;
        advise_format_object(list, a->object, object, sizeof object);
        if (a->object != before && a->object >= 0)
            fprintf(out, "  %s\n", object);
        before = a->object;
        if (a->key)
            fprintf(out, "    %s=%s: %s\n", a->key, a->value, a->text);
        else
            fprintf(out, "    %s\n", a->text);
        if (a->gain[0])
            fprintf(out, "        gain: %s\n", a->gain);
    }
}

/* Hints that gain nothing stand behind the others, or are only counted. */
static void print_hints(const struct advice_list *list, const char *folder, FILE *out)
{
    int idle = 0;

    for (int i = 0; i < list->count; i++)
        idle += list->advice[i].kind == ADVICE_HINT && !list->advice[i].is_given && list->advice[i].is_idle;
    print_kind(list, ADVICE_HINT, false, false, "These hints would have been true:", out);
    if (list->has_all)
        print_kind(list, ADVICE_HINT, false, true,
                   "These would have been true, and would gain nothing:", out);
    else if (idle)
        fprintf(out,
                "\n%d more hint%s would have been true and would gain nothing: inkling advise --all %s\n",
                idle, idle == 1 ? "" : "s", folder);
}

static void print_times(const struct advice_list *list, FILE *out)
{
    const struct profile *p = list->profile;
    uint64_t use[USES] = {0}, all = 0, unexpected = 0;

    for (int lane = 0; lane < PROFILE_LANES; lane++) {
        for (int u = 0; u < USES; u++)
            use[u] += p->lane[lane].time[u];
        if (p->lane[lane].unexpected > unexpected)
            unexpected = p->lane[lane].unexpected;
    }
    for (int u = 0; u < USES; u++)
        all += use[u];
    fprintf(out, "time of all ranks:");
    for (int u = 0; u < USES; u++)
        if (use[u])
            fprintf(out, " %s %.1f %%", advice_uses[u], 100.0 * (double)use[u] / (double)(all ? all : 1));
    fprintf(out, "\n");
    if (p->knows_unexpected)
        fprintf(out, "most messages of a rank that waited for their receive: %llu\n",
                (unsigned long long)unexpected);
}

/* The sites that took longest, longest first. */
static void print_sites(const struct advice_list *list, FILE *out)
{
    const struct profile *p = list->profile;
    bool is_shown[PROFILE_SITES] = {false};

    fprintf(out, "\n%-24s%12s%12s%12s  where\n", "call", "calls", "MB", "ms, all");
    for (int n = 0; n < SITES_SHOWN; n++) {
        int longest = -1;
        char place[600];

        for (int i = 0; i < (int)p->sites; i++)
            if (!is_shown[i] && (longest < 0 || p->site[i].time > p->site[longest].time))
                longest = i;
        if (longest < 0)
            break;
        is_shown[longest] = true;
        advise_format_place(list, p->site[longest].place, &list->site[longest], place, sizeof place);
        fprintf(out, "%-24s%12llu%12.3f%12.3f  %s\n", p->site[longest].procedure,
                (unsigned long long)p->site[longest].calls, (double)p->site[longest].bytes / 1e6,
                (double)p->site[longest].time / 1e6, place);
    }
}

void advise_print_text(const struct advice_list *list, const char *folder, FILE *out)
{
    const struct profile *p = list->profile;

    fprintf(out, "inkling advise: %s, %d rank%s, %.3f s\n", p->program, p->size, p->size > 1 ? "s" : "",
            (double)p->elapsed / 1e9);
    print_times(list, out);
    print_sites(list, out);
    print_hints(list, folder, out);
    print_kind(list, ADVICE_HINT, true, false, "These are given, and were true:", out);
    print_kind(list, ADVICE_NOT, false, false, "This run does not show these to be true:", out);
    print_kind(list, ADVICE_BUFFER, false, false, "Buffers that would gain from MPI_Alloc_mem:", out);
    print_kind(list, ADVICE_BALANCE, false, false, "Ranks wait for each other:", out);
    print_kind(list, ADVICE_NO_EFFECT, false, false, "Hints that were given without effect:", out);
    print_kind(list, ADVICE_UNKNOWN, false, false, "Keys that nobody knows:", out);
    if (p->has_lost_objects)
        fprintf(out,
                "\nThe program makes objects at more than %d places, or has more than 1024 at once: no hint "
                "is advised.\n",
                PROFILE_OBJECTS);
    if (list->gains->machine)
        fprintf(out, "\nThe gains were measured on %s, on %s (make bench-hints).\n", list->gains->machine,
                list->gains->date);
    fprintf(out,
            "\nMore, with pictures and lines to paste: %s/advice.html; data: advice.json; mpiexec --hints "
            "%s/hints.txt\n",
            folder, folder);
}
