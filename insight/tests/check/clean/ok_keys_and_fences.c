/* ranks: 2 */
#include "program.h"

/* Keys that are made again, and fences under locks, are in order. */
int main(void)
{
    int key, type_key, value = 1, *base;
    MPI_Comm comm;
    MPI_Win win;

    begin();
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    for (int i = 0; i < 3; i++) {
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, NULL);
        MPI_Comm_set_attr(comm, key, &value);
        MPI_Comm_delete_attr(comm, key);
        MPI_Comm_free_keyval(&key);
        MPI_Type_free_keyval(&type_key);
    }
    MPI_Win_allocate(64, 4, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_lock_all(0, win);
    MPI_Win_sync(win);
    MPI_Win_unlock_all(win);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank, 0, win);
    MPI_Win_sync(win);
    MPI_Win_unlock(rank, win);
    MPI_Win_free(&win);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
