/* rails: rank 0 sends large messages to rank 1, which looks at every word. */
#include "check.h"

#include <stdint.h>

enum {
    WORDS = 4 << 20,
    MESSAGES = 8
};

int main(int argc, char **argv)
{
    uint32_t *word = malloc(WORDS * sizeof *word);
    int rank;

    CHECK(word != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    for (uint32_t n = 0; n < MESSAGES; n++) {
        for (uint32_t i = 0; i < WORDS; i++)
            word[i] = rank == 0 ? i * 7 + n : 0;
        if (rank == 0)
            CHECK_EQ(MPI_Send(word, WORDS, MPI_UINT32_T, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        else if (rank == 1)
            CHECK_EQ(MPI_Recv(word, WORDS, MPI_UINT32_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
        for (uint32_t i = 0; i < WORDS && rank < 2; i++)
            CHECK_EQ(word[i], i * 7 + n);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    free(word);
    return 0;
}
