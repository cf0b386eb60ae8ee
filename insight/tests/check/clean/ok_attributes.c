/* ranks: 2 */
#include "program.h"

int main(void)
{
    int key, flag, *value, x = 3;

    begin();
    MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, &x);
    MPI_Comm_get_attr(MPI_COMM_SELF, key, &value, &flag);
    MPI_Comm_delete_attr(MPI_COMM_SELF, key);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &flag);
    MPI_Finalize();
    return 0;
}
