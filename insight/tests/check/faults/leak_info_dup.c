/* ranks: 2  fault: leak */
#include "program.h"

int main(void)
{
    MPI_Info info = info_with("a", "b"), copy;

    begin();
    MPI_Info_dup(info, &copy); /* FAULT */
    MPI_Info_free(&info);
    MPI_Finalize();
    return 0;
}
