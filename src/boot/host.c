#include "boot/host.h"

#include "base/fail.h"
#include "boot/boot.h"
#include "boot/mapping.h"

#include <mpi.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HOST_ID_SIZE = 256
};

static int *neighbours;
static uint64_t *keys; /* by process; NULL: all are on this host */

static void read_word(const char *path, char *word, size_t size)
{
    FILE *file = fopen(path, "re");

    if (!file || !fgets(word, (int)size, file))
        word[0] = 0;
    word[strcspn(word, " \n")] = 0;
    if (file)
        fclose(file);
}

/* Equal on two processes exactly when they can share memory: the same name, the same running kernel, and the
 * same network namespace, where sockets that pass memory live. */
static void format_host_id(char *id, size_t size)
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

uint64_t host_key(int process)
{
    return keys ? keys[process] : 0;
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static uint64_t key_of_this_host;

static void find_key(void)
{
    char id[HOST_ID_SIZE];

    format_host_id(id, sizeof id);
    key_of_this_host = host_hash(id);
}

uint64_t host_mine(void)
{
    pthread_once(&once, find_key);
    return key_of_this_host;
}

/* Only of ranks that may be here: a large job's others are not asked for. */
static int gather(const char *mine, const bool *may_be_here)
{
    int count = 0;

    for (int rank = 0; rank < boot.size; rank++) {
        char key[BOOT_KEY_SIZE], id[HOST_ID_SIZE];
        int error;

        if (!may_be_here[rank])
            continue;
        snprintf(key, sizeof key, "inkling-host-%d", rank);
        error = boot_get(key, id, sizeof id);
        if (error)
            return error;
        keys[rank] = host_hash(id);
        if (strcmp(id, mine) != 0)
            continue;
        if (rank == boot.rank)
            boot.local_rank = count;
        neighbours[count++] = rank;
    }
    boot.local_size = count;
    boot.all_local = count == boot.size;
    boot.local = boot.all_local ? NULL : neighbours;
    return 0;
}

/* What the launcher tells of where ranks are; everybody may be here if it does not. */
static int ask_and_gather(const char *mine)
{
    char text[BOOT_VALUE_SIZE];
    bool *may_be_here = malloc((size_t)boot.size * sizeof *may_be_here);
    int error;

    if (!may_be_here)
        return fail(MPI_ERR_NO_MEM, "no memory for the places of %d processes", boot.size);
    if (boot_get("PMI_process_mapping", text, sizeof text) != 0 ||
        !mapping_find(text, boot.rank, boot.size, may_be_here))
        for (int rank = 0; rank < boot.size; rank++)
            may_be_here[rank] = true;
    error = gather(mine, may_be_here);
    free(may_be_here);
    return error;
}

static void forget_neighbours(void)
{
    free(neighbours);
    free(keys);
    neighbours = NULL;
    keys = NULL;
    boot.local = NULL;
}

int host_find_neighbours(void)
{
    char mine[HOST_ID_SIZE], key[BOOT_KEY_SIZE];
    int error;

    neighbours = calloc((size_t)boot.size, sizeof *neighbours);
    keys = calloc((size_t)boot.size, sizeof *keys);
    if (!neighbours || !keys) {
        forget_neighbours();
        return fail(MPI_ERR_NO_MEM, "no memory for the ranks of %d processes", boot.size);
    }
    format_host_id(mine, sizeof mine);
    snprintf(key, sizeof key, "inkling-host-%d", boot.rank);
    error = boot_put(key, mine);
    if (!error)
        error = boot_fence();
    if (!error)
        error = ask_and_gather(mine);
    if (error)
        forget_neighbours();
    return error;
}
