#include "comm/comm.h"

#include "boot/boot.h"
#include "comm/topology.h"
#include "info/info.h"
#include "net/net.h"
#include "object/error.h"
#include "plain/clock.h"
#include "plain/fail.h"
#include "request/request.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum {
    FIRST_BUCKETS = 64
};

struct pool comm_pool = {.kind = OBJECT_COMM,
                         .size = sizeof(struct comm),
                         .serial = true,
                         .lock = LOCK_INIT,
                         .chunks = POOL_CHUNKS};
struct comm comm_world, comm_self;

/* The context table: chains through next_in_table. */
static struct lock table_lock = LOCK_INIT; /* guards all of it */
static struct comm *first_bucket[FIRST_BUCKETS];
static struct comm **bucket = first_bucket;
static size_t buckets = FIRST_BUCKETS, entries;

/* Guards every communicator's name. */
static struct lock name_lock = LOCK_INIT;

static struct comm **chain_of(uint64_t context)
{
    return &bucket[(context * 0x9e3779b97f4a7c15u >> 32) & (buckets - 1)];
}

/* Doubles the table; without memory the chains get longer. The caller holds the lock. */
static void table_grow(void)
{
    struct comm **old = bucket, **bigger = calloc(buckets * 2, sizeof *bigger), *next;
    size_t old_buckets = buckets;

    if (!bigger)
        return;
    bucket = bigger;
    buckets *= 2;
    for (size_t i = 0; i < old_buckets; i++)
        for (struct comm *c = old[i]; c; c = next) {
            struct comm **chain = chain_of(c->context);

            next = c->next_in_table;
            c->next_in_table = *chain;
            *chain = c;
        }
    if (old != first_bucket)
        free(old);
}

static void table_add(struct comm *c, uint64_t context)
{
    struct comm **chain;

    lock_take(&table_lock);
    if (entries >= buckets)
        table_grow();
    c->context = context;
    chain = chain_of(context);
    c->next_in_table = *chain;
    *chain = c;
    entries++;
    lock_release(&table_lock);
}

void comm_open(struct comm *c, uint64_t context)
{
    if (c->whole)
        table_add(c->whole, context + 1);
    table_add(c, context);
}

static void table_remove(struct comm *c)
{
    struct comm **link;

    lock_take(&table_lock);
    for (link = chain_of(c->context); *link && *link != c; link = &(*link)->next_in_table)
        ;
    if (*link) {
        *link = c->next_in_table;
        entries--;
    }
    lock_release(&table_lock);
}

void comm_close(struct comm *c)
{
    if (c->whole)
        table_remove(c->whole);
    table_remove(c);
}

struct comm *comm_find_context(uint64_t context)
{
    struct comm *c;

    lock_take(&table_lock);
    for (c = *chain_of(context); c && c->context != context; c = c->next_in_table)
        ;
    lock_release(&table_lock);
    return c;
}

void comm_each(void (*look)(struct comm *c))
{
    lock_take(&table_lock);
    for (size_t i = 0; i < buckets; i++)
        for (struct comm *c = bucket[i]; c; c = c->next_in_table)
            if (object_handle(&c->object))
                look(c);
    lock_release(&table_lock);
}

/* Narrow contexts begin with a process number. Those of making/comm_from_group.c have the highest bit set. */
#define CONTEXT_WIDE   ((uint64_t)1 << 62)
#define CONTEXT_NARROW (~(uint64_t)0 >> 2)

static uint64_t comm_mix(uint64_t n)
{
    n = (n ^ n >> 30) * 0xbf58476d1ce4e5b9u;
    n = (n ^ n >> 27) * 0x94d049bb133111ebu;
    return n ^ n >> 31;
}

static pthread_once_t seeded = PTHREAD_ONCE_INIT;
static uint64_t seed;

static void set_seed(void)
{
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) != sizeof seed)
        seed = clock_ns() * 0x9e3779b97f4a7c15u ^ (uint64_t)getpid();
}

static uint64_t comm_widen(uint64_t random)
{
    return (random & CONTEXT_NARROW & ~(uint64_t)1) | CONTEXT_WIDE;
}

uint64_t comm_wide_context(void)
{
    static _Atomic uint64_t count;

    pthread_once(&seeded, set_seed);
    return comm_widen(comm_mix(seed + comm_mix(atomic_fetch_add_explicit(&count, 1, memory_order_relaxed))));
}

uint64_t comm_context_of(uint64_t one, uint64_t other)
{
    return comm_widen(comm_mix(one + comm_mix(other)));
}

uint64_t comm_next_context(uint64_t parent)
{
    static _Atomic uint32_t last;

    if (parent > CONTEXT_NARROW)
        return comm_wide_context();
    return (uint64_t)(group_me + 1) << 32 |
           (uint32_t)(atomic_fetch_add_explicit(&last, 2, memory_order_relaxed) + 2);
}

void comm_set_session(struct comm *c, struct session *session)
{
    if (session)
        session_ref(session);
    if (c->session)
        session_unref(c->session);
    c->session = session;
    hints_set_model(&c->hints, session ? session_kinds(session) : NULL);
}

int comm_setup(struct comm *c, uint64_t context, struct group *group)
{
    group_ref(group);
    c->group = group;
    c->rank = group->rank;
    c->size = group->size;
    c->process = group->process;
    c->errhandler = &errhandler_fatal;
    hints_init(&c->hints, ON_COMM);
    comm_set_session(c, group->session);
    if (context)
        comm_open(c, context);
    return MPI_SUCCESS;
}

/* NULL: *error says why. */
static struct comm *comm_make(uint64_t context, struct group *group, int *error)
{
    struct comm *c = pool_new(&comm_pool);

    *error = c ? comm_setup(c, context, group) : fail(MPI_ERR_NO_MEM, "no memory for a communicator");
    if (!c || !*error)
        return c;
    pool_free(&comm_pool, c);
    return NULL;
}

int comm_new(uint64_t context, struct group *group, struct comm **comm)
{
    int error;
    struct comm *c = comm_make(context, group, &error);

    if (c)
        *comm = c;
    return error;
}

void comm_keep(struct comm *c, int count, const int *process)
{
    group_keep(c->group, count, process);
    c->rank = c->group->rank;
    c->size = count;
}

void comm_keep_both(struct comm *c, int count, const int *process, int remote_count, const int *remote)
{
    bool is_first = comm_is_first(c);
    int both[count + remote_count];

    memcpy(is_first ? both : both + remote_count, process, (size_t)count * sizeof *process);
    memcpy(is_first ? both + count : both, remote, (size_t)remote_count * sizeof *remote);
    comm_keep(c->whole, count + remote_count, both);
    comm_keep(c, count, process);
    group_keep(c->remote, remote_count, remote);
}

/* The processes of one group followed by those of the other. */
static int join_groups(const struct group *first, const struct group *second, struct group **both)
{
    int *process = malloc(((size_t)first->size + (size_t)second->size) * sizeof *process);
    int error;

    if (!process)
        return fail(MPI_ERR_NO_MEM, "no memory for two groups of %d and %d processes", first->size,
                    second->size);
    memcpy(process, first->process, (size_t)first->size * sizeof *process);
    memcpy(process + first->size, second->process, (size_t)second->size * sizeof *process);
    error = group_new_in(first->session, first->size + second->size, process, both);
    free(process);
    return error;
}

static struct comm *make_whole(struct group *first, struct group *second, int *error)
{
    struct group *both = NULL;
    struct comm *whole;

    *error = join_groups(first, second, &both);
    if (!both)
        return NULL;
    whole = comm_make(0, both, error);
    group_unref(both);
    if (whole)
        object_retire(&comm_pool, &whole->object);
    return whole;
}

int comm_new_inter(struct group *group, struct group *remote, bool is_first, struct comm **comm)
{
    int error;
    struct comm *c, *whole = make_whole(is_first ? group : remote, is_first ? remote : group, &error);

    if (!whole)
        return error;
    c = comm_make(0, group, &error);
    if (!c) {
        comm_unref(whole);
        return error;
    }
    group_ref(remote);
    c->remote = remote;
    c->process = remote->process;
    c->whole = whole;
    *comm = c;
    return MPI_SUCCESS;
}

void comm_free_parts(struct comm *c)
{
    if (c->context)
        table_remove(c);
    for (int lane = 0; lane < NET_LANES; lane++) {
        if (c->match[lane])
            atomic_load_explicit(&c->match_free,
                                 memory_order_relaxed)(c->match[lane]); /* the last reference orders it */
        c->match[lane] = NULL;
    }
    free(c->buffer);
    c->buffer = NULL;
    if (c->shm_coll)
        c->shm_coll_free(c->shm_coll);
    c->shm_coll = NULL;
    if (c->host_trees)
        c->host_trees_free(c->host_trees);
    c->host_trees = NULL;
    free(c->hosts);
    c->hosts = NULL;
    if (c->agreements)
        c->agreements_free(c);
    c->agreements = NULL;
    free(c->revoked);
    c->revoked = NULL;
    if (c->done)
        request_done_give(c->done);
    c->done = NULL;
    errhandler_unref(c->errhandler);
    hints_fini(&c->hints);
    if (c->session)
        session_unref(c->session);
    c->session = NULL;
    group_unref(c->group);
    if (c->remote)
        group_unref(c->remote);
    if (c->whole)
        comm_unref(c->whole);
    topology_unref(c->topology);
    if (!c->object.predefined)
        pool_free(&comm_pool, c);
}

int comm_compare(const struct comm *a, const struct comm *b)
{
    int local, remote = MPI_IDENT;

    if (a == b)
        return MPI_IDENT;
    if (comm_is_inter(a) != comm_is_inter(b))
        return MPI_UNEQUAL;
    local = group_compare(a->group, b->group);
    if (comm_is_inter(a))
        remote = group_compare(a->remote, b->remote);
    if (local == MPI_UNEQUAL || remote == MPI_UNEQUAL)
        return MPI_UNEQUAL;
    return local == MPI_IDENT && remote == MPI_IDENT ? MPI_CONGRUENT : MPI_SIMILAR;
}

void comm_rename(struct comm *c, const char *name)
{
    size_t length = strnlen(name, sizeof c->name - 1);

    lock_take(&name_lock);
    memcpy(c->name, name, length);
    c->name[length] = '\0';
    c->hints.name = c->name;
    lock_release(&name_lock);
}

int comm_get_name(struct comm *c, char *name, int *length)
{
    lock_take(&name_lock);
    *length = (int)strlen(c->name);
    memcpy(name, c->name, (size_t)*length + 1);
    lock_release(&name_lock);
    return MPI_SUCCESS;
}

int comm_set_errhandler(struct comm *c, struct errhandler *e)
{
    int error = errhandler_attach(&c->errhandler, OBJECT_COMM, e);

    if (!error)
        atomic_store_explicit(&c->has_own_errhandler, true, memory_order_relaxed);
    return error;
}

int comm_get_errhandler(struct comm *c, struct errhandler **e)
{
    errhandler_hand_out(&c->errhandler, e);
    return MPI_SUCCESS;
}

int comm_get_group(struct comm *c, struct group **group)
{
    group_hand_out(c->group);
    *group = c->group;
    return MPI_SUCCESS;
}

int comm_get_remote_group(struct comm *c, struct group **group)
{
    if (!comm_is_inter(c))
        return fail(MPI_ERR_COMM, "an intracommunicator has no remote group");
    group_hand_out(c->remote);
    *group = c->remote;
    return MPI_SUCCESS;
}

int comm_get_size(const struct comm *comm, int *size)
{
    *size = comm->size;
    return MPI_SUCCESS;
}

int comm_get_rank(const struct comm *comm, int *rank)
{
    *rank = comm->rank;
    return MPI_SUCCESS;
}

int comm_test_inter(const struct comm *comm, int *flag)
{
    *flag = comm_is_inter(comm);
    return MPI_SUCCESS;
}

int comm_get_remote_size(const struct comm *comm, int *size)
{
    if (!comm_is_inter(comm))
        return fail(MPI_ERR_COMM, "an intracommunicator has no remote group");
    *size = comm->remote->size;
    return MPI_SUCCESS;
}

int comm_get_comparison(const struct comm *a, const struct comm *b, int *result)
{
    *result = comm_compare(a, b);
    return MPI_SUCCESS;
}

int comm_get_name_of_handle(MPI_Comm comm, char *name, int *length)
{
    static const char null_name[] = "MPI_COMM_NULL";
    struct comm *c = comm_find(comm);

    if (c)
        return comm_get_name(c, name, length);
    if (comm != MPI_COMM_NULL)
        return fail(MPI_ERR_COMM, "comm is no communicator, or one that has been freed");
    memcpy(name, null_name, sizeof null_name);
    *length = (int)sizeof null_name - 1;
    return MPI_SUCCESS;
}

/* Attributes of communicators: the predefined ones, and the program's own in object/attribute.h. */

/* The values of the predefined attributes. The program gets their addresses, so they stay valid and unchanged
 * (except error_last_used). */
static int tag_ub = INT_MAX;
static int host = MPI_PROC_NULL;
static int io = MPI_ANY_SOURCE; /* every process can do the input and output of its language */
static int yes = 1, no = 0;

/* The predefined attribute of this key on this communicator; NULL: it has none. */
static int *predefined_value(const struct comm *c, int keyval)
{
    if (keyval == MPI_TAG_UB)
        return &tag_ub;
    if (c != &comm_world)
        return NULL;
    switch (keyval) {
    case MPI_HOST:
        return &host;
    case MPI_IO:
        return &io;
    case MPI_WTIME_IS_GLOBAL:
        return boot.all_local ? &yes : &no; /* the processes of a host share its clock */
    case MPI_APPNUM:
        return boot.appnum < 0 ? NULL : &boot.appnum;
    case MPI_UNIVERSE_SIZE:
        return boot.universe_size < 0 ? NULL : &boot.universe_size;
    case MPI_LASTUSEDCODE:
        return &error_last_used;
    case MPIX_FT:
        return net_survives() ? &yes : &no;
    default:
        return NULL;
    }
}

int comm_get_attribute(struct comm *c, int keyval, void **value, int *found)
{
    int *predefined;

    if ((keyval < MPI_TAG_UB || keyval > MPI_UNIVERSE_SIZE) && keyval != MPIX_FT)
        return attribute_get_value(&c->attributes, OBJECT_COMM, keyval, value, found);
    predefined = predefined_value(c, keyval);
    *found = predefined != NULL;
    if (predefined)
        *value = predefined;
    return MPI_SUCCESS;
}

int comm_set_attribute(struct comm *c, int keyval, void *value)
{
    return attribute_set_value(&c->attributes, OBJECT_COMM, comm_handle(c), keyval, value);
}

int comm_delete_attribute(struct comm *c, int keyval)
{
    return attribute_delete(&c->attributes, OBJECT_COMM, comm_handle(c), keyval);
}
