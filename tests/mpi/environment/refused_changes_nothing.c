/* ranks: 1 2  timeout: 30  not: address  not: thread */
/* A call that is refused, or that has no memory, leaves everything as it was: the next right call does what it would have done. */
#include "failing_memory.h"

#include <unistd.h>

enum {
    ATTEMPTS = 40 /* allocations of a call that fail, one after the other */
};

static int rank, size;

/* Members of a group that is made again and again are told apart by how often they have met. */
static void a_handler_of_another_kind(void)
{
    MPI_Errhandler of_files;
    MPI_Group group;
    MPI_Comm made = MPI_COMM_NULL;
    int sum = 0;

    CHECK_EQ(MPI_File_create_errhandler((MPI_File_errhandler_function *)(void (*)(void))abort, &of_files),
             MPI_SUCCESS);
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    if (rank == 0) /* this rank alone */
        CHECK(MPI_Comm_create_from_group(group, "halo", MPI_INFO_NULL, of_files, &made) != MPI_SUCCESS);
    CHECK_EQ(made, MPI_COMM_NULL);
    CHECK_EQ(MPI_Comm_create_from_group(group, "halo", MPI_INFO_NULL, MPI_ERRORS_RETURN, &made), MPI_SUCCESS);
    CHECK_EQ(MPI_Allreduce(&(int){1}, &sum, 1, MPI_INT, MPI_SUM, made), MPI_SUCCESS);
    CHECK_EQ(sum, size);
    MPI_Comm_free(&made);
    MPI_Group_free(&group);
    MPI_Errhandler_free(&of_files);
}

/* The receive of a pair takes no message when the send is refused. */
static void a_send_without_size(void)
{
    const MPI_Count too_many = (MPI_Count)1 << 62;
    int to = (rank + 1) % size, from = (rank + size - 1) % size, got = -1, flag = 0;
    MPI_Request r, pair = MPI_REQUEST_NULL;
    double sent = 0;

    CHECK_EQ(MPI_Isend(&rank, 1, MPI_INT, to, 5, MPI_COMM_WORLD, &r), MPI_SUCCESS);
    CHECK_EQ(MPI_Probe(from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(MPI_Sendrecv_c(&sent, too_many, MPI_DOUBLE, to, 6, &got, 1, MPI_INT, from, 5, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE) != MPI_SUCCESS);
    CHECK(MPI_Isendrecv_c(&sent, too_many, MPI_DOUBLE, to, 6, &got, 1, MPI_INT, from, 5, MPI_COMM_WORLD,
                          &pair) != MPI_SUCCESS);
    CHECK(got == -1 && pair == MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Iprobe(from, 5, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    CHECK_EQ(MPI_Recv(&got, 1, MPI_INT, from, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got, from);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static int deleted;

static int on_delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
    (void)comm, (void)keyval, (void)value, (void)extra;
    deleted++;
    return MPI_SUCCESS;
}

/* The old value stays where there is no memory for the new one. */
static void an_attribute_without_memory(void)
{
    int key, found = 0, *value = NULL, first = 1, second = 2, failed = 0;
    MPI_Comm comm;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, on_delete, &key, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_attr(comm, key, &first), MPI_SUCCESS);
    for (int n = 1; n < ATTEMPTS; n++) {
        until_failure = n;
        if (TRY(MPI_Comm_set_attr(comm, key, &second)) == MPI_SUCCESS)
            break;
        failed++;
        CHECK_EQ(deleted, 0);
        CHECK_EQ(MPI_Comm_get_attr(comm, key, &value, &found), MPI_SUCCESS);
        CHECK(found && value == &first);
    }
    until_failure = 0;
    CHECK(failed > 0);
    CHECK_EQ(deleted, 1);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&key), MPI_SUCCESS);
}

/* The pointers stay where no request could be made. */
static void a_read_without_memory(void)
{
    int failed = 0, got[2] = {0};
    MPI_Offset position = -1, shared = -1;
    MPI_Request r = MPI_REQUEST_NULL, s = MPI_REQUEST_NULL;
    MPI_File file;
    char name[32];

    snprintf(name, sizeof name, "refused_%d",
             (int)getpid()); /* this test runs on other numbers of ranks meanwhile */
    CHECK_EQ(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                           MPI_INFO_NULL, &file),
             MPI_SUCCESS);
    CHECK_EQ(MPI_File_write(file, (int[]){7, 8}, 2, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_seek(file, 4, MPI_SEEK_SET), MPI_SUCCESS);
    for (int n = 1; n < ATTEMPTS; n++) {
        until_failure = n;
        if (TRY(MPI_File_iread(file, got, 1, MPI_INT, &r)) == MPI_SUCCESS)
            break;
        failed++;
        CHECK_EQ(r, MPI_REQUEST_NULL);
        CHECK_EQ(MPI_File_get_position(file, &position), MPI_SUCCESS);
        CHECK_EQ(position, 4);
    }
    CHECK(failed > 0);
    CHECK_EQ(MPI_File_seek_shared(file, 4, MPI_SEEK_SET), MPI_SUCCESS);
    for (int n = 1; n <= failed; n++) {
        until_failure = n;
        CHECK(TRY(MPI_File_iread_shared(file, got, 1, MPI_INT, &s)) != MPI_SUCCESS);
        CHECK_EQ(s, MPI_REQUEST_NULL);
        CHECK_EQ(MPI_File_get_position_shared(file, &shared), MPI_SUCCESS);
        CHECK_EQ(shared, 4);
    }
    until_failure = 0;
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(got[0], 8);
    CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    a_handler_of_another_kind();
    a_send_without_size();
    an_attribute_without_memory();
    a_read_without_memory();
    MPI_Finalize();
    return 0;
}
