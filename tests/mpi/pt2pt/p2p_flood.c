/* ranks: 2 4 timeout: 120 also: INKLING_RING_SIZE=4096 */
/* Everybody sends 100,000 small messages to everybody before it receives one: the rings overflow in all
 * directions at once. No deadlock, no loss, no reordering. */
#include "p2p.h"

enum {
    TOTAL = 100000
};

/* Every fifth message does not fit into a cell. */
static int length_of(int i)
{
    return i % 5 ? 1 : 30;
}

static void blocking(int count)
{
    int message[30] = {0}, got[30];

    for (int i = 0; i < count; i++)
        for (int other = 0; other < size; other++)
            if (other != rank) {
                message[0] = i;
                CHECK_EQ(MPI_Send(message, length_of(i), MPI_INT, other, 1, MPI_COMM_WORLD), MPI_SUCCESS);
            }
    for (int other = 0; other < size; other++)
        for (int i = 0; other != rank && i < count; i++) {
            MPI_Status status;

            CHECK_EQ(MPI_Recv(got, 30, MPI_INT, other, 1, MPI_COMM_WORLD, &status), MPI_SUCCESS);
            CHECK_EQ(got[0], i);
            CHECK_STATUS(&status, other, 1, 4 * length_of(i));
        }
}

/* Nonblocking: nobody polls while it sends. */
static void nonblocking(int count)
{
    int *words = malloc((size_t)count * sizeof *words), got, to = (rank + 1) % size,
        from = (rank + size - 1) % size;
    MPI_Request *requests = malloc((size_t)count * sizeof(MPI_Request));

    for (int i = 0; i < count; i++) {
        words[i] = i;
        CHECK_EQ(MPI_Isend(&words[i], 1, MPI_INT, to, 2, MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    }
    for (int i = 0; i < count; i++) {
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
        CHECK_EQ(got, i);
    }
    CHECK_EQ(MPI_Waitall(count, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    free(words);
    free(requests);
}

/* Many to one, which is slow. */
static void many_to_one(int count)
{
    long long sum = 0;
    int word;

    for (int i = 0; rank && i < count; i++)
        CHECK_EQ(MPI_Send(&i, 1, MPI_INT, 0, 3, MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; !rank && i < count * (size - 1); i++) {
        CHECK_EQ(MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                 MPI_SUCCESS);
        sum += word;
    }
    if (!rank)
        CHECK_EQ(sum, (long long)(size - 1) * count * (count - 1) / 2);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    blocking(TOTAL / (size - 1));
    nonblocking(TOTAL);
    many_to_one(TOTAL / (size - 1));
    MPI_Finalize();
    return 0;
}
