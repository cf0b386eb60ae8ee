/* The program's stack, with file and line if addr2line (binutils) and debug information are available. */
#include "api/raise.h"
#include "base/privilege.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FRAME_LIMIT = 24,
    LINE_SIZE = 512,
    PATIENCE_MS =
        3000 /* the longest wait for addr2line, which reads all debug information of a large program */
};

extern char **environ;

/* Runs addr2line on one address and returns the first line of its answer. */
static bool ask_addr2line(const char *file, const char *address, char *line)
{
    char *arguments[] = {"addr2line", "-Cfpe", (char *)file, (char *)address, NULL};
    posix_spawn_file_actions_t actions;
    struct pollfd reply;
    int ends[2], error;
    pid_t child;
    ssize_t got = 0;

    if (privilege_is_raised() || pipe2(ends, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(&child, arguments[0], &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    reply = (struct pollfd){.fd = ends[0], .events = POLLIN};
    if (!error && poll(&reply, 1, PATIENCE_MS) == 1)
        got = read(ends[0], line, LINE_SIZE - 1);
    close(ends[0]);
    if (!error && got > 0)
        waitpid(child, NULL, 0);
    if (got <= 0)
        return false;
    line[got] = '\0';
    line[strcspn(line, "\n")] = '\0';
    if (strstr(line, " (discriminator"))
        *strstr(line, " (discriminator") = '\0';
    return strncmp(line, "??", 2) != 0;
}

/* The address where an object file starts in memory tells whether its addresses are relative. */
static void backtrace_describe(void *address, const Dl_info *where, char *line)
{
    /* the call, not the instruction after it */
    uintptr_t at = (uintptr_t)address - 1;
    char offset[32];

    snprintf(offset, sizeof offset, "0x%zx", (size_t)(at - (uintptr_t)where->dli_fbase));
    if (ask_addr2line(where->dli_fname, offset, line))
        return;
    snprintf(offset, sizeof offset, "0x%zx", (size_t)at);
    if (ask_addr2line(where->dli_fname, offset, line))
        return;
    snprintf(line, LINE_SIZE, "%s in %s", where->dli_sname ? where->dli_sname : offset, where->dli_fname);
}

void backtrace_format(char *text, size_t size)
{
    void *frame[FRAME_LIMIT];
    int count = backtrace(frame, FRAME_LIMIT);
    Dl_info here, where;
    size_t used = 0;
    bool is_outside = false;

    text[0] = '\0';
    if (!dladdr((void *)(uintptr_t)backtrace_format, &here))
        return;
    for (int i = 0; i < count && used + 1 < size; i++) {
        char line[LINE_SIZE];

        if (!dladdr(frame[i], &where) || (!is_outside && where.dli_fbase == here.dli_fbase))
            continue;
        is_outside = true;
        backtrace_describe(frame[i], &where, line);
        used += (size_t)snprintf(text + used, size - used, "    at %s\n", line);
        if (strncmp(line, "main ", 5) == 0)
            break;
    }
}
