/* Events of MPI_T. */
#include "foreign/foreign.h"

#include "entry.h"

#include <stdlib.h>

/* Of a function of the program: the user data that Inkling hands on. Never freed, since an event may come at any time. */
struct receiver {
    F_T_event_cb_function *event;
    F_T_event_free_cb_function *freed;
    void *user_data;
};

static struct receiver *receiver_new(const struct receiver *from)
{
    struct receiver *receiver = malloc(sizeof *receiver);

    if (!receiver)
        foreign_fail("no memory for a function of MPI_T");
    *receiver = *from;
    return receiver;
}

static MPI_T_cb_safety safety_out(MPI_T_cb_safety safety)
{
    return (MPI_T_cb_safety)safety_constant_out((int)safety);
}

static void on_event(MPI_T_event_instance instance, MPI_T_event_registration registration,
                     MPI_T_cb_safety safety, void *data)
{
    struct receiver *receiver = data;

    receiver->event(instance, registration, safety_out(safety), receiver->user_data);
}

static void on_freed(MPI_T_event_registration registration, MPI_T_cb_safety safety, void *data)
{
    struct receiver *receiver = data;

    receiver->freed(registration, safety_out(safety), receiver->user_data);
    free(receiver);
}

int foreign_T_event_register_callback(MPI_T_event_registration event_registration, MPI_T_cb_safety cb_safety,
                                      F_Info info, void *user_data, F_T_event_cb_function *event_cb_function)
{
    struct receiver *receiver =
        receiver_new(&(struct receiver){.event = event_cb_function, .user_data = user_data});

    return error_out(real.T_event_register_callback(
        event_registration, (MPI_T_cb_safety)safety_constant_in((int)cb_safety), info_in(info), receiver,
        event_cb_function ? on_event : NULL));
}

int foreign_T_event_set_dropped_handler(MPI_T_event_registration event_registration,
                                        F_T_event_dropped_cb_function *function)
{
    (void)event_registration;
    (void)function;
    return unsupported("MPI_T_event_set_dropped_handler");
}

int foreign_T_event_handle_free(MPI_T_event_registration event_registration, void *user_data,
                                F_T_event_free_cb_function *function)
{
    struct receiver *receiver;

    if (!function)
        return error_out(real.T_event_handle_free(event_registration, NULL, NULL));
    receiver = receiver_new(&(struct receiver){.freed = function, .user_data = user_data});
    return error_out(real.T_event_handle_free(event_registration, receiver, on_freed));
}

int foreign_T_event_get_info(int event_index, char *name, int *name_len, int *verbosity,
                             F_Datatype array_of_datatypes[], MPI_Aint array_of_displacements[],
                             int *num_elements, MPI_T_enum *enumtype, F_Info *info, char *desc, int *desc_len,
                             int *bind)
{
    int count = num_elements && array_of_datatypes ? *num_elements : 0, verbosity_ = INT32_MIN,
        bind_ = INT32_MIN, error;
    MPI_Info made = NULL;
    struct scratch scratch;
    MPI_Datatype *room =
        array_of_datatypes ? scratch_take(&scratch, (size_t)(count > 0 ? count : 0) * sizeof *room) : NULL;

    for (int i = 0; i < count; i++)
        room[i] = NULL;
    error = real.T_event_get_info(event_index, name, name_len, verbosity ? &verbosity_ : NULL, room,
                                  array_of_displacements, num_elements, enumtype, info ? &made : NULL, desc,
                                  desc_len, bind ? &bind_ : NULL);
    if (room) {
        types_out(room, array_of_datatypes, error ? 0 : count);
        scratch_free(&scratch);
    }
    if (made)
        *info = info_out(made);
    if (verbosity && verbosity_ != INT32_MIN)
        *verbosity = verbosity_constant_out(verbosity_);
    if (bind && bind_ != INT32_MIN)
        *bind = bind_constant_out(bind_);
    return error_out(error);
}
