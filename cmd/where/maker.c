#include "cmd/where/rank.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void maker_format(const struct call_frame *f, char *to, size_t room)
{
    const char *plus = strchr(f->function, '+');

    if (f->line)
        snprintf(to, room, "at %s:%d", f->file, f->line);
    else if (*f->function)
        snprintf(to, room, "in %.*s()%s", plus ? (int)(plus - f->function) : (int)strlen(f->function),
                 f->function, plus ? plus : "");
    else
        snprintf(to, room, "at 0x%llx%s%s", (unsigned long long)f->offset, *f->module ? " of " : "",
                 f->module);
}

/* The part of a name that Cython has made, "4Comm_47Isend": its length, then as many characters, then a _. Returns what is behind the
 * _, or NULL; *part and *length: the characters. */
static const char *next_part(const char *name, const char **part, size_t *length)
{
    char *end;

    if (!isdigit((unsigned char)*name))
        return NULL;
    *length = strtoul(name, &end, 10);
    *part = end;
    return *length && strlen(end) > *length && end[*length] == '_' ? end + *length + 1 : NULL;
}

/* "in mpi4py.MPI.Comm.Isend()" of __pyx_pw_6mpi4py_3MPI_4Comm_47Isend: modules and classes with their lengths, then the method with its
 * number, which a function of C (__pyx_f_) has not. */
static void format_cython(const char *function, char *to, size_t room)
{
    const char *name = strchr(function + strlen("__pyx_"), '_'), *part, *next;
    bool has_number = strncmp(function, "__pyx_p", 7) == 0;
    size_t length, used = (size_t)snprintf(to, room, "in ");

    if (!name++)
        name = function;
    while ((next = next_part(name, &part, &length)) != NULL &&
           (!has_number || isdigit((unsigned char)*next))) {
        used += (size_t)snprintf(to + used, room - used, "%.*s.", (int)length, part);
        if (used >= room)
            return;
        name = next;
    }
    while (has_number && isdigit((unsigned char)*name))
        name++;
    snprintf(to + used, room - used, "%.*s()", (int)strcspn(name, "+"), name);
}

/* Of a Python program: a function that Cython has made of Python is named. The C lines of that, of the interpreter and of what calls C for
 * it say nothing; a C library of the program's own has a place like any other. */
static void format_of_python(const struct call_frame *f, char *to, size_t room)
{
    if (strncmp(f->function, "__pyx_", 6) == 0)
        format_cython(f->function, to, room);
    else if (f->line && !f->is_python && strncmp(f->module, "libffi", 6) != 0 &&
             strncmp(f->module, "_ctypes", 7) != 0)
        maker_format(f, to, room);
}

static void place_maker(const struct rank_view *v, uint64_t address, char *to)
{
    struct call_frame frame;

    if (!stack_describe(address, &frame) || frame.is_library)
        return;
    if (v->python.is_here)
        format_of_python(&frame, to, OBJECTS_PLACE);
    else
        maker_format(&frame, to, OBJECTS_PLACE);
}

void maker_find(struct rank_view *v)
{
    const struct object_request *waited;

    for (int i = 0; i < v->objects.requests; i++) {
        struct object_request *r = &v->objects.request[i];

        place_maker(v, r->posted, r->place);
        place_maker(v, r->made, r->origin);
    }
    for (int i = 0; i < v->threads; i++) {
        waited = objects_request(&v->objects, v->thread[i].what);
        if (waited)
            strcpy(v->thread[i].posted, waited->place);
    }
}
