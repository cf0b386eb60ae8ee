/* requested [+KIND | -KIND]...: what MPI says of memory kinds in a job that was started with or without
 * --memory-alloc-kinds. +KIND is in every list of supported kinds, spelled like that, -KIND in none. */
#include "../hints/hints.h"

static char **wanted;

static void check_list(const char *list)
{
    CHECK(list != NULL);
    CHECK(strlen(list) < MPI_MAX_INFO_VAL);
    for (char **kind = wanted; *kind; kind++) {
        if (has_kind(list, *kind + 1) == (**kind == '+'))
            continue;
        fprintf(stderr, "%s, but the list is \"%s\"\n", *kind, list);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
}

static void check_made(MPI_Comm comm)
{
    CHECK_HINT(comm, KINDS, hint_of(MPI_COMM_SELF, KINDS));
    CHECK_NO_HINT(comm, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static int is_wanted(const char *word)
{
    for (char **kind = wanted; *kind; kind++)
        if (strcmp(*kind, word) == 0)
            return 1;
    return 0;
}

/* World Model objects have the World's value, whatever is tried. */
static void check_objects(void)
{
    MPI_Comm comm;

    set_hint(MPI_COMM_WORLD, KINDS, "system");
    set_hint(MPI_COMM_WORLD, ASSERTED_KINDS, "system");
    check_list(hint_of(MPI_COMM_WORLD, KINDS));
    check_list(hint_of(MPI_COMM_SELF, KINDS));
    check_made(dup_of(MPI_COMM_WORLD));
    CHECK_EQ(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm), MPI_SUCCESS);
    check_made(comm);
    check_made(dup_with_hint(MPI_COMM_WORLD, KINDS, "mpi:alloc_mem"));
}

static void check_session(const char *request, const char *must)
{
    MPI_Info info = MPI_INFO_NULL, told;
    MPI_Session session;
    const char *list;

    if (request)
        info = info_with(KINDS, request);
    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_info(session, &told), MPI_SUCCESS);
    list = value_of(told, KINDS);
    if (request)
        CHECK(has_kind(list, must));
    else
        check_list(list);
    CHECK(has_kind(list, "mpi") && has_kind(list, "system"));
    CHECK_EQ(MPI_Info_free(&told), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    if (request)
        CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

/* A kind that was not asked for cannot be asserted, were it a thousand times there. */
static void check_assertion(const char *list, int accepted)
{
    MPI_Comm comm = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, list);

    if (accepted)
        CHECK_HINT(comm, ASSERTED_KINDS, list);
    else
        CHECK_NO_HINT(comm, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    CHECK(argc > 1);
    wanted = argv + 1;
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_HINT(MPI_COMM_WORLD, KINDS, value_of(MPI_INFO_ENV, KINDS)); /* what is supported */
    check_objects();
    check_session(NULL, NULL);
    check_session("mpi:win_allocate:alloc_mem,granite", "mpi:win_allocate:alloc_mem");
    check_session("", "system");
    check_assertion("system,granite", 0);
    check_assertion("cuda:host", is_wanted("+cuda"));
    for (char **kind = wanted; *kind; kind++)
        if (**kind == '+')
            check_assertion(*kind + 1, 1);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
