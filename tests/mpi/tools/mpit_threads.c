/* ranks: 2  timeout: 60 */
/* Threads use the tool interface at once, each with sessions, handles and registrations of its own, while others send messages, open
 * and close the interface, or initialize MPI. */
#include "mpit.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum {
    ROUNDS = 150,
    MESSAGES = 4, /* a round */
    COMMS = 3     /* one for each thread that sends to the other rank */
};

static _Atomic int told, writes; /* relaxed: they order nothing */

/* Messages of this thread alone, on a communicator of its own: how many it sent is what a handle bound to it counts. */
static void exchange(MPI_Comm comm)
{
    int value = 0, rank;

    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < MESSAGES; i++)
        CHECK_EQ(MPI_Sendrecv(&i, 1, MPI_INT, 1 - rank, 0, &value, 1, MPI_INT, 1 - rank, 0, comm,
                              MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
}

static void *count_messages(void *argument)
{
    MPI_Comm comm = *(MPI_Comm *)argument;

    for (int i = 0; i < ROUNDS; i++) {
        MPI_T_pvar_session session;
        MPI_T_pvar_handle eager, high, wait;
        unsigned long long value = 0;
        double seconds = 0;

        CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
        eager = mpit_start(session, "inkling_comm_eager_messages", MPI_T_PVAR_CLASS_COUNTER, comm);
        high = mpit_start(session, "inkling_unexpected_queue", MPI_T_PVAR_CLASS_HIGHWATERMARK, MPI_COMM_NULL);
        wait = mpit_start(session, "inkling_wait_time", MPI_T_PVAR_CLASS_TIMER, MPI_COMM_NULL);
        exchange(comm);
        CHECK_EQ(mpit_read(session, eager), MESSAGES);
        CHECK_EQ(MPI_T_pvar_readreset(session, eager, &value), MPI_SUCCESS);
        CHECK_EQ(value, MESSAGES);
        CHECK_EQ(MPI_T_pvar_stop(session, eager), MPI_SUCCESS);
        exchange(comm);
        CHECK_EQ(mpit_read(session, eager), 0);
        mpit_read(session, high);
        CHECK_EQ(MPI_T_pvar_read(session, wait, &seconds), MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_handle_free(session, &high), MPI_SUCCESS);
        CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS); /* the other handles, too */
    }
    return NULL;
}

static void hear(MPI_T_event_instance e, MPI_T_event_registration r, MPI_T_cb_safety safety, void *data)
{
    (void)e, (void)r, (void)safety, (void)data;
    atomic_fetch_add_explicit(&told, 1, memory_order_relaxed);
}

static void *register_callbacks(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_T_event_registration r = NULL;
        int index = -1;

        CHECK_EQ(MPI_T_event_get_index("inkling_message_unexpected", &index), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_handle_alloc(index, &(MPI_Comm){MPI_COMM_SELF}, MPI_INFO_NULL, &r), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_register_callback(r, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, NULL, hear),
                 MPI_SUCCESS);
        CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_SUCCESS);
        CHECK_EQ(MPI_Recv(&i, 1, MPI_INT, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(MPI_T_event_handle_free(r, NULL, NULL), MPI_SUCCESS);
    }
    return NULL;
}

static MPI_T_cvar_handle open_setting(const char *name)
{
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    int index = -1, count = 0;

    CHECK_EQ(MPI_T_cvar_get_index(name, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_handle_alloc(index, NULL, &handle, &count), MPI_SUCCESS);
    return handle;
}

/* Others write 1 and 2 ms: no other value may be seen. */
static void *write_settings(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_T_cvar_handle spin = open_setting("inkling_spin_time"), fixed = open_setting("inkling_cma");
        int64_t value = (1 + i % 2) * 1000000ll;
        int is_on = -1;

        CHECK_EQ(MPI_T_cvar_write(spin, &value), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_read(spin, &value), MPI_SUCCESS);
        CHECK(value == 1000000 || value == 2000000);
        CHECK_EQ(MPI_T_cvar_read(fixed, &is_on), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_write(fixed, &is_on), MPI_T_ERR_CVAR_SET_NEVER);
        CHECK_EQ(MPI_T_cvar_handle_free(&spin), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_handle_free(&fixed), MPI_SUCCESS);
    }
    return NULL;
}

static void *open_and_close(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        mpit_open();
        CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    }
    return NULL;
}

/* The spin time is looked at in waits. */
static void *wait_for_messages(void *argument)
{
    for (int i = 0; i < ROUNDS; i++)
        exchange(*(MPI_Comm *)argument);
    return NULL;
}

/* Settings that a communicator takes from the process are looked at by each send. */
static void *write_limit(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_T_cvar_handle handle = open_setting("inkling_eager_limit");
        int64_t value = (4 + i % 2) * 1024ll;

        CHECK_EQ(MPI_T_cvar_write(handle, &value), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_read(handle, &value), MPI_SUCCESS);
        CHECK_EQ(value, (4 + i % 2) * 1024ll);
        CHECK_EQ(MPI_T_cvar_handle_free(&handle), MPI_SUCCESS);
    }
    return NULL;
}

static void run_together(MPI_Comm comm[COMMS])
{
    static void *(*const work[])(void *) = {
        count_messages, count_messages, wait_for_messages, register_callbacks, register_callbacks,
        write_settings, write_settings, write_limit,       open_and_close,
    };
    enum {
        THREADS = sizeof work / sizeof *work
    };
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_create(&thread[i], NULL, work[i], &comm[i % COMMS]), 0);
    for (int i = 0; i < THREADS; i++)
        CHECK_EQ(pthread_join(thread[i], NULL), 0);
}

/* Settings of the start may be written until another thread initializes MPI. */
static void *write_until_started(void *unused)
{
    char text[MPI_MAX_INFO_VAL];
    int code = MPI_SUCCESS, is_on = 1;

    (void)unused;
    while (!code) {
        MPI_T_cvar_handle name = open_setting("inkling_name_directory"), cma = open_setting("inkling_cma");

        code = MPI_T_cvar_write(name, "/tmp/names");
        CHECK(code == MPI_SUCCESS || code == MPI_T_ERR_CVAR_SET_NEVER);
        CHECK_EQ(MPI_T_cvar_read(name, text), MPI_SUCCESS);
        CHECK_STR(text, "/tmp/names");
        CHECK(MPI_T_cvar_write(cma, &is_on) != MPI_T_ERR_INVALID);
        CHECK_EQ(MPI_T_cvar_handle_free(&name), MPI_SUCCESS);
        CHECK_EQ(MPI_T_cvar_handle_free(&cma), MPI_SUCCESS);
        atomic_fetch_add_explicit(&writes, 1, memory_order_relaxed);
    }
    return NULL;
}

static void start_beside_tools(int *argc, char ***argv)
{
    pthread_t writer, opener;
    int provided;

    CHECK_EQ(pthread_create(&writer, NULL, write_until_started, NULL), 0);
    CHECK_EQ(pthread_create(&opener, NULL, open_and_close, NULL), 0);
    while (atomic_load_explicit(&writes, memory_order_relaxed) < 2)
        ;
    MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
    CHECK_EQ(pthread_join(writer, NULL), 0);
    CHECK_EQ(pthread_join(opener, NULL), 0);
}

int main(int argc, char **argv)
{
    MPI_Comm comm[COMMS];

    mpit_open();
    start_beside_tools(&argc, &argv);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comm[i]);
    run_together(comm);
    CHECK(atomic_load_explicit(&told, memory_order_relaxed) > 0);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comm[i]);
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
