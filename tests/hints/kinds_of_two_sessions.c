/* ranks: 1 2 4 */
/* Two sessions that were opened with different memory kinds keep them, and so does what is made from each.
 * Lists that are ill-formed, of the wrong case, too short, too many or as long as can be are no errors: what
 * they name and is supported is there, spelled as it was, and nothing else of theirs. */
#include "hints.h"

static MPI_Session open_with(const char *kinds)
{
    MPI_Info info = info_with(KINDS, kinds);
    MPI_Session session;

    CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return session;
}

static void read_kinds(MPI_Session session, char *kinds)
{
    MPI_Info info;
    const char *value;

    CHECK_EQ(MPI_Session_get_info(session, &info), MPI_SUCCESS);
    value = value_of(info, KINDS);
    CHECK(value != NULL);
    snprintf(kinds, MPI_MAX_INFO_VAL + 1, "%s", value);
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
}

static MPI_Comm comm_in(MPI_Session session, const char *tag)
{
    MPI_Group group;
    MPI_Comm comm;

    CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    return comm;
}

/* comm, a duplicate, a part and one of its group; an assertion narrows one object only. */
static void objects_match(MPI_Session session, const char *tag)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Comm comm = comm_in(session, tag), made;
    MPI_Group group;

    read_kinds(session, kinds);
    CHECK_HINT(comm, KINDS, kinds);
    made = dup_with_hint(comm, ASSERTED_KINDS, "system");
    CHECK_HINT(made, ASSERTED_KINDS, "system");
    CHECK_HINT(comm, KINDS, kinds);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_split(comm, 0, 0, &made), MPI_SUCCESS);
    CHECK_HINT(made, KINDS, kinds);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_group(comm, &group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create(comm, group, &made), MPI_SUCCESS);
    CHECK_HINT(made, KINDS, kinds);
    CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void two_sessions(void)
{
    char world[MPI_MAX_INFO_VAL + 1], kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Session a = open_with("mpi:alloc_mem"), b = open_with("mpi:win_allocate:alloc_mem,system");

    snprintf(world, sizeof world, "%s", hint_of(MPI_COMM_WORLD, KINDS));
    read_kinds(a, kinds);
    CHECK(has_kind(kinds, "mpi:alloc_mem") && !has_kind(kinds, "mpi:win_allocate:alloc_mem"));
    read_kinds(b, kinds);
    CHECK(has_kind(kinds, "mpi:win_allocate:alloc_mem") && !has_kind(kinds, "mpi:alloc_mem"));
    objects_match(a, "a");
    objects_match(b, "b");
    CHECK_EQ(MPI_Session_finalize(&a), MPI_SUCCESS);
    objects_match(b, "b");
    CHECK_EQ(MPI_Session_finalize(&b), MPI_SUCCESS);
    CHECK_HINT(MPI_COMM_WORLD, KINDS, world);
}

/* What is asked for, and that nothing of it but `there` comes back; as an assertion it is ignored as a whole,
 * unless `is_legal`. */
static void bad_list(const char *list, const char *there, int is_legal)
{
    char kinds[MPI_MAX_INFO_VAL + 1];
    MPI_Session session = open_with(list);
    MPI_Comm comm;

    read_kinds(session, kinds);
    CHECK(has_kind(kinds, "mpi") && has_kind(kinds, "system"));
    for (char *kind = strtok(kinds, ","); kind; kind = strtok(NULL, ","))
        if (strcmp(kind, "mpi") != 0 && strcmp(kind, "system") != 0)
            CHECK_STR(kind, there);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    comm = dup_with_hint(MPI_COMM_WORLD, ASSERTED_KINDS, list);
    if (is_legal)
        CHECK_HINT(comm, ASSERTED_KINDS, list);
    else
        CHECK_NO_HINT(comm, ASSERTED_KINDS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void bad_lists(void)
{
    static const char *const lists[] = {",",
                                        "system,",
                                        ",,mpi",
                                        ":",
                                        "mpi:",
                                        ":mpi",
                                        "mpi::",
                                        "mpi: alloc_mem",
                                        "mpi :alloc_mem",
                                        "mpi:alloc_mem:",
                                        "mpi\talloc_mem",
                                        "mpi system",
                                        "m",
                                        "sys",
                                        "systemx",
                                        "mpix",
                                        "cud",
                                        "cuda:dev",
                                        "mpi:alloc",
                                        "MPI",
                                        "System",
                                        "mpi:Alloc_Mem",
                                        "system:host",
                                        "mpi:alloc_mem:bogus",
                                        "mpi,foo",
                                        "mpi;system",
                                        "\xff\x01"};
    char list[MPI_MAX_INFO_VAL + 1], *end = list;

    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        bad_list(lists[i], "", 0);
    bad_list(" system ,\tmpi:alloc_mem ", "mpi:alloc_mem", 1);
    bad_list("", "", 1);
    for (int i = 0; i < 255; i++) /* the same again and again, as many as fit */
        end += sprintf(end, "%smpi", i ? "," : "");
    bad_list(list, "", 1);
    memset(list, 'm', MPI_MAX_INFO_VAL - 1);
    list[MPI_MAX_INFO_VAL - 1] = '\0';
    bad_list(list, "", 0);
    memset(list, ',', MPI_MAX_INFO_VAL - 1);
    bad_list(list, "", 0);
    memset(list, ':', MPI_MAX_INFO_VAL - 1);
    bad_list(list, "", 0);
}

/* A NUL ends the value: what follows it is never seen. */
static void nul_ends_the_list(void)
{
    bad_list("mpi:alloc_mem\0,cuda", "mpi:alloc_mem", 1);
    bad_list("mpi:alloc_me\0m", "", 0);
}

int main(int argc, char **argv)
{
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    two_sessions();
    bad_lists();
    nul_ends_the_list();
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
