#include "cmd/mpiexec/command_line/words.h"

#include "plain/fail.h"
#include "plain/log.h"

#include <ctype.h>
#include <errno.h>
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *words_allocate(size_t size)
{
    void *memory = calloc(1, size ? size : 1);

    if (!memory)
        log_die("mpiexec is out of memory");
    return memory;
}

void *words_grow(void *memory, size_t size)
{
    memory = realloc(memory, size);
    if (!memory)
        log_die("mpiexec is out of memory");
    return memory;
}

char *words_format(const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        log_die("mpiexec is out of memory");
    return text;
}

void words_add(struct words *words, char *word)
{
    if (words->count + 1 >= words->room) {
        words->room = words->room ? 2 * words->room : 16;
        words->word = words_grow(words->word, (size_t)words->room * sizeof *words->word);
    }
    words->word[words->count++] = word;
    words->word[words->count] = NULL;
}

char *words_join(const struct words *words, int first)
{
    size_t size = 1;
    char *joined, *end;

    for (int i = first; i < words->count; i++)
        size += strlen(words->word[i]) + 1;
    joined = end = words_allocate(size);
    for (int i = first; i < words->count; i++)
        end += sprintf(end, "%s%s", i > first ? " " : "", words->word[i]);
    return joined;
}

/* Appends one physical line to the logical line in *line, and adds the logical line to the list when it is
 * complete. */
static void words_add_line(char *text, char **line, struct words *lines)
{
    size_t length = strcspn(text, "\r\n");
    bool continues = length > 0 && text[length - 1] == '\\';
    const char *start;

    text[continues ? length - 1 : length] = 0;
    if (!*line && text[0] == '#')
        return;
    *line = words_format("%s%s", *line ? *line : "", text);
    if (continues)
        return;
    start = *line + strspn(*line, " \t");
    if (*start)
        words_add(lines, *line);
    *line = NULL;
}

int words_read_lines(const char *path, const char *role, struct words *lines)
{
    FILE *file = fopen(path, "re");
    char *text = NULL, *line = NULL;
    size_t room = 0;
    bool broken;

    if (!file)
        return fail(MPI_ERR_OTHER, "cannot read the %s '%s': %s", role, path, strerror(errno));
    while (getline(&text, &room, file) >= 0)
        words_add_line(text, &line, lines);
    if (line)
        words_add(lines, line);
    broken = ferror(file);
    free(text);
    fclose(file);
    return broken ? fail(MPI_ERR_OTHER, "cannot read the %s '%s': %s", role, path, strerror(errno)) : 0;
}

/* Copies one word to `to`. Returns what follows it; NULL if a quote is not closed. */
static const char *cut_word(const char *from, char *to)
{
    char quote = 0;

    for (; *from && (quote || !isspace((unsigned char)*from)); from++) {
        if (quote && *from == quote)
            quote = 0;
        else if (!quote && (*from == '\'' || *from == '"'))
            quote = *from;
        else if (*from == '\\' && quote != '\'' && from[1])
            *to++ = *++from;
        else
            *to++ = *from;
    }
    *to = 0;
    return quote ? NULL : from;
}

int words_cut(const char *line, struct words *words)
{
    const char *rest = line;

    for (;;) {
        char *word;

        while (isspace((unsigned char)*rest))
            rest++;
        if (!*rest)
            return 0;
        word = words_allocate(strlen(rest) + 1);
        rest = cut_word(rest, word);
        if (!rest)
            return fail(MPI_ERR_OTHER, "a quote is not closed in '%.80s'", line);
        words_add(words, word);
    }
}

/* Appends the next range of ranks from `from` on, such as ", 3-5". Returns how many ranks are done. */
static int add_range(const bool *has, int size, int from, char *list, size_t room)
{
    size_t used = strlen(list);
    int to = from;

    while (to + 1 < size && has[to + 1])
        to++;
    if (room - used < 64)
        snprintf(list + used, room - used, ", ...");
    else if (to > from)
        snprintf(list + used, room - used, "%s%d-%d", used ? ", " : "", from, to);
    else
        snprintf(list + used, room - used, "%s%d", used ? ", " : "", from);
    return room - used < 64 ? size - from : to - from + 1;
}

void words_list_ranks(const bool *has, int size, char *list, size_t room)
{
    *list = '\0';
    for (int i = 0; i < size;)
        i += has[i] ? add_range(has, size, i, list, room) : 1;
}
