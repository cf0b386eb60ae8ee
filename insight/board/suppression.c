#include "insight/board/finding_list.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE_SIZE = 1024
};

struct suppression {
    struct suppression *next;
    char *where; /* NULL: any place */
    char class[];
};

static char *suppression_trim(char *text)
{
    char *end = text + strlen(text);

    while (end > text && isspace((unsigned char)end[-1]))
        *--end = '\0';
    while (isspace((unsigned char)*text))
        text++;
    return text;
}

static bool is_class_of_finding(const char *pattern)
{
    for (int class = FINDING_NONE + 1; class < FINDING_CLASSES; class ++)
        if (fnmatch(pattern, finding_names[class], 0) == 0)
            return true;
    return false;
}

static struct suppression *suppression_new(const char *class, const char *where)
{
    struct suppression *s = malloc(sizeof *s + strlen(class) + 1);

    if (!s)
        return NULL;
    strcpy(s->class, class);
    s->where = where ? strdup(where) : NULL;
    return s;
}

/* False: `why` says what is wrong. */
static bool add_line(struct suppression **list, char *line, char *why, size_t size)
{
    char *at = strchr(line, '@'), *where = at ? suppression_trim(at + 1) : NULL;
    const char *class;
    struct suppression *s;

    if (at)
        *at = '\0';
    class = suppression_trim(line);
    if (!*class || (where && !*where)) {
        snprintf(why, size, "a line is CLASS or CLASS@WHERE");
        return false;
    }
    if (!is_class_of_finding(class)) {
        snprintf(why, size, "there is no class \"%.40s\" of findings; reports name them, as leak and request",
                 class);
        return false;
    }
    s = suppression_new(class, where);
    if (!s) {
        snprintf(why, size, "there is no memory for it");
        return false;
    }
    s->next = *list;
    *list = s;
    return true;
}

static bool read_lines(FILE *in, struct suppression **list, char *why, size_t size)
{
    char line[LINE_SIZE], reason[128];

    for (int number = 1; fgets(line, sizeof line, in); number++) {
        char *text = suppression_trim(line);

        if (!*text || *text == '#' || add_line(list, text, reason, sizeof reason))
            continue;
        snprintf(why, size, "line %d: %s", number, reason);
        return false;
    }
    return true;
}

struct suppression *suppression_read(const char *path, char *why, size_t size)
{
    struct suppression *list = NULL;
    FILE *in = fopen(path, "r");

    *why = '\0';
    if (!in) {
        snprintf(why, size, "%s", strerror(errno));
        return NULL;
    }
    if (!read_lines(in, &list, why, size)) {
        suppression_free(list);
        list = NULL;
    }
    fclose(in);
    return list;
}

void suppression_free(struct suppression *list)
{
    while (list) {
        struct suppression *next = list->next;

        free(list->where);
        free(list);
        list = next;
    }
}

/* Whether the text, or what follows one of these characters in it, fits the pattern. */
static bool has_tail(const char *pattern, const char *text, const char *separators)
{
    for (bool is_start = true; *text; is_start = strchr(separators, *text++) != NULL)
        if (is_start && fnmatch(pattern, text, 0) == 0)
            return true;
    return false;
}

static bool is_at(const char *where, const char *module, const struct source_place *place)
{
    char text[sizeof place->file + 16], function[sizeof place->function + 2];

    if (has_tail(where, module, "/"))
        return true;
    if (place->number == 0)
        return false;
    snprintf(text, sizeof text, "%s:%d", place->file, place->number);
    snprintf(function, sizeof function, "%.*s()", (int)strcspn(place->function, "("), place->function);
    return has_tail(where, place->file, "/") || has_tail(where, text, "/") || has_tail(where, function, ":");
}

bool suppression_matches(const struct suppression *list, enum finding_class class, const char *module,
                         const struct source_place *place)
{
    for (; list; list = list->next)
        if (fnmatch(list->class, finding_names[class], 0) == 0 &&
            (!list->where || is_at(list->where, module, place)))
            return true;
    return false;
}
