#include "hint/gains.h"

#include "plain/fail.h"

#include <errno.h>
#include <limits.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MOST_BYTES = 1 << 20
};
static const double least_ratio = 1.05; /* below it, the next run may say the opposite */

/* Takes a JSON string from *at on, in place. NULL: there is none, or it has an escape that no writer of this file makes. */
static char *take_string(char **at)
{
    char *text = *at, *to = text, *from = text + 1;

    if (*text != '"')
        return NULL;
    for (; *from && *from != '"'; from++) {
        if (*from == '\\' && from[1] != '"' && from[1] != '\\')
            return NULL;
        if (*from == '\\')
            from++;
        *to++ = *from;
    }
    if (*from != '"')
        return NULL;
    *to = '\0';
    *at = from + 1;
    return text;
}

/* Takes the text of a member. `row`: the hint of the object; a key that this version does not know has a row that
 * nobody reads. */
static void take_text(struct gains *g, const char *name, const char *text, struct gain **row)
{
    static struct gain nobody;
    const struct hint_row *found;

    if (strcmp(name, "machine") == 0)
        g->machine = text;
    else if (strcmp(name, "date") == 0)
        g->date = text;
    else if (strcmp(name, "text") == 0)
        (*row)->text = text;
    else if (strcmp(name, "key") == 0) {
        found = hint_find(text);
        *row = found ? &g->of[found - hint_table] : &nobody;
    }
}

static void take_figure(const char *name, double number, struct gain *row)
{
    if (strcmp(name, "ratio") == 0)
        row->ratio = number;
    else if (strcmp(name, "off") == 0)
        row->off = number;
    else if (strcmp(name, "on") == 0)
        row->on = number;
}

/* Members of objects in whatever order, but "key" before the others of a hint. */
static bool gains_parse(char *at, struct gains *g)
{
    static struct gain nobody;
    struct gain *row = &nobody;
    char *name, *text, *end;

    for (at += strspn(at, " \n{"); *at; at += strspn(at, " \n,{}]")) {
        name = take_string(&at);
        if (!name || *at++ != ':')
            return false;
        at += strspn(at, " \n");
        if (*at == '[') {
            at++;
            continue;
        }
        if ((text = take_string(&at))) {
            take_text(g, name, text, &row);
            continue;
        }
        take_figure(name, strtod(at, &end), row);
        if (end == at)
            return false;
        at = end;
    }
    return g->machine && g->date;
}

static char *gains_load(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = in ? calloc(1, MOST_BYTES) : NULL;

    if (text && fread(text, 1, MOST_BYTES - 1, in) == 0) {
        free(text);
        text = NULL;
    }
    if (in)
        fclose(in);
    return text;
}

int gains_read(const char *path, struct gains *g)
{
    memset(g, 0, sizeof *g);
    g->owned = gains_load(path);
    if (!g->owned)
        return fail(MPI_ERR_NO_SUCH_FILE, "cannot read %.200s: %s", path, strerror(errno));
    if (gains_parse(g->owned, g))
        return MPI_SUCCESS;
    gains_fini(g);
    return fail(MPI_ERR_FILE, "%.200s is not what `make bench-hints` writes: install it anew, or remove it",
                path);
}

void gains_fini(struct gains *g)
{
    free(g->owned);
    memset(g, 0, sizeof *g);
}

/* The path of share/inkling/gains.json, from the running command's: PREFIX/bin/inkling. False: /proc does not tell. */
static bool find_file(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);

    for (int up = 0; up < 2 && length > 0; up++) {
        path[length] = '\0';
        length = strrchr(path, '/') ? strrchr(path, '/') - path : 0;
    }
    return length > 0 && (size_t)snprintf(path + length, size - (size_t)length, "/share/inkling/gains.json") <
                             size - (size_t)length;
}

const struct gains *gains_here(void)
{
    static struct gains here;
    static bool is_read;
    char path[PATH_MAX];

    if (!is_read && find_file(path, sizeof path) && access(path, F_OK) == 0 && gains_read(path, &here))
        fprintf(stderr, "inkling: %s\n", fail_note());
    is_read = true;
    return &here;
}

const struct gain *gains_find(const struct gains *g, enum hint_id id)
{
    return g->of[id].text ? &g->of[id] : NULL;
}

bool gains_are_none(const struct gain *gain)
{
    return gain->ratio < least_ratio;
}

void gains_format(const struct gain *gain, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s%s", gain && gains_are_none(gain) ? "no measured effect: " : "",
             gain ? gain->text : "not measured here");
}
