#include "insight/advise/advise.h"

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    PLACES = PROFILE_OBJECTS + PROFILE_SITES
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
static bool read_line(FILE *in, struct advice_line *line)
{
    char text[sizeof line->file], *colon;

    if (!fgets(line->function, sizeof line->function, in) || !fgets(text, sizeof text, in))
        return false;
    line->function[strcspn(line->function, "\n")] = '\0';
    text[strcspn(text, "\n ")] = '\0';
    colon = strrchr(text, ':');
    if (!colon || text[0] == '?')
        return true;
    *colon = '\0';
    strcpy(line->file, text);
    line->number = atoi(colon + 1);
    return true;
}

static bool ask_lines(char *command, const struct profile *p, uint32_t module, uint64_t *offset,
                      struct advice_line **line, int count)
{
    uint64_t base = linked_at(p->module[module]);
    char *argument[PLACES + 4] = {command, "-Cfe", (char *)p->module[module]}, text[PLACES][20];
    pid_t child;
    FILE *in;
    int i = 0;

    for (i = 0; i < count; i++) {
        snprintf(text[i], sizeof text[i], "0x%llx", (unsigned long long)(offset[i] + base));
        argument[i + 3] = text[i];
    }
    argument[count + 3] = NULL;
    in = start_command(argument, &child);
    for (i = 0; in && i < count && read_line(in, line[i]); i++)
        ;
    if (in) {
        fclose(in);
        waitpid(child, NULL, 0);
    }
    return i > 0;
}

void advise_find_lines(struct advice_list *list)
{
    const struct profile *p = list->profile;
    static uint64_t offset[PLACES];
    static struct advice_line *line[PLACES];

    for (uint32_t module = 0; module < p->modules; module++) {
        int count = 0;

        for (uint32_t i = 0; i < p->objects; i++)
            if (p->object[i].place.module == module + 1) {
                offset[count] = p->object[i].place.offset;
                line[count++] = &list->object[i];
            }
        for (uint32_t i = 0; i < p->sites; i++)
            if (p->site[i].place.module == module + 1) {
                offset[count] = p->site[i].place.offset;
                line[count++] = &list->site[i];
            }
        if (count && !ask_lines("addr2line", p, module, offset, line, count))
            ask_lines("eu-addr2line", p, module, offset, line, count);
    }
}
