#include "plain/host_id.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void read_word(const char *path, char *word, size_t size)
{
    FILE *file = fopen(path, "re");

    if (!file || !fgets(word, (int)size, file))
        word[0] = 0;
    word[strcspn(word, " \n")] = 0;
    if (file)
        fclose(file);
}

void host_id_format(char *id, size_t size)
{
    char name[65] = "", boot_id[64], space[64] = "";

    if (gethostname(name, sizeof name - 1) < 0 || !name[0])
        strcpy(name, "host");
    name[strcspn(name, " \n=")] = 0;
    read_word("/proc/sys/kernel/random/boot_id", boot_id, sizeof boot_id);
    if (readlink("/proc/self/ns/net", space, sizeof space - 1) < 0)
        space[0] = 0;
    snprintf(id, size, "%s/%s/%s", name, boot_id, space);
}

/* FNV-1a. */
uint64_t host_hash(const char *text)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * 0x100000001b3u;
    return h;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t key_of_this_host;

static void find_key(void)
{
    char id[HOST_ID_SIZE];

    host_id_format(id, sizeof id);
    key_of_this_host = host_hash(id);
}

uint64_t host_mine(void)
{
    pthread_once(&once, find_key);
    return key_of_this_host;
}
