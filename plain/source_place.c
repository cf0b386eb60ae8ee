#include "plain/source_place.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    AT_ONCE = 256 /* addresses of one command */
};

extern char **environ;

/* Where a module without PIE was linked to be; 0: it may be anywhere. */
static uint64_t linked_at(const char *path)
{
    Elf64_Ehdr head;
    Elf64_Phdr segment;
    uint64_t lowest = UINT64_MAX;
    FILE *in = fopen(path, "r");

    if (!in)
        return 0;
    if (fread(&head, sizeof head, 1, in) == 1 && head.e_type == ET_EXEC &&
        head.e_ident[EI_CLASS] == ELFCLASS64)
        for (int i = 0; i < head.e_phnum; i++)
            if (!fseek(in, (long)(head.e_phoff + (uint64_t)i * head.e_phentsize), SEEK_SET) &&
                fread(&segment, sizeof segment, 1, in) == 1 && segment.p_type == PT_LOAD &&
                segment.p_vaddr < lowest)
                lowest = segment.p_vaddr;
    fclose(in);
    return lowest == UINT64_MAX ? 0 : lowest & ~(uint64_t)4095;
}

/* A command that runs, and what it has said. */
struct asked_command {
    pid_t child;
    int out;
    int most_ms;  /* of silence */
    bool is_late; /* it has been silent for longer */
    char said[4096];
    size_t used, taken; /* bytes of `said`, and those that have been read of them */
};

static bool command_start(struct asked_command *c, char **argument)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC))
        return false;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(&c->child, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    c->out = ends[0];
    if (error)
        close(c->out);
    return !error;
}

static void command_end(struct asked_command *c)
{
    close(c->out);
    if (c->is_late)
        kill(c->child, SIGKILL);
    while (waitpid(c->child, NULL, 0) < 0 && errno == EINTR)
        ;
}

/* Waits for more. False: the command has ended, or is late. */
static bool command_read(struct asked_command *c)
{
    struct pollfd reply = {.fd = c->out, .events = POLLIN};
    ssize_t got;
    int ready;

    do
        ready = poll(&reply, 1, c->most_ms);
    while (ready < 0 && errno == EINTR);
    c->is_late = ready == 0;
    if (ready <= 0)
        return false;
    got = read(c->out, c->said, sizeof c->said);
    c->taken = 0;
    c->used = got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The next line, without its end, cut to `size`. False: there is none. */
static bool command_line(struct asked_command *c, char *line, size_t size)
{
    size_t length = 0;

    for (;;) {
        char next;

        if (c->taken == c->used && !command_read(c))
            return false;
        next = c->said[c->taken++];
        if (next == '\n')
            break;
        if (length < size - 1)
            line[length++] = next;
    }
    line[length] = '\0';
    return true;
}

/* A function, then file:line. False: there is no more. */
static bool read_answer(struct asked_command *c, struct source_place *place)
{
    char text[sizeof place->file], *colon, *note;

    if (!command_line(c, place->function, sizeof place->function) || !command_line(c, text, sizeof text))
        return false;
    note = strstr(text, " (discriminator ");
    if (note)
        *note = '\0';
    colon = strrchr(text, ':');
    if (!colon || text[0] == '?')
        return true;
    *colon = '\0';
    strcpy(place->file, text);
    place->number = atoi(colon + 1);
    return true;
}

enum answer {
    ANSWER_NONE, /* the command is missing, or fails */
    ANSWER_SOME,
    ANSWER_LATE
};

static enum answer ask_places(char *name, const char *module, uint64_t base, const uint64_t *offset,
                              struct source_place **place, int count, int most_ms)
{
    char *argument[AT_ONCE + 4] = {name, "-Cfe", (char *)module}, text[AT_ONCE][20];
    struct asked_command c = {.most_ms = most_ms};
    int i;

    for (i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "0x%llx", (unsigned long long)(offset[i] + base));
        argument[i + 3] = text[i];
    }
    argument[count + 3] = NULL;
    if (!command_start(&c, argument))
        return ANSWER_NONE;
    for (i = 0; i < count && read_answer(&c, place[i]); i++)
        ;
    command_end(&c);
    return c.is_late ? ANSWER_LATE : i ? ANSWER_SOME : ANSWER_NONE;
}

/* "    async def name(" */
static bool read_definition(const char *line, char *function, size_t size)
{
    const char *at = line + strspn(line, " \t");
    size_t length;

    if (strncmp(at, "async ", 6) == 0)
        at += 6 + strspn(at + 6, " ");
    if (strncmp(at, "def ", 4) != 0 && strncmp(at, "class ", 6) != 0)
        return false;
    at += strcspn(at, " ");
    at += strspn(at, " ");
    length = strcspn(at, "(: \t\n");
    snprintf(function, size, "%.*s", (int)length, at);
    return true;
}

/* A function begins with its decorators. */
static void find_in_script(const char *script, uint64_t offset, struct source_place *place)
{
    int first = (int)(offset >> 24 & 0x7fffff), number = 0;
    FILE *in = first ? fopen(script, "re") : NULL;
    char line[512];

    snprintf(place->file, sizeof place->file, "%s", script);
    snprintf(place->function, sizeof place->function, first ? "?" : "<module>");
    place->number = (int)(offset & 0xffffff);
    while (in && fgets(line, sizeof line, in) && number < place->number) {
        number += strchr(line, '\n') != NULL;
        if (number >= first && read_definition(line, place->function, sizeof place->function))
            break;
    }
    if (in)
        fclose(in);
}

bool source_place_module(const void *address, char *path, uint64_t *offset)
{
    struct link_map *map;
    Dl_info info;

    if (!address || !dladdr1(address, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname ||
        !realpath(map->l_name[0] ? info.dli_fname : "/proc/self/exe", path))
        return false;
    *offset = (uint64_t)((uintptr_t)address - 1 - (uintptr_t)info.dli_fbase);
    return true;
}

bool source_place_find(const char *module, const uint64_t *offset, struct source_place **place, int count,
                       int most_ms)
{
    uint64_t base;

    if (count > 0 && offset[0] & SOURCE_PLACE_SCRIPT) {
        for (int i = 0; i < count; i++)
            find_in_script(module, offset[i], place[i]);
        return true;
    }
    base = linked_at(module);
    for (int first = 0; first < count; first += AT_ONCE) {
        int some = count - first < AT_ONCE ? count - first : AT_ONCE;
        enum answer answer =
            ask_places("addr2line", module, base, offset + first, place + first, some, most_ms);

        if (answer == ANSWER_NONE)
            answer = ask_places("eu-addr2line", module, base, offset + first, place + first, some, most_ms);
        if (answer == ANSWER_LATE)
            return false;
    }
    return true;
}
