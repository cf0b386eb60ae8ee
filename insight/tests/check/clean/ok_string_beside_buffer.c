/* ranks: 2 */
#include "program.h"

int main(void)
{
    struct {
        char buffer[16], text[24];
    } both = {"", "some text that ends"};
    MPI_Request request;
    size_t sum = 0;

    begin();
    MPI_Irecv(both.buffer, 16, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 20; i++)
        sum += strlen(both.text + i) + (strchr(both.text + i, 'x') != NULL) +
               (size_t)abs(strcmp(both.text + i, "t"));
    MPI_Send("0123456789abcde", 16, MPI_CHAR, 1 - rank, 0, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (sum == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    MPI_Finalize();
    return 0;
}
