/* ranks: 2 4  also: INKLING_TRANSPORT=ofi */
/* Ranks of one host exchange the data of collective accesses in memory that they share: they send no message for it. Where
 * they share none, they do. */
#include "files.h"
#include "mpit.h"

enum {
    BLOCKS = 4096,
    BLOCK = 64
};

static void access_in_turn(MPI_File file)
{
    static char data[BLOCKS * BLOCK], got[BLOCKS * BLOCK];

    for (int i = 0; i < BLOCKS * BLOCK; i++)
        data[i] = (char)(i / BLOCK + 7 * rank);
    CHECK_EQ(MPI_File_write_at_all(file, 0, data, sizeof data, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_File_read_at_all(file, 0, got, sizeof got, MPI_CHAR, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK(memcmp(data, got, sizeof got) == 0);
}

int main(int argc, char **argv)
{
    MPI_T_pvar_session session;
    MPI_T_pvar_handle buffered, messages;
    unsigned long long sent;
    const char *transport = getenv("INKLING_TRANSPORT");
    MPI_Datatype type;
    MPI_File file;
    int provided;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
    name_file("no_messages");
    file = open_new(0);
    CHECK_EQ(MPI_Type_vector(BLOCKS, BLOCK, BLOCK * size, MPI_CHAR, &type), MPI_SUCCESS);
    type = committed(type);
    CHECK_EQ(MPI_File_set_view(file, rank * BLOCK, MPI_CHAR, type, "native", MPI_INFO_NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Type_free(&type), MPI_SUCCESS);
    buffered = mpit_start(session, "inkling_file_buffered_bytes", MPI_T_PVAR_CLASS_AGGREGATE, MPI_COMM_WORLD);
    messages = mpit_start(session, "inkling_file_messages", MPI_T_PVAR_CLASS_COUNTER, MPI_COMM_WORLD);
    access_in_turn(file);
    CHECK_EQ(mpit_read(session, buffered), 2 * BLOCKS * BLOCK);
    sent = mpit_read(session, messages);
    CHECK_EQ(MPI_Allreduce(MPI_IN_PLACE, &sent, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD),
             MPI_SUCCESS);
    if (transport && strcmp(transport, "ofi") == 0)
        CHECK(sent > 0);
    else
        CHECK_EQ(sent, 0);
    close_file(&file);
    remove_file();
    CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
