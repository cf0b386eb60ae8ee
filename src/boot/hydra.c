/* Hydra ends all processes when one dies, or with an option those of its host. */
#include "boot/boot.h"
#include "boot/launcher.h"
#include "plain/log.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum {
    ANCESTORS = 16 /* shells and wrappers among them */
};

static const char option[] = "-disable-auto-cleanup";

static ssize_t read_of(pid_t pid, const char *file, char *text, size_t size)
{
    char path[64];
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    length = fd >= 0 ? read(fd, text, size - 1) : -1;
    if (fd >= 0)
        close(fd);
    text[length > 0 ? length : 0] = '\0';
    return length;
}

/* 0: not known. */
static pid_t parent_of(pid_t pid)
{
    char text[512];
    const char *end = read_of(pid, "stat", text, sizeof text) > 0 ? strrchr(text, ')') : NULL;
    int parent;

    return end && sscanf(end + 1, " %*c %d", &parent) == 1 ? parent : 0;
}

/* A launcher's words stand before the program's, where nobody names this option. */
static bool has_option(const char *words, const char *end)
{
    for (; words < end; words += strlen(words) + 1)
        if (strcmp(words, option) == 0 || (*words == '-' && strcmp(words + 1, option) == 0))
            return true;
    return false;
}

void hydra_warn_of_cleanup(void)
{
    char words[8192], name[64];
    bool is_hydra = false;
    pid_t pid = getppid();

    for (int i = 0; i < ANCESTORS && pid > 1; i++, pid = parent_of(pid)) {
        ssize_t length = read_of(pid, "cmdline", words, sizeof words);

        if (read_of(pid, "comm", name, sizeof name) <= 0 || length <= 0)
            return;
        if (is_hydra && strncmp(name, "mpiexec", strlen("mpiexec")) == 0) {
            if (!has_option(words, words + length))
                log_warn(
                    "Hydra ends all other ranks when one dies, although inkling_survive is true; with the "
                    "option %s of mpiexec.hydra those of other hosts live",
                    option);
            return;
        }
        is_hydra = is_hydra || strncmp(name, "hydra_pmi_proxy", strlen("hydra_pmi_proxy")) == 0;
    }
}
