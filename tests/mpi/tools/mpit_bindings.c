/* ranks: 1 */
/* Where MPI_T takes the address of a communicator's handle, the handle itself and other numbers are an error. */
#include "mpit.h"

#include <stdint.h>

static MPI_Comm made;
static MPI_T_pvar_session session;

/* No address of a handle. */
static const void *wrong(int i)
{
    const void *list[] = {NULL, MPI_COMM_WORLD, MPI_COMM_SELF, MPI_COMM_NULL, made, (void *)(uintptr_t)4095};

    return i < (int)(sizeof list / sizeof *list) ? list[i] : NULL;
}

enum {
    WRONG = 6
};

static int variables_of_control(void)
{
    MPI_T_cvar_handle handle;
    int count, bound = 0;

    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        int bind;

        CHECK_EQ(MPI_T_cvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL), MPI_SUCCESS);
        bound += bind == MPI_T_BIND_MPI_COMM;
        for (int k = 0; bind == MPI_T_BIND_MPI_COMM && k < WRONG; k++)
            CHECK_EQ(MPI_T_cvar_handle_alloc(i, (void *)(uintptr_t)wrong(k), &handle, NULL),
                     MPI_T_ERR_INVALID_HANDLE);
    }
    return bound;
}

static int variables_of_performance(void)
{
    MPI_T_pvar_handle handle;
    int count, bound = 0;

    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        int bind;

        CHECK_EQ(
            MPI_T_pvar_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind, NULL, NULL, NULL),
            MPI_SUCCESS);
        bound += bind == MPI_T_BIND_MPI_COMM;
        for (int k = 0; bind == MPI_T_BIND_MPI_COMM && k < WRONG; k++)
            CHECK_EQ(MPI_T_pvar_handle_alloc(session, i, (void *)(uintptr_t)wrong(k), &handle, NULL),
                     MPI_T_ERR_INVALID_HANDLE);
    }
    return bound;
}

static int types_of_events(void)
{
    MPI_T_event_registration registration;
    int count, bound = 0;

    CHECK_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
    for (int i = 0; i < count; i++) {
        int bind;

        CHECK_EQ(MPI_T_event_get_info(i, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &bind),
                 MPI_SUCCESS);
        bound += bind == MPI_T_BIND_MPI_COMM;
        for (int k = 0; bind == MPI_T_BIND_MPI_COMM && k < WRONG; k++)
            CHECK_EQ(MPI_T_event_handle_alloc(i, (void *)(uintptr_t)wrong(k), MPI_INFO_NULL, &registration),
                     MPI_T_ERR_INVALID_HANDLE);
    }
    return bound;
}

int main(int argc, char **argv)
{
    mpit_open();
    MPI_Init(&argc, &argv);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    CHECK(variables_of_control() > 0);
    CHECK(variables_of_performance() > 0);
    CHECK(types_of_events() > 0);
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    MPI_Finalize();
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
