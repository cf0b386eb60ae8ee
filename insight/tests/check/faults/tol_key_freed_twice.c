/* ranks: 1  fault: tolerance  says: the key has been freed */
#include "program.h"

int main(void)
{
    int key, copy, value = 1;
    MPI_Datatype type;

    begin();
    MPI_Type_dup(MPI_INT, &type);
    MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &key, NULL);
    copy = key;
    MPI_Type_set_attr(type, key, &value);
    MPI_Type_free_keyval(&key);
    MPI_Type_free_keyval(&copy); /* FAULT */
    MPI_Type_free(&type);
    MPI_Finalize();
    return 0;
}
