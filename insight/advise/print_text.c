#include "insight/advise/advise.h"

#include <string.h>

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
