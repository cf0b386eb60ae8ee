/* ranks: 2 timeout: 60 */
/* Blocking receives whose message comes while they look for it, before they are posted: they get what any receive
 * gets. Rank 1 says that it is about to receive, and rank 0 answers at once, in each way that matters to matching. */
#include "p2p.h"

enum {
    ROUNDS = 1600,
    WORDS = 16, /* messages of 1 to so many: also as long as what a rendezvous begins with */
    TAG = 1,
    OTHER_TAG = 2,
    GO_TAG = 3
};

enum answer {
    SAME_LENGTH,
    SHORTER,
    LONGER,
    SYNCHRONOUS,
    /* After another message that the receive must leave alone: */
    POSTED_BEFORE, /* an earlier receive waits for it */
    TAG_BEFORE,    /* it has another tag */
    COMM_BEFORE,   /* it is in another communicator */
    /* The other way round: */
    SHORTER_BEFORE, /* the receive gets the first, and a later one the second, which is as long as the receive */
    ANSWERS
};

static MPI_Comm other;

/* The words of a message: `value` times `count`. */
static void send_words(int value, int count, int tag, MPI_Comm comm)
{
    int word[WORDS + 1];

    for (int i = 0; i < count; i++)
        word[i] = value;
    CHECK_EQ(MPI_Send(word, count, MPI_INT, 1, tag, comm), MPI_SUCCESS);
}

static void answer(enum answer a, int value, int count)
{
    CHECK_EQ(MPI_Recv(NULL, 0, MPI_INT, 1, GO_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    if (a == SHORTER_BEFORE)
        send_words(value, count - 1, TAG, MPI_COMM_WORLD);
    if (a >= POSTED_BEFORE)
        send_words(-value, count, a == TAG_BEFORE ? OTHER_TAG : TAG,
                   a == COMM_BEFORE ? other : MPI_COMM_WORLD);
    if (a == SYNCHRONOUS) {
        int word[WORDS];

        for (int i = 0; i < count; i++)
            word[i] = value;
        CHECK_EQ(MPI_Ssend(word, count, MPI_INT, 1, TAG, MPI_COMM_WORLD), MPI_SUCCESS);
    } else if (a != SHORTER_BEFORE) {
        send_words(value, a == SHORTER ? count - 1 : a == LONGER ? count + 1 : count, TAG, MPI_COMM_WORLD);
    }
}

static void receive_words(int value, int room, int count, int tag, MPI_Comm comm)
{
    int word[WORDS] = {0}, got;
    MPI_Status status;

    CHECK_EQ(MPI_Recv(word, room, MPI_INT, 0, tag, comm, &status), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_count(&status, MPI_INT, &got), MPI_SUCCESS);
    CHECK_EQ(got, count);
    CHECK_EQ(status.MPI_SOURCE, 0);
    CHECK_EQ(status.MPI_TAG, tag);
    for (int i = 0; i < WORDS; i++)
        CHECK_EQ(word[i], i < count ? value : 0);
}

static void receive(enum answer a, int value, int count)
{
    int before[WORDS] = {0}, expected = a == SHORTER || a == SHORTER_BEFORE ? count - 1 : count;
    MPI_Request posted = MPI_REQUEST_NULL;

    if (a == POSTED_BEFORE)
        CHECK_EQ(MPI_Irecv(before, count, MPI_INT, 0, TAG, MPI_COMM_WORLD, &posted), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(NULL, 0, MPI_INT, 0, GO_TAG, MPI_COMM_WORLD), MPI_SUCCESS);
    if (a == LONGER)
        CHECK_CODE(MPI_Recv(before, count, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE),
                   MPI_ERR_TRUNCATE, "arrived from rank 0");
    else
        receive_words(value, count, expected, TAG, MPI_COMM_WORLD);
    CHECK_EQ(MPI_Wait(&posted, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(before[0], a == POSTED_BEFORE ? -value : a == LONGER ? value : 0);
    if (a > POSTED_BEFORE)
        receive_words(-value, count, count, a == TAG_BEFORE ? OTHER_TAG : TAG,
                      a == COMM_BEFORE ? other : MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int me;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN), MPI_SUCCESS);
    for (int i = 0; i < ROUNDS; i++)
        for (enum answer a = 0; a < ANSWERS; a++)
            if (me == 0)
                answer(a, i * ANSWERS + (int)a + 1, 1 + i % WORDS);
            else
                receive(a, i * ANSWERS + (int)a + 1, 1 + i % WORDS);
    MPI_Comm_free(&other);
    MPI_Finalize();
    return 0;
}
