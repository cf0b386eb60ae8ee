/* rails: rank 0 sends messages to rank 1, which looks at every word. Large ones, or of RAILS_WORDS words and as many bytes in all. */
#include "check.h"

#include <stdint.h>

enum {
    WORDS = 4 << 20,
    MESSAGES = 8
};

int main(int argc, char **argv)
{
    const char *given = getenv("RAILS_WORDS");
    uint32_t words = given ? (uint32_t)atoi(given) : WORDS, messages = MESSAGES * (WORDS / words);
    uint32_t *word = malloc(words * sizeof *word);
    int rank;

    CHECK(word != NULL);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    for (uint32_t n = 0; n < messages; n++) {
        for (uint32_t i = 0; i < words; i++)
            word[i] = rank == 0 ? i * 7 + n : 0;
        if (rank == 0)
            CHECK_EQ(MPI_Send(word, (int)words, MPI_UINT32_T, 1, 0, MPI_COMM_WORLD), MPI_SUCCESS);
        else if (rank == 1)
            CHECK_EQ(MPI_Recv(word, (int)words, MPI_UINT32_T, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                     MPI_SUCCESS);
        for (uint32_t i = 0; i < words && rank < 2; i++)
            CHECK_EQ(word[i], i * 7 + n);
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    free(word);
    return 0;
}
