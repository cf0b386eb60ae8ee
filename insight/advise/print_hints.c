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

static void format_c(const struct profile_object *o, const struct advice *a, char *text, size_t size)
{
    const char *noun = o->kind == PROFILE_WIN ? "Win" : o->kind == PROFILE_FILE ? "File" : "Comm";
    size_t used = (size_t)snprintf(
        text, size, "MPI_Info info;\nMPI_Info_create(&info);\nMPI_Info_set(info, \"%s\", \"%s\");\n", a->key,
        a->value);

    if (is_at_creation(a))
        snprintf(text + used, size - used, "/* pass info to %s */\nMPI_Info_free(&info);", o->maker);
    else
        snprintf(text + used, size - used, "MPI_%s_set_info(%s, info);\nMPI_Info_free(&info);", noun,
                 variable_of(o));
}

static void format_fortran(const struct profile_object *o, const struct advice *a, char *text, size_t size)
{
    const char *noun = o->kind == PROFILE_WIN ? "Win" : o->kind == PROFILE_FILE ? "File" : "Comm";
    size_t used = (size_t)snprintf(
        text, size,
        "type(MPI_Info) :: info\ncall MPI_Info_create(info)\ncall MPI_Info_set(info, '%s', '%s')\n", a->key,
        a->value);

    if (is_at_creation(a))
        snprintf(text + used, size - used, "! pass info to %s\ncall MPI_Info_free(info)", o->maker);
    else
        snprintf(text + used, size - used, "call MPI_%s_set_info(%s, info)\ncall MPI_Info_free(info)", noun,
                 variable_of(o));
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
