/* ranks: 1 2 */
/* MPI_T is initialized as often as it is finalized, before MPI_Init, meanwhile and after MPI_Finalize. */
#include "mpit.h"

int main(int argc, char **argv)
{
    int count = -1, provided = -1, initialized = 1;

    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(MPI_T_finalize(), MPI_T_ERR_NOT_INITIALIZED);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE + 100, &provided), MPI_T_ERR_INVALID);
    mpit_open();
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK(provided >= MPI_THREAD_SINGLE);
    MPI_Initialized(&initialized);
    CHECK_EQ(initialized, 0);
    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    CHECK(count > 20);
    CHECK_EQ(MPI_T_cvar_get_num(NULL), MPI_T_ERR_INVALID);
    MPI_Init(&argc, &argv);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_T_cvar_get_num(&count), MPI_SUCCESS);
    MPI_Finalize();
    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
    CHECK(count > 20);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_T_ERR_NOT_INITIALIZED);
    mpit_open();
    CHECK_EQ(MPI_T_pvar_get_num(&count), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    return 0;
}
