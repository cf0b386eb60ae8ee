#include "api/arguments.h"

#include "api/handle.h"
#include "datatype/datatype.h"
#include "file/file.h"
#include "request/request.h"
#include "win/win.h"

#include <stdio.h>
#include <string.h>

const char argument_buffers[] = "bpqrxoe";

static const char handle_letters[] = "CGDOEIJQMSWFA";
static const enum object_kind handle_kinds[] = {
    OBJECT_COMM,    OBJECT_GROUP,   OBJECT_DATATYPE, OBJECT_OP,  OBJECT_ERRHANDLER, OBJECT_INFO, OBJECT_INFO,
    OBJECT_REQUEST, OBJECT_MESSAGE, OBJECT_SESSION,  OBJECT_WIN, OBJECT_FILE,       OBJECT_FILE,
};
static const char *const handle_nouns[OBJECT_KIND_COUNT] = {
    [OBJECT_COMM] = "communicator", [OBJECT_GROUP] = "group",
    [OBJECT_DATATYPE] = "datatype", [OBJECT_OP] = "operation",
    [OBJECT_REQUEST] = "request",   [OBJECT_MESSAGE] = "message",
    [OBJECT_INFO] = "info object",  [OBJECT_WIN] = "window",
    [OBJECT_FILE] = "file",         [OBJECT_ERRHANDLER] = "error handler",
    [OBJECT_SESSION] = "session",
};

enum object_kind arguments_kind_of(char letter)
{
    const char *at = strchr(handle_letters, letter);

    return at && *at ? handle_kinds[at - handle_letters] : OBJECT_NONE;
}

bool arguments_is_null(const struct argument *arg)
{
    return (uint64_t)arg->number == handle_null(arguments_kind_of(arg->letter));
}

bool arguments_is_handle(const struct argument *arg)
{
    return arguments_kind_of(arg->letter) != OBJECT_NONE;
}

void *arguments_find(const struct argument *arg)
{
    return handle_find(arguments_kind_of(arg->letter), (uint64_t)arg->number);
}

static void get_value(struct argument *arg, va_list *list)
{
    if (strchr("ndsRtTi", arg->letter)) {
        arg->number = va_arg(*list, int);
    } else if (strchr("NL", arg->letter)) {
        arg->number = va_arg(*list, int64_t);
    } else {
        arg->pointer = va_arg(*list, const void *);
        if (arguments_is_handle(arg) && !arg->by_pointer)
            arg->number = (int64_t)(uintptr_t)arg->pointer;
        else if (arguments_is_handle(arg) && arg->pointer)
            memcpy(&arg->number, arg->pointer, sizeof(void *));
    }
}

/* Copies the next word up to one of `ends`. Returns where the following one starts. */
static const char *get_word(const char *text, const char *ends, char *word)
{
    size_t length = strcspn(text, ends);

    snprintf(word, ARGUMENT_NAME_SIZE, "%.*s", (int)length, text);
    return text[length] ? text + length + 1 : text + length;
}

static const char *get_letter(const char *letter, struct argument *arg)
{
    arg->by_pointer = *letter == '&' || *letter == '+';
    arg->is_unchecked = *letter == '+';
    letter += arg->by_pointer;
    arg->letter = *letter;
    return letter + 1;
}

void arguments_get(struct arguments *a, const char *call, va_list list)
{
    char kinds[ARGUMENT_NAME_SIZE];
    const char *letter = kinds, *names;
    va_list rest;

    memset(a, 0, sizeof *a);
    a->any_time = *call == '*';
    names = get_word(get_word(call + a->any_time, " ", a->name), " ", kinds);
    va_copy(rest, list);
    while (*letter && a->count < ARGUMENT_LIMIT) {
        struct argument *arg = &a->at[a->count++];

        letter = get_letter(letter, arg);
        names = get_word(names, ",", arg->name);
        get_value(arg, &rest);
        if (arg->letter == 'C' && !a->comm)
            a->comm = arguments_find(arg);
    }
    va_end(rest);
}

/* The first argument of this kind that is a live object. */
static void *find_first(const struct arguments *a, char letter)
{
    for (int i = 0; i < a->count; i++) {
        void *object = a->at[i].letter == letter ? arguments_find(&a->at[i]) : NULL;

        if (object)
            return object;
    }
    return NULL;
}

/* The session of a group argument. A group refers to the session that it came from, while there is one. */
static struct object *session_of(const struct arguments *a)
{
    struct session *s = find_first(a, 'S');
    const struct group *g = find_first(a, 'G');

    if (!s && g && g->session && session_is_live(g->session))
        s = g->session;
    return s ? &s->object : NULL;
}

/* MPI-5.0 section 14.7: without a valid file, the handler of MPI_FILE_NULL gets the error. */
static bool is_about_files(const struct arguments *a)
{
    return strncmp(a->name, "MPI_File_", strlen("MPI_File_")) == 0 ||
           strncmp(a->name, "MPI_Register_datarep", strlen("MPI_Register_datarep")) == 0;
}

struct object *arguments_owner(const struct arguments *a)
{
    const struct request *r = find_first(a, 'Q');
    struct object *session = session_of(a), *win = find_first(a, 'W'), *file = find_first(a, 'F');

    if (is_about_files(a))
        return file ? file : &file_null.object;
    if (win)
        return win;
    if (a->comm)
        return &a->comm->object;
    if (r && r->owner)
        return r->owner;
    if (session)
        return session;
    if (strcmp(a->name, "MPI_Session_init") == 0)
        return find_first(a, 'E');
    return NULL;
}

/* The name that the program gave to a communicator, a datatype or a window; "" if none. */
static const char *given_name(enum object_kind kind, const void *object)
{
    if (kind == OBJECT_COMM)
        return ((const struct comm *)object)->name;
    if (kind == OBJECT_DATATYPE)
        return ((const struct datatype *)object)->name;
    if (kind == OBJECT_WIN)
        return ((const struct win *)object)->name;
    return "";
}

/* Writes the constant's name, the object's name in quotes, or the bits. */
static void format_handle(const struct argument *arg, char *text, size_t size)
{
    const void *object = arguments_find(arg);
    const char *name = object ? given_name(arguments_kind_of(arg->letter), object) : "";

    for (const struct handle_name *n = handle_names; n->name; n++) {
        if (n->value == (uint64_t)arg->number) {
            snprintf(text, size, "%s", n->name);
            return;
        }
    }
    if (*name)
        snprintf(text, size, "'%s'", name);
    else
        snprintf(text, size, "0x%llx", (unsigned long long)arg->number);
}

void arguments_format_handle(const struct argument *arg, char *text, size_t size)
{
    char value[MPI_MAX_OBJECT_NAME + 2];

    format_handle(arg, value, sizeof value);
    if (strncmp(value, "MPI_", 4) == 0)
        snprintf(text, size, "%s", value);
    else
        snprintf(text, size, "%s %s", handle_nouns[arguments_kind_of(arg->letter)], value);
}

static void format_integer(const struct argument *arg, char *text, size_t size)
{
    bool is_rank = strchr("dsR", arg->letter) != NULL;
    const char *name = NULL;

    if (is_rank && arg->number == MPI_PROC_NULL)
        name = "MPI_PROC_NULL";
    else if (is_rank && arg->number == MPI_ANY_SOURCE)
        name = "MPI_ANY_SOURCE";
    else if (is_rank && arg->number == MPI_ROOT)
        name = "MPI_ROOT";
    else if (arg->letter == 'T' && arg->number == MPI_ANY_TAG)
        name = "MPI_ANY_TAG";
    if (name)
        snprintf(text, size, "%s", name);
    else
        snprintf(text, size, "%lld", (long long)arg->number);
}

static void arguments_format_value(const struct argument *arg, char *text, size_t size)
{
    if (arguments_is_handle(arg) && (!arg->by_pointer || arg->pointer))
        format_handle(arg, text, size);
    else if (strchr("nNdsRtTiL", arg->letter))
        format_integer(arg, text, size);
    else if (!arg->pointer)
        snprintf(text, size, "NULL");
    else if (arg->letter == '"')
        snprintf(text, size, "\"%.60s\"", (const char *)arg->pointer);
    else if (strchr(argument_buffers, arg->letter) && arg->pointer == MPI_IN_PLACE)
        snprintf(text, size, "MPI_IN_PLACE");
    else
        snprintf(text, size, "%p", arg->pointer);
}

void arguments_format(const struct arguments *a, char *text, size_t size)
{
    size_t used = (size_t)snprintf(text, size, "%s(", a->name);

    for (int i = 0; i < a->count && used < size; i++) {
        char value[MPI_MAX_OBJECT_NAME + 32];

        arguments_format_value(&a->at[i], value, sizeof value);
        used += (size_t)snprintf(text + used, size - used, "%s%s=%s", i ? ", " : "", a->at[i].name, value);
    }
    if (used < size)
        snprintf(text + used, size - used, ")");
}
