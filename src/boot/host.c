#include "boot/host.h"

#include "boot/boot.h"
#include "plain/fail.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *neighbours;
static uint64_t *keys; /* by process; NULL: all are on this host */

uint64_t host_key(int process)
{
    return keys ? keys[process] : 0;
}

int host_local_rank(int process)
{
    if (!boot.local)
        return process < boot.local_size ? process : -1;
    for (int i = 0; i < boot.local_size; i++)
        if (boot.local[i] == process)
            return i;
    return -1;
}

/* Adds a rank of this host; called in rank order. */
static void add_neighbour(int rank)
{
    if (rank == boot.rank)
        boot.local_rank = boot.local_size;
    neighbours[boot.local_size++] = rank;
}

static int get_id(int rank, char *id)
{
    char key[BOOT_KEY_SIZE];

    snprintf(key, sizeof key, "inkling-host-%d", rank);
    return boot_get(rank, key, id, HOST_ID_SIZE);
}

/* node: NULL, or the launcher's nodes: then only processes of this node are asked, which matters in a large
 * job. */
static int host_ask(const char *mine, const uint64_t *node)
{
    boot.local_size = 0;
    for (int rank = 0; rank < boot.size; rank++) {
        char id[HOST_ID_SIZE];
        int error;

        if (node && node[rank] != node[boot.rank])
            continue;
        error = get_id(rank, id);
        if (error)
            return error;
        if (!node)
            keys[rank] = host_hash(id);
        if (strcmp(id, mine) == 0) /* a node may be divided into several hosts */
            add_neighbour(rank);
    }
    boot.all_local = boot.local_size == boot.size;
    boot.local = boot.all_local ? NULL : neighbours;
    return MPI_SUCCESS;
}

static void forget_neighbours(void)
{
    free(neighbours);
    free(keys);
    neighbours = NULL;
    keys = NULL;
}

int host_find_neighbours(const struct launcher *launcher)
{
    char mine[HOST_ID_SIZE], key[BOOT_KEY_SIZE];
    int error;

    neighbours = calloc((size_t)boot.size, sizeof *neighbours);
    keys = calloc((size_t)boot.size, sizeof *keys);
    if (!neighbours || !keys) {
        forget_neighbours();
        return fail(MPI_ERR_NO_MEM, "no memory for the ranks of %d processes", boot.size);
    }
    host_id_format(mine, sizeof mine);
    snprintf(key, sizeof key, "inkling-host-%d", boot.rank);
    error = boot_put(key, mine);
    if (!error)
        error = boot_fence();
    if (!error)
        error = host_ask(mine, launcher->find_nodes(boot.size, keys) ? keys : NULL);
    if (error)
        forget_neighbours();
    return error;
}

/* One host of the job. */
struct host_place {
    int first; /* the first rank on it */
    int ranks;
};

/* Returns the number of hosts. */
static int count_places(const bool *is_dead, struct host_place *place)
{
    int count = 0, i;

    for (int rank = 0; rank < boot.size; rank++) {
        if (is_dead && is_dead[rank])
            continue;
        for (i = 0; i < count && host_key(place[i].first) != host_key(rank); i++)
            ;
        if (i == count)
            place[count++] = (struct host_place){rank, 0};
        place[i].ranks++;
    }
    return count;
}

static int write_places(const struct host_place *place, int count, char *list, size_t size)
{
    size_t used = 0;

    for (int i = 0; i < count; i++) {
        char id[HOST_ID_SIZE];
        int error = get_id(place[i].first, id);

        if (error)
            return error;
        used += (size_t)snprintf(list + used, size - used, "%s%.*s:%d", i ? "," : "", (int)strcspn(id, "/"),
                                 id, place[i].ranks);
    }
    return MPI_SUCCESS;
}

int host_list(const bool *is_dead, char **list)
{
    struct host_place *place = malloc((size_t)boot.size * sizeof *place);
    int count = place ? count_places(is_dead, place) : 0, error;
    size_t size = (size_t)count * HOST_ID_SIZE;
    char *text = place ? malloc(size) : NULL;

    error = text ? write_places(place, count, text, size)
                 : fail(MPI_ERR_NO_MEM, "no memory for the names of the job's hosts");
    free(place);
    if (!error)
        *list = text;
    else
        free(text);
    return error;
}
