/* ranks: 2 */
#include "program.h"

int main(void)
{
    MPI_Info info;

    MPI_Info_create(&info); /* infos live at any time */
    begin();
    MPI_Finalize();
    MPI_Info_free(&info);
    return 0;
}
