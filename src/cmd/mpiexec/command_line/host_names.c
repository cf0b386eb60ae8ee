#include "cmd/mpiexec/command_line/host_names.h"

#include "base/fail.h"
#include "cmd/mpiexec/command_line/words.h"

#include <mpi.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

static bool is_this_host(const char *name)
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

/* The name ends before a slot count: ":4", but not in "::1". Returns the count, 1 if there is none. */
static int cut_slots(char *name)
{
    char *colon = strrchr(name, ':');

    if (!colon || colon == name || colon[-1] == ':' || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return 1;
    *colon = 0;
    return atoi(colon + 1) > 0 ? atoi(colon + 1) : 1;
}

static int check_one(char *name, const char *where, bool *elsewhere)
{
    struct addrinfo *found = NULL;
    int code;

    cut_slots(name);
    if (is_this_host(name))
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

int host_names_check_file(const char *path, bool *elsewhere)
{
    struct words lines = {0};
    int error = words_read_lines(path, "list of hosts", &lines);

    for (int i = 0; i < lines.count && !error; i++) {
        char *rest = NULL, *name = strtok_r(lines.word[i], " \t,", &rest);

        if (name)
            error = check_one(name, path, elsewhere);
    }
    if (!error && lines.count == 0)
        return fail(MPI_ERR_OTHER, "the list of hosts '%s' is empty; write localhost into it", path);
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
        char *slots = strstr(lines.word[i], "slots="), *rest = NULL;
        int number = slots ? atoi(slots + strlen("slots=")) : 0;
        char *name = strtok_r(lines.word[i], " \t,", &rest);

        if (name)
            add_host(name, number, hosts);
    }
    return error;
}
