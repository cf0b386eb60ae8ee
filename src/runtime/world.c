#include "runtime/runtime.h"

#include "boot/boot.h"
#include "dynamic/dynamic.h"
#include "making/hint_report.h"
#include "plain/fail.h"
#include "plain/name_directory.h"
#include "runtime/model.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Contexts below the first of comm_next_context (see comm/comm.h): world and self need no agreement. */
enum {
    CONTEXT_WORLD = 1,
    CONTEXT_SELF = 2
};

static _Atomic int state; /* enum world_state; release on change, acquire on read */
static int thread_level;
static pthread_t main_thread;

enum world_state world_state(void)
{
    return (enum world_state)atomic_load_explicit(&state, memory_order_acquire);
}

int world_thread_level(void)
{
    return thread_level;
}

int world_is_main_thread(void)
{
    return pthread_equal(pthread_self(), main_thread) != 0;
}

static int open_comm(struct comm *c, uint64_t handle, uint64_t context, struct group *group, const char *name)
{
    int error = comm_setup(c, context, group);

    if (error)
        return error;
    snprintf(c->name, sizeof c->name, "%s", name);
    c->hints.name = name;
    info_offer(NULL, &c->hints, AT_CREATE, "MPI_Init");
    error = errhandler_attach(&c->errhandler, OBJECT_COMM, errhandler_initial()); /* not the program's */
    if (error)
        return error;
    object_predefine(&c->object, OBJECT_COMM, handle);
    return MPI_SUCCESS;
}

/* All processes, in the order of their numbers. */
static int make_world_group(struct group **group)
{
    int *process = malloc((size_t)boot.size * sizeof *process);
    int error;

    if (!process)
        return fail(MPI_ERR_NO_MEM, "no memory for a group of %d", boot.size);
    for (int i = 0; i < boot.size; i++)
        process[i] = i;
    error = group_new(boot.size, process, group);
    free(process);
    return error;
}

static int open_world(void)
{
    struct group *group;
    int error = make_world_group(&group);

    if (error)
        return error;
    error =
        open_comm(&comm_world, (uint64_t)(uintptr_t)MPI_COMM_WORLD, CONTEXT_WORLD, group, "MPI_COMM_WORLD");
    group_unref(group);
    return error;
}

static int open_self(void)
{
    struct group *group;
    int error = group_new(1, &boot.rank, &group);

    if (error)
        return error;
    error = open_comm(&comm_self, (uint64_t)(uintptr_t)MPI_COMM_SELF, CONTEXT_SELF, group, "MPI_COMM_SELF");
    group_unref(group);
    return error;
}

static int open_predefined(void)
{
    int error = open_world();

    return error ? error : open_self();
}

static void close_predefined(void)
{
    object_predefined[(uintptr_t)MPI_COMM_WORLD] = NULL;
    object_predefined[(uintptr_t)MPI_COMM_SELF] = NULL;
}

int world_init(int required, int *provided)
{
    int before = WORLD_BEFORE;
    int error;

    if (world_state() != WORLD_BEFORE)
        return fail(MPI_ERR_OTHER, "MPI was initialized before; MPI_Init may be called once");
    main_thread = pthread_self();
    thread_level = required;
    error = model_open(&thread_level);
    if (error)
        return error;
    error = open_predefined();
    if (!error)
        error = spawn_meet_parents();
    if (error) {
        close_predefined();
        model_close();
        return error;
    }
    /* release: pairs with the acquire in world_state: MPI_COMM_WORLD is there */
    atomic_compare_exchange_strong_explicit(&state, &before, WORLD_OPEN, memory_order_release,
                                            memory_order_relaxed);
    *provided = thread_level;
    return MPI_SUCCESS;
}

/* Deletes the attributes of MPI_COMM_SELF first, in LIFO order, while MPI still works (MPI-5.0 section
 * 11.2.4). */
static int delete_attributes(void)
{
    int error = attribute_delete_all(&comm_self.attributes, MPI_COMM_SELF);

    return error ? error : attribute_delete_all(&comm_world.attributes, MPI_COMM_WORLD);
}

int world_fini(void)
{
    int error = delete_attributes();

    if (error)
        return error;
    hint_report_world();
    name_directory_close();
    atomic_store_explicit(&state, WORLD_AFTER, memory_order_release);
    close_predefined();
    comm_unref(&comm_world);
    comm_unref(&comm_self);
    model_forget_world();
    error = model_close();
    disconnect_children(); /* from here on no other process needs this one */
    return error;
}
