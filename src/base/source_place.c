#include "base/source_place.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
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

/* Starts a command whose output can be read. NULL: it is not there. */
static FILE *start_command(char **argument, pid_t *child)
{
    posix_spawn_file_actions_t actions;
    int ends[2], error;

    if (pipe2(ends, O_CLOEXEC))
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    error = posix_spawnp(child, argument[0], &actions, NULL, argument, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    if (!error)
        return fdopen(ends[0], "r");
    close(ends[0]);
    return NULL;
}

/* A function, then file:line. False: there is no more. */
static bool read_answer(FILE *in, struct source_place *place)
{
    char text[sizeof place->file], *colon, *note;

    if (!fgets(place->function, sizeof place->function, in) || !fgets(text, sizeof text, in))
        return false;
    place->function[strcspn(place->function, "\n")] = '\0';
    text[strcspn(text, "\n")] = '\0';
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

/* Whether the command is there and answers. */
static bool ask_places(char *command, const char *module, uint64_t base, const uint64_t *offset,
                       struct source_place **place, int count)
{
    char *argument[AT_ONCE + 4] = {command, "-Cfe", (char *)module}, text[AT_ONCE][20];
    pid_t child;
    FILE *in;
    int i;

    for (i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "0x%llx", (unsigned long long)(offset[i] + base));
        argument[i + 3] = text[i];
    }
    argument[count + 3] = NULL;
    in = start_command(argument, &child);
    for (i = 0; in && i < count && read_answer(in, place[i]); i++)
        ;
    if (in) {
        fclose(in);
        waitpid(child, NULL, 0);
    }
    return i > 0;
}

void source_place_find(const char *module, const uint64_t *offset, struct source_place **place, int count)
{
    uint64_t base = linked_at(module);

    for (int first = 0; first < count; first += AT_ONCE) {
        int some = count - first < AT_ONCE ? count - first : AT_ONCE;

        if (!ask_places("addr2line", module, base, offset + first, place + first, some))
            ask_places("eu-addr2line", module, base, offset + first, place + first, some);
    }
}
