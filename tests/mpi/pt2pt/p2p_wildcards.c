/* ranks: 1 2 4 also: INKLING_CMA=false,INKLING_STAGING_SIZE=64K */
/* MPI_ANY_SOURCE, MPI_ANY_TAG, both, tags up to MPI_TAG_UB; statuses tell what came. A receive takes only
 * what it asked for, and communicators do not mix. */
#include "p2p.h"

static int largest_tag(void)
{
    int *value, found;

    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &value, &found), MPI_SUCCESS);
    CHECK(found);
    CHECK(*value >= 32767);
    return *value;
}

static void extreme_tags(void)
{
    int tags[] = {0, 1, 32767, largest_tag() - 1, largest_tag()}, got = 0, to = (rank + 1) % size;
    MPI_Request requests[5];
    MPI_Status status;

    for (int i = 0; i < 5; i++)
        CHECK_EQ(MPI_Isend(&tags[i], 1, MPI_INT, to, tags[i], MPI_COMM_WORLD, &requests[i]), MPI_SUCCESS);
    for (int i = 4; i >= 0; i--) {
        CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tags[i], MPI_COMM_WORLD, &status), MPI_SUCCESS);
        CHECK_EQ(got, tags[i]);
        CHECK_STATUS(&status, (rank + size - 1) % size, tags[i], 4);
    }
    CHECK_EQ(MPI_Waitall(5, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
}

/* Everybody, itself included, sends to rank 0, which takes from anybody. */
static void from_anybody(int bytes)
{
    unsigned char *buffer = malloc((size_t)bytes + 1);
    int *seen = calloc((size_t)size, sizeof *seen);
    MPI_Request request;
    MPI_Status status;

    fill(buffer, (size_t)bytes, (unsigned)rank);
    CHECK_EQ(MPI_Isend(buffer, bytes, MPI_BYTE, 0, 100 + rank, MPI_COMM_WORLD, &request), MPI_SUCCESS);
    for (int i = 0; rank == 0 && i < size; i++) {
        unsigned char *in = malloc((size_t)bytes + 1);

        CHECK_EQ(MPI_Recv(in, bytes, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status), 0);
        CHECK(status.MPI_SOURCE >= 0 && status.MPI_SOURCE < size);
        CHECK_STATUS(&status, status.MPI_SOURCE, 100 + status.MPI_SOURCE, bytes);
        CHECK_EQ(seen[status.MPI_SOURCE]++, 0);
        CHECK_EQ(find_wrong(in, (size_t)bytes, (unsigned)status.MPI_SOURCE), -1);
        free(in);
    }
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    free(seen);
    free(buffer);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
}

/* The receive that was posted first wins among those that match, whatever their wildcards. */
static void first_posted_wins(void)
{
    static const struct {
        int any_source, tag;
    } posted[] = {{0, 9}, {1, MPI_ANY_TAG}, {0, MPI_ANY_TAG}, {1, 7}, {0, 7}};
    static const int tags[] = {7, 7, 7, 7, 9}, takes[] = {1, 2, 3, 4, 0};
    int got[5] = {-1, -1, -1, -1, -1}, to = (rank + 1) % size, from = (rank + size - 1) % size;
    MPI_Request requests[5];
    MPI_Status statuses[5];

    for (int i = 0; i < 5; i++)
        CHECK_EQ(MPI_Irecv(&got[i], 1, MPI_INT, posted[i].any_source ? MPI_ANY_SOURCE : from, posted[i].tag,
                           MPI_COMM_WORLD, &requests[i]),
                 MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    for (int i = 0; i < 5; i++)
        CHECK_EQ(MPI_Send(&i, 1, MPI_INT, to, tags[i], MPI_COMM_WORLD), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitall(5, requests, statuses), MPI_SUCCESS);
    for (int i = 0; i < 5; i++) {
        CHECK_EQ(got[takes[i]], i);
        CHECK_STATUS(&statuses[takes[i]], from, tags[i], 4);
    }
}

/* A wildcard receive on one communicator never gets another's message. */
static void communicators_are_apart(void)
{
    int one = 1, two = 2, got = 0, to = (rank + 1) % size;
    MPI_Request requests[2];
    MPI_Comm other;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_WORLD, &other), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(&one, 1, MPI_INT, to, 3, MPI_COMM_WORLD, &requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Isend(&two, 1, MPI_INT, to, 3, other, &requests[1]), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, other, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 2);
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, 1);
    CHECK_EQ(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&other), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    set_up();
    extreme_tags();
    from_anybody(0);
    from_anybody(4);
    from_anybody(3000);
    from_anybody(300000);
    first_posted_wins();
    communicators_are_apart();
    MPI_Finalize();
    return 0;
}
