/* watching [batches]: what a tool costs a message of 8 bytes, half a round trip in microseconds, in turns.
 *
 * watch_none: MPI_T is not open. watch_held: it has a handle of each performance variable, those of communicators for
 * MPI_COMM_WORLD, and none is started. watch_started: all are started, and not read. watch_heard: nothing is started, and a
 * callback is registered for each type of event. watch_after: all is closed again. The median over batches of 100 round trips. */
#include "measure.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIPS = 100,
    WARM = 5,
    MOST = 256, /* handles */
    STATES = 5
};

static const char *const names[STATES] = {"none", "held", "started", "heard", "after"};
static MPI_T_pvar_session session;
static MPI_T_pvar_handle handle[MOST];
static MPI_T_event_registration registration[MOST];
static int handles, registrations, rank;
static volatile long heard;

static void on_event(MPI_T_event_instance event, MPI_T_event_registration from, MPI_T_cb_safety safety,
                     void *data)
{
    heard++;
}

static void *object_of(int bind)
{
    static MPI_Comm world;

    world = MPI_COMM_WORLD;
    return bind == MPI_T_BIND_MPI_COMM ? &world : NULL;
}

static void hold_variables(void)
{
    int count, bind, values, provided;

    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    MPI_T_pvar_session_create(&session);
    MPI_T_pvar_get_num(&count);
    for (int i = 0; i < count && handles < MOST; i++) {
        MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL);
        if (MPI_T_pvar_handle_alloc(session, i, object_of(bind), &handle[handles], &values) == MPI_SUCCESS)
            handles++;
    }
    if (!handles)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void drop_variables(void)
{
    MPI_T_pvar_stop(session, MPI_T_PVAR_ALL_HANDLES);
    MPI_T_pvar_session_free(&session);
    handles = 0;
}

static void hear_events(void)
{
    int count, bind;

    MPI_T_event_get_num(&count);
    for (int i = 0; i < count && registrations < MOST; i++) {
        MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind);
        if (MPI_T_event_handle_alloc(i, object_of(bind), MPI_INFO_NULL, &registration[registrations]) !=
            MPI_SUCCESS)
            continue;
        MPI_T_event_register_callback(registration[registrations++], MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL,
                                      NULL, on_event);
    }
    if (!registrations)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

static void close_all(void)
{
    for (; registrations > 0; registrations--)
        MPI_T_event_handle_free(registration[registrations - 1], NULL, NULL);
    MPI_T_finalize();
}

static void enter(int state)
{
    if (state == 1)
        hold_variables();
    if (state == 2)
        MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES);
    if (state == 3) {
        drop_variables();
        hear_events();
    }
    if (state == 4)
        close_all();
}

static double batch(void)
{
    char out[8] = {0}, in[8];
    double start = MPI_Wtime();

    for (int i = 0; i < TRIPS; i++) {
        if (rank == 0)
            MPI_Send(out, sizeof out, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
        MPI_Recv(in, sizeof in, MPI_CHAR, !rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 1)
            MPI_Send(out, sizeof out, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
    }
    return (MPI_Wtime() - start) / (2 * TRIPS) * 1e6;
}

static double median_of(double *each, int batches)
{
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = -WARM; i < batches; i++)
        each[i < 0 ? 0 : i] = batch();
    return measure_median(each, batches);
}

int main(int argc, char **argv)
{
    enum {
        TURNS = 15
    };
    int batches = (int)measure_argument(argc, argv, 1, 200);
    double *each = malloc((size_t)batches * sizeof *each), median[STATES][TURNS];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    measure_cpus();
    for (int turn = 0; each && turn < TURNS; turn++) {
        for (int state = 0; state < STATES; state++) {
            enter(state);
            median[state][turn] = median_of(each, batches);
        }
    }
    for (int state = 0; state < STATES && rank == 0 && each; state++)
        printf("watch_%s %.4f\n", names[state], measure_median(median[state], TURNS));
    MPI_Finalize();
    free(each);
    return 0;
}
