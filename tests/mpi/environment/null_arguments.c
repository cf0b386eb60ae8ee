/* ranks: 1 */
/* NULL where an array or a buffer is to be is an error that names it; where nothing is to be it is fine. */
#include "check.h"

#define REFUSED(call, class, words) refused(__LINE__, call, class, words)

static void refused(int line, int code, int class, const char *words)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int length;

    MPI_Error_string(code, text, &length);
    if (code == class && strstr(text, words))
        return;
    fprintf(stderr, "line %d: got %d, %s\n", line, code, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void requests(void)
{
    const char *words = "array_of_requests is NULL, but";
    MPI_Status s[2];
    int index, flag, count, indices[2];

    REFUSED(MPI_Waitall(2, NULL, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Waitany(2, NULL, &index, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Waitsome(2, NULL, &count, indices, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Testall(2, NULL, &flag, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Testany(2, NULL, &index, &flag, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Testsome(2, NULL, &count, indices, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Startall(2, NULL), MPI_ERR_ARG, words);
    REFUSED(MPI_Request_get_status_all(2, NULL, &flag, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Request_get_status_any(2, NULL, &index, &flag, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Request_get_status_some(2, NULL, &count, indices, s), MPI_ERR_ARG, words);
    REFUSED(MPI_Waitall(-2, NULL, s), MPI_ERR_COUNT, "-2");
}

static void indices(void)
{
    const char *words = "array_of_indices is NULL, but incount is 1";
    MPI_Request r;
    int count = 0, x = 0;

    CHECK_EQ(MPI_Irecv(&x, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_SELF, &r), MPI_SUCCESS);
    REFUSED(MPI_Waitsome(1, &r, &count, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, words);
    REFUSED(MPI_Testsome(1, &r, &count, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, words);
    REFUSED(MPI_Request_get_status_some(1, &r, &count, NULL, MPI_STATUSES_IGNORE), MPI_ERR_ARG, words);
    CHECK_EQ(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_SUCCESS);
}

static void packed(void)
{
    const char *words = "packed data is NULL, but 4 bytes";
    MPI_Aint at = 0;
    int x = 0, position = 0;

    REFUSED(MPI_Pack(&x, 1, MPI_INT, NULL, 64, &position, MPI_COMM_SELF), MPI_ERR_BUFFER, words);
    REFUSED(MPI_Unpack(NULL, 64, &position, &x, 1, MPI_INT, MPI_COMM_SELF), MPI_ERR_BUFFER, words);
    REFUSED(MPI_Pack_external("external32", &x, 1, MPI_INT, NULL, 64, &at), MPI_ERR_BUFFER, words);
    REFUSED(MPI_Unpack_external("external32", NULL, 64, &at, &x, 1, MPI_INT), MPI_ERR_BUFFER, words);
    CHECK_EQ(MPI_Pack(&x, 0, MPI_INT, NULL, 0, &position, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(MPI_Unpack(NULL, 0, &position, &x, 0, MPI_INT, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK(position == 0 && at == 0);
}

static void nothing_wanted(void)
{
    int index, flag, count;

    CHECK_EQ(MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitany(0, NULL, &index, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Waitsome(0, NULL, &count, NULL, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Testall(0, NULL, &flag, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Startall(0, NULL), MPI_SUCCESS);
}

static void names(void)
{
    MPI_Datatype freed, type;
    char name[MPI_MAX_OBJECT_NAME];
    int length;

    CHECK_EQ(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length), MPI_SUCCESS);
    CHECK_STR(name, "MPI_DATATYPE_NULL");
    CHECK_EQ(length, 17);
    MPI_Type_contiguous(2, MPI_INT, &freed);
    CHECK_EQ(MPI_Type_get_name(freed, name, &length), MPI_SUCCESS);
    CHECK_STR(name, "");
    REFUSED(MPI_Reduce_local(name, &length, 1, freed, MPI_SUM), MPI_ERR_TYPE, "committed");
    MPI_Type_commit(&freed);
    REFUSED(MPI_Reduce_local(name, &length, 1, freed, MPI_SUM), MPI_ERR_OP, "an unnamed datatype");
    REFUSED(MPI_Reduce_local(name, name, 1, MPI_INT, MPI_SUM), MPI_ERR_BUFFER,
            "the same memory, which they must not be");
    type = freed;
    MPI_Type_free(&freed);
    REFUSED(MPI_Type_get_name(type, name, &length), MPI_ERR_TYPE, "freed");
    REFUSED(MPI_Type_get_name(MPI_INT, NULL, &length), MPI_ERR_ARG, "type_name is NULL");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    requests();
    indices();
    packed();
    nothing_wanted();
    names();
    MPI_Finalize();
    return 0;
}
