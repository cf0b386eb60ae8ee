/* ranks: 1  fault: tolerance  says: the key has been freed */
#include "program.h"

int main(void)
{
    int key, copy, value = 1;
    MPI_Comm comm;

    begin();
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
    copy = key;
    MPI_Comm_set_attr(comm, key, &value);
    MPI_Comm_free_keyval(&key);
    MPI_Comm_set_attr(comm, copy, &value); /* FAULT */
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
