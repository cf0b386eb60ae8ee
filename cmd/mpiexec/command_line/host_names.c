#include "cmd/mpiexec/command_line/options.h"

#include "cmd/mpiexec/command_line/words.h"
#include "plain/fail.h"

#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

bool host_names_is_own(const char *name)
{
    static const char *const always[] = {"localhost", "127.0.0.1", "::1", "localhost.localdomain"};
    char own[65] = "";
    size_t length = strcspn(name, ".");

    for (size_t i = 0; i < sizeof always / sizeof *always; i++)
        if (strcasecmp(name, always[i]) == 0)
            return true;
    if (gethostname(own, sizeof own - 1) < 0 || !own[0])
        return false;
    return strcasecmp(name, own) == 0 || (strcspn(own, ".") == length && strncasecmp(name, own, length) == 0);
}

enum {
    SLOTS_MAX = 1000000 /* of one host; sums with the number of ranks stay in an int */
};

/* Cuts a slot count off the name: ":4", but not in "::1". Returns the count; 1 if there is none. Too large a
 * one is SLOTS_MAX + 1. */
static int cut_slots(char *name)
{
    char *colon = strrchr(name, ':');
    unsigned long slots;

    if (!colon || colon == name || colon[-1] == ':' || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return 1;
    *colon = 0;
    slots = strtoul(colon + 1, NULL, 10); /* ULONG_MAX where it does not fit */
    return slots == 0 ? 1 : slots > SLOTS_MAX ? SLOTS_MAX + 1 : (int)slots;
}

static int fail_slots(const char *where, const char *name)
{
    return fail(MPI_ERR_OTHER, "%s: host '%.64s' has too many slots; a host has 1 to %d", where, name,
                SLOTS_MAX);
}

static int check_one(char *name, const char *where, bool *elsewhere)
{
    struct addrinfo *found = NULL;
    int code;

    if (cut_slots(name) > SLOTS_MAX)
        return fail_slots(where, name);
    if (host_names_is_own(name))
        return 0;
    code = getaddrinfo(name, NULL, NULL, &found);
    if (code != 0)
        return fail(MPI_ERR_OTHER, "%s: '%.64s' is not the name of a host: %s; this one is localhost", where,
                    name, gai_strerror(code));
    freeaddrinfo(found);
    *elsewhere = true;
    return 0;
}

int host_names_check(const char *list, const char *option, bool *elsewhere)
{
    char *copy = words_format("%s", list), *rest = NULL;
    int error = 0, names = 0;

    for (char *name = strtok_r(copy, ", ", &rest); name && !error; name = strtok_r(NULL, ", ", &rest)) {
        error = check_one(name, option, elsewhere);
        names++;
    }
    return error || names ? error
                          : fail(MPI_ERR_OTHER, "%s: the list of hosts is empty; use localhost", option);
}

/* The number in "name WORD=N" or "name WORD = N"; 0: there is none. Words are separated by spaces. */
static int number_after(const char *line, const char *word)
{
    size_t length = strlen(word);
    const char *found = strstr(line, word);
    long number = 0;

    while (found && (found == line || !strchr(" \t", found[-1])))
        found = strstr(found + 1, word);
    if (found && found[length + strspn(found + length, " ")] == '=')
        number = strtol(found + length + strspn(found + length, " ="), NULL, 10);
    return number < 0 ? 0 : number > SLOTS_MAX ? SLOTS_MAX + 1 : (int)number;
}

int host_names_check_file(const char *path, bool *elsewhere)
{
    struct words lines = {0};
    int error = words_read_lines(path, "list of hosts", &lines);

    for (int i = 0; i < lines.count && !error; i++) {
        bool has_too_many = number_after(lines.word[i], "slots") > SLOTS_MAX;
        char *rest = NULL, *name = strtok_r(lines.word[i], " \t,", &rest);

        if (name)
            error = has_too_many ? fail_slots(path, name) : check_one(name, path, elsewhere);
    }
    if (!error && lines.count == 0)
        return fail(MPI_ERR_OTHER, "the list of hosts '%s' is empty; write localhost into it", path);
    return error;
}

int host_names_limit(const char *path, int *limit)
{
    struct words lines = {0};
    int error = words_read_lines(path, "list of hosts", &lines);
    bool has_limits = lines.count > 0;

    *limit = 0;
    for (int i = 0; i < lines.count && !error; i++) {
        int most = number_after(lines.word[i], "max_slots");

        if (!most)
            most = number_after(lines.word[i], "max-slots");
        has_limits = has_limits && most && *limit <= SLOTS_MAX;
        *limit += most;
    }
    if (!has_limits)
        *limit = 0;
    return error;
}

static void add_host(char *name, int slots, struct words *hosts)
{
    int own = cut_slots(name);

    words_add(hosts, words_format("%s:%d", name, slots > 0 ? slots : own));
}

int host_names_read(const char *list, struct words *hosts)
{
    char *copy = words_format("%s", list), *rest = NULL;

    for (char *name = strtok_r(copy, ", ", &rest); name; name = strtok_r(NULL, ", ", &rest))
        add_host(name, 0, hosts);
    free(copy);
    return MPI_SUCCESS;
}

int host_names_read_file(const char *path, struct words *hosts)
{
    struct words lines = {0};
    int error = words_read_lines(path, "list of hosts", &lines);

    for (int i = 0; i < lines.count && !error; i++) {
        int number = number_after(lines.word[i], "slots");
        char *rest = NULL, *name = strtok_r(lines.word[i], " \t,", &rest);

        if (name)
            add_host(name, number, hosts);
    }
    return error;
}
