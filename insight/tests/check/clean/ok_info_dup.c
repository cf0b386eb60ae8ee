/* ranks: 1 */
#include "program.h"

int main(void)
{
    MPI_Info a, b, c;

    begin();
    MPI_Info_create(&a);
    MPI_Info_set(a, "k", "v");
    MPI_Info_dup(a, &b);
    MPI_Comm_get_info(MPI_COMM_WORLD, &c);
    MPI_Info_free(&a);
    MPI_Info_free(&b);
    MPI_Info_free(&c);
    MPI_Finalize();
    return 0;
}
