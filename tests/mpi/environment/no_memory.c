/* ranks: 1  not: address  not: thread  also: INKLING_HINTS_REPORT=first also: NO_MEMORY_THREADS=1 */
/* Memory is out for objects. */
#include "no_memory.h"

static MPI_Info hints; /* that are kept */
static MPI_Session a_session;
static MPI_Comm ring;
static int keyval = MPI_KEYVAL_INVALID, type_keyval = MPI_KEYVAL_INVALID;

/* What follows makes the i-th of a kind, or drops it. */
static int dup_comm(int i)
{
    return TRY(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]));
}

static int idup_comm(int i)
{
    return TRY(MPI_Comm_idup(MPI_COMM_SELF, &comm[i], &request[i]));
}

static int drop_idup(int i)
{
    CHECK_EQ(MPI_Wait(&request[i], MPI_STATUS_IGNORE), MPI_SUCCESS);
    return MPI_Comm_free(&comm[i]);
}

/* The old communicator is freed while the new one is made. */
static int idup_freed(int i)
{
    MPI_Comm parent;

    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &parent), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(parent, MPI_ERRORS_RETURN), MPI_SUCCESS);
    int code = TRY(MPI_Comm_idup(parent, &comm[i], &request[i]));

    CHECK_EQ(MPI_Comm_free(&parent), MPI_SUCCESS);
    return code;
}

static int split(int i)
{
    return TRY(MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &comm[i]));
}

static int split_shared(int i)
{
    return TRY(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, some_info, &comm[i]));
}

static int create_cart(int i)
{
    return TRY(MPI_Cart_create(MPI_COMM_WORLD, 2, ones, zeros, 1, &comm[i]));
}

static int create_graph(int i)
{
    return TRY(MPI_Graph_create(MPI_COMM_WORLD, 1, ones, zeros, 1, &comm[i]));
}

static int create_dist_graph(int i)
{
    return TRY(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, zeros, ones, zeros, ones, some_info, 1, &comm[i]));
}

static int create_adjacent(int i)
{
    return TRY(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, zeros, ones, 1, zeros, ones, some_info, 1,
                                              &comm[i]));
}

static int from_group(int i)
{
    return TRY(MPI_Comm_create_from_group(world_group, "no_memory", some_info, MPI_ERRORS_RETURN, &comm[i]));
}

static int drop_comm(int i)
{
    return MPI_Comm_free(&comm[i]);
}

static int include(int i)
{
    return TRY(MPI_Group_incl(world_group, 1, zeros, &group[i]));
}

static int include_range(int i)
{
    return TRY(MPI_Group_range_incl(world_group, 1, (int[1][3]){{0, 0, 1}}, &group[i]));
}

static int drop_group(int i)
{
    return group[i] == MPI_GROUP_EMPTY ? MPI_SUCCESS : MPI_Group_free(&group[i]);
}

static int dup_info(int i)
{
    return TRY(MPI_Info_dup(some_info, &info[i]));
}

static int get_info(int i)
{
    return TRY(MPI_Comm_get_info(MPI_COMM_SELF, &info[i]));
}

static int drop_info(int i)
{
    return MPI_Info_free(&info[i]);
}

static int set_info(int i)
{
    char key[16];

    snprintf(key, sizeof key, "key%d", i);
    int code = TRY(MPI_Info_set(some_info, key, "a value"));

    if (!code)
        number[i] = i + 1;
    return code;
}

static int delete_key(int i)
{
    char key[16];

    snprintf(key, sizeof key, "key%d", i);
    return MPI_Info_delete(some_info, key);
}

static int contiguous(int i)
{
    return TRY(MPI_Type_contiguous(3, mixed, &type[i]));
}

static int vector(int i)
{
    return TRY(MPI_Type_vector(3, 2, 5, mixed, &type[i]));
}

static int make_indexed(MPI_Datatype *t)
{
    int displs[CROWD];

    for (int k = 0; k < CROWD; k++)
        displs[k] = 3 * k + k * k % 5;
    return MPI_Type_indexed(CROWD, ones, displs, MPI_INT, t);
}

static int indexed(int i)
{
    return TRY(make_indexed(&type[i]));
}

static int structure(int i)
{
    return TRY(
        MPI_Type_create_struct(2, ones, (MPI_Aint[]){0, 40}, (MPI_Datatype[]){mixed, MPI_CHAR}, &type[i]));
}

/* No piece is missing of a structure of many, each an integer and a number behind a gap. */
static void check_pieces(MPI_Datatype of)
{
    struct {
        int first;
        double second;
    } from[CROWD];
    char packed[CROWD * 12];
    int at = 0;

    for (int k = 0; k < CROWD; k++) {
        from[k].first = k;
        from[k].second = 1.5 * k;
    }
    CHECK_EQ(MPI_Type_commit(&of), MPI_SUCCESS);
    CHECK_EQ(MPI_Pack(from, 1, of, packed, sizeof packed, &at, MPI_COMM_SELF), MPI_SUCCESS);
    CHECK_EQ(at, CROWD * 12);
    for (int k = 0; k < CROWD; k++) {
        CHECK_EQ(memcmp(packed + 12 * k, &from[k].first, 4), 0);
        CHECK_EQ(memcmp(packed + 12 * k + 4, &from[k].second, 8), 0);
    }
}

/* The list of its pieces grows while a block's are added. */
static int structure_of_many(int i)
{
    MPI_Aint displs[CROWD];
    MPI_Datatype types[CROWD];

    for (int k = 0; k < CROWD; k++) {
        displs[k] = 16 * k;
        types[k] = mixed;
    }
    int code = TRY(MPI_Type_create_struct(CROWD, ones, displs, types, &type[i]));

    if (!code && i == 0)
        check_pieces(type[i]);
    return code;
}

static int subarray(int i)
{
    return TRY(MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 3}, ones, MPI_ORDER_C, mixed, &type[i]));
}

static int darray(int i)
{
    return TRY(MPI_Type_create_darray(
        2, 1, 2, (int[]){5, 7}, (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK},
        (int[]){2, MPI_DISTRIBUTE_DFLT_DARG}, (int[]){2, 1}, MPI_ORDER_C, MPI_INT, &type[i]));
}

static int resized(int i)
{
    return TRY(MPI_Type_create_resized(mixed, 0, 64, &type[i]));
}

static int dup_type(int i)
{
    return TRY(MPI_Type_dup(mixed, &type[i]));
}

/* Whether its items overlap is found out, which takes a list of its bytes. */
static int commit(int i)
{
    CHECK_EQ(make_indexed(&type[i]), MPI_SUCCESS);
    int code = TRY(MPI_Type_commit(&type[i]));

    if (code)
        MPI_Type_free(&type[i]);
    return code;
}

static int drop_type(int i)
{
    return MPI_Type_free(&type[i]);
}

static int create_keyval(int i)
{
    return TRY(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &number[i], NULL));
}

static int drop_keyval(int i)
{
    return MPI_Comm_free_keyval(&number[i]);
}

static int set_attribute(int i)
{
    if (keyval == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &keyval, NULL);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]), MPI_SUCCESS);
    int code = TRY(MPI_Comm_set_attr(comm[i], keyval, &value[i]));
    void *found = NULL;
    int is_set = 0;

    CHECK_EQ(MPI_Comm_get_attr(comm[i], keyval, (void *)&found, &is_set), MPI_SUCCESS);
    CHECK_EQ(is_set, code == MPI_SUCCESS);
    if (code)
        MPI_Comm_free(&comm[i]);
    return code;
}

static int set_type_attribute(int i)
{
    if (type_keyval == MPI_KEYVAL_INVALID)
        MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_keyval, NULL);
    CHECK_EQ(MPI_Type_dup(MPI_INT, &type[i]), MPI_SUCCESS);
    int code = TRY(MPI_Type_set_attr(type[i], type_keyval, &value[i]));
    void *found = NULL;
    int is_set = 0;

    CHECK_EQ(MPI_Type_get_attr(type[i], type_keyval, (void *)&found, &is_set), MPI_SUCCESS);
    CHECK_EQ(is_set, code == MPI_SUCCESS);
    if (code)
        MPI_Type_free(&type[i]);
    return code;
}

static void handle_error(MPI_Comm *c, int *code, ...)
{
    (void)c;
    (void)code;
}

static int create_errhandler(int i)
{
    return TRY(MPI_Comm_create_errhandler(handle_error, &errhandler[i]));
}

static int drop_errhandler(int i)
{
    return MPI_Errhandler_free(&errhandler[i]);
}

static void add(void *in, void *inout, int *count, MPI_Datatype *t)
{
    (void)t;
    for (int i = 0; i < *count; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

static int create_op(int i)
{
    return TRY(MPI_Op_create(add, 1, &op[i]));
}

static int drop_op(int i)
{
    return MPI_Op_free(&op[i]);
}

static int begin_session(int i)
{
    return TRY(MPI_Session_init(some_info, MPI_ERRORS_RETURN, &session[i]));
}

static int end_session(int i)
{
    return MPI_Session_finalize(&session[i]);
}

static int allocate(int i)
{
    return TRY(MPI_Alloc_mem(1000, some_info, (void *)&memory[i]));
}

static int drop_memory(int i)
{
    return MPI_Free_mem(memory[i]);
}

static int add_class(int i)
{
    return TRY(MPI_Add_error_class(&number[i]));
}

static int remove_class(int i)
{
    return MPI_Remove_error_class(number[i]);
}

static int dup_with_info(int i)
{
    return TRY(MPI_Comm_dup_with_info(MPI_COMM_SELF, hints, &comm[i]));
}

static int idup_with_info(int i)
{
    return TRY(MPI_Comm_idup_with_info(MPI_COMM_SELF, hints, &comm[i], &request[i]));
}

static int create_comm(int i)
{
    return TRY(MPI_Comm_create(MPI_COMM_WORLD, world_group, &comm[i]));
}

static int create_from_some(int i)
{
    return TRY(MPI_Comm_create_group(MPI_COMM_WORLD, world_group, 3, &comm[i]));
}

static int cart_sub(int i)
{
    MPI_Comm whole;
    int code;

    CHECK_EQ(MPI_Cart_create(MPI_COMM_WORLD, 2, ones, zeros, 0, &whole), MPI_SUCCESS);
    MPI_Comm_set_errhandler(whole, MPI_ERRORS_RETURN);
    code = TRY(MPI_Cart_sub(whole, (int[]){1, 0}, &comm[i]));
    CHECK_EQ(MPI_Comm_free(&whole), MPI_SUCCESS);
    return code;
}

/* A hint that is a text, which is kept. */
static int set_hints(int i)
{
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]), MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
    int code = TRY(MPI_Comm_set_info(comm[i], hints));

    if (code)
        MPI_Comm_free(&comm[i]);
    return code;
}

static int set_name(int i)
{
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm[i]), MPI_SUCCESS);
    MPI_Comm_set_errhandler(comm[i], MPI_ERRORS_RETURN);
    int code = TRY(MPI_Comm_set_name(comm[i], "a name that is not short, so that it does not lie elsewhere"));

    if (code)
        MPI_Comm_free(&comm[i]);
    return code;
}

static int exclude(int i)
{
    return TRY(MPI_Group_excl(world_group, 0, zeros, &group[i]));
}

static int exclude_range(int i)
{
    return TRY(MPI_Group_range_excl(world_group, 0, (int[1][3]){{0, 0, 1}}, &group[i]));
}

static int unite(int i)
{
    return TRY(MPI_Group_union(MPI_GROUP_EMPTY, world_group, &group[i]));
}

static int intersect(int i)
{
    return TRY(MPI_Group_intersection(world_group, world_group, &group[i]));
}

static int subtract(int i)
{
    return TRY(MPI_Group_difference(world_group, MPI_GROUP_EMPTY, &group[i]));
}

static int group_of_comm(int i)
{
    return TRY(MPI_Comm_group(MPI_COMM_SELF, &group[i]));
}

static int create_info(int i)
{
    return TRY(MPI_Info_create(&info[i]));
}

static int create_env(int i)
{
    return TRY(MPI_Info_create_env(2, (char *[]){"a program", "its argument", NULL}, &info[i]));
}

static int session_info(int i)
{
    return TRY(MPI_Session_get_info(a_session, &info[i]));
}

static int pset_info(int i)
{
    return TRY(MPI_Session_get_pset_info(a_session, "mpi://WORLD", &info[i]));
}

static int pset_group(int i)
{
    return TRY(MPI_Group_from_session_pset(a_session, "mpi://WORLD", &group[i]));
}

static int hvector(int i)
{
    return TRY(MPI_Type_create_hvector(3, 2, 100, mixed, &type[i]));
}

static int hindexed(int i)
{
    return TRY(MPI_Type_create_hindexed(2, ones, (MPI_Aint[]){0, 80}, mixed, &type[i]));
}

static int indexed_block(int i)
{
    return TRY(MPI_Type_create_indexed_block(2, 3, (int[]){0, 7}, mixed, &type[i]));
}

static int hindexed_block(int i)
{
    return TRY(MPI_Type_create_hindexed_block(2, 3, (MPI_Aint[]){0, 80}, mixed, &type[i]));
}

static int inner_types(int i)
{
    int integers[3];
    MPI_Aint addresses[2];
    MPI_Datatype inner[2], outer;
    int code;

    CHECK_EQ(MPI_Type_contiguous(2, mixed, &outer), MPI_SUCCESS);
    code = TRY(MPI_Type_get_contents(outer, 1, 0, 1, integers, addresses, inner));
    if (code == MPI_SUCCESS)
        type[i] = inner[0];
    CHECK_EQ(MPI_Type_free(&outer), MPI_SUCCESS);
    return code;
}

static int name_type(int i)
{
    CHECK_EQ(MPI_Type_dup(mixed, &type[i]), MPI_SUCCESS);
    int code = TRY(MPI_Type_set_name(type[i], "a name that is not short, so that it does not lie elsewhere"));

    if (code)
        MPI_Type_free(&type[i]);
    return code;
}

static char port[CROWD][MPI_MAX_PORT_NAME];

static int open_port(int i)
{
    int code = TRY(MPI_Open_port(some_info, port[i]));

    if (!code)
        number[i] = i + 1;
    return code;
}

static int close_port(int i)
{
    return MPI_Close_port(port[i]);
}

static int add_code(int i)
{
    int class_number, code;

    CHECK_EQ(MPI_Add_error_class(&class_number), MPI_SUCCESS);
    code = TRY(MPI_Add_error_code(class_number, &number[i]));
    if (code)
        CHECK_EQ(MPI_Remove_error_class(class_number), MPI_SUCCESS);
    return code;
}

static int remove_code(int i)
{
    int class_number;

    CHECK_EQ(MPI_Error_class(number[i], &class_number), MPI_SUCCESS);
    CHECK_EQ(MPI_Remove_error_code(number[i]), MPI_SUCCESS);
    return MPI_Remove_error_class(class_number);
}

static int add_string(int i)
{
    CHECK_EQ(MPI_Add_error_class(&number[i]), MPI_SUCCESS);
    int code = TRY(MPI_Add_error_string(number[i], "what it says, which is not short either"));

    if (code) {
        CHECK_EQ(MPI_Remove_error_class(number[i]), MPI_SUCCESS);
        number[i] = MPI_KEYVAL_INVALID;
    }
    return code;
}

static int remove_string(int i)
{
    CHECK_EQ(MPI_Remove_error_string(number[i]), MPI_SUCCESS);
    return MPI_Remove_error_class(number[i]);
}

/* Calls that make nothing: all that they allocate is for themselves. */
static int end_call(int i, int code)
{
    if (!code)
        number[i] = i + 1;
    return code;
}

static int no_drop(int i)
{
    (void)i;
    return MPI_SUCCESS;
}

static int create_dims(int i)
{
    int dims[2] = {0, 0}, code = TRY(MPI_Dims_create(12, 2, dims));

    CHECK_EQ(dims[0], code ? 0 : 4);
    CHECK_EQ(dims[1], code ? 0 : 3);
    return end_call(i, code);
}

static int map_cart(int i)
{
    return end_call(i, TRY(MPI_Cart_map(MPI_COMM_WORLD, 1, ones, zeros, &value[i])));
}

static int map_graph(int i)
{
    return end_call(i, TRY(MPI_Graph_map(MPI_COMM_WORLD, 1, ones, zeros, &value[i])));
}

static int exchange_types(int i)
{
    int code;

    value[i] = -1;
    code = TRY(MPI_Alltoallw(&ones[i], ones, zeros, (MPI_Datatype[]){MPI_INT}, &value[i], ones, zeros,
                             (MPI_Datatype[]){MPI_INT}, MPI_COMM_WORLD));
    CHECK(code || value[i] == 1);
    return end_call(i, code);
}

static int exchange_with_neighbours(int i)
{
    const MPI_Aint places[2] = {0, 0};
    const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
    int code;

    value[i] = -1;
    code = TRY(MPI_Neighbor_alltoallw(&ones[i], ones, places, types, &value[i], ones, places, types, ring));
    CHECK(code || value[i] == 1);
    return end_call(i, code);
}

static const struct step steps[] = {
    {"MPI_Dims_create", create_dims, no_drop},
    {"MPI_Cart_map", map_cart, no_drop},
    {"MPI_Graph_map", map_graph, no_drop},
    {"MPI_Alltoallw", exchange_types, no_drop},
    {"MPI_Neighbor_alltoallw", exchange_with_neighbours, no_drop},
    {"MPI_Comm_create_keyval", create_keyval, drop_keyval},
    {"MPI_Comm_dup", dup_comm, drop_comm},
    {"MPI_Comm_idup", idup_comm, drop_idup},
    {"MPI_Comm_idup of one that is freed", idup_freed, drop_idup},
    {"MPI_Comm_split", split, drop_comm},
    {"MPI_Comm_split_type", split_shared, drop_comm},
    {"MPI_Cart_create", create_cart, drop_comm},
    {"MPI_Graph_create", create_graph, drop_comm},
    {"MPI_Dist_graph_create", create_dist_graph, drop_comm},
    {"MPI_Dist_graph_create_adjacent", create_adjacent, drop_comm},
    {"MPI_Comm_create_from_group", from_group, drop_comm},
    {"MPI_Group_incl", include, drop_group},
    {"MPI_Group_range_incl", include_range, drop_group},
    {"MPI_Info_dup", dup_info, drop_info},
    {"MPI_Comm_get_info", get_info, drop_info},
    {"MPI_Info_set", set_info, delete_key},
    {"MPI_Type_contiguous", contiguous, drop_type},
    {"MPI_Type_vector", vector, drop_type},
    {"MPI_Type_indexed", indexed, drop_type},
    {"MPI_Type_create_struct", structure, drop_type},
    {"MPI_Type_create_struct of many", structure_of_many, drop_type},
    {"MPI_Type_create_subarray", subarray, drop_type},
    {"MPI_Type_create_darray", darray, drop_type},
    {"MPI_Type_create_resized", resized, drop_type},
    {"MPI_Type_dup", dup_type, drop_type},
    {"MPI_Type_commit", commit, drop_type},
    {"MPI_Comm_set_attr", set_attribute, drop_comm},
    {"MPI_Type_set_attr", set_type_attribute, drop_type},
    {"MPI_Comm_create_errhandler", create_errhandler, drop_errhandler},
    {"MPI_Op_create", create_op, drop_op},
    {"MPI_Session_init", begin_session, end_session},
    {"MPI_Alloc_mem", allocate, drop_memory},
    {"MPI_Add_error_class", add_class, remove_class},
    {"MPI_Comm_dup_with_info", dup_with_info, drop_comm},
    {"MPI_Comm_idup_with_info", idup_with_info, drop_idup},
    {"MPI_Comm_create", create_comm, drop_comm},
    {"MPI_Comm_create_group", create_from_some, drop_comm},
    {"MPI_Cart_sub", cart_sub, drop_comm},
    {"MPI_Comm_set_info", set_hints, drop_comm},
    {"MPI_Comm_set_name", set_name, drop_comm},
    {"MPI_Group_excl", exclude, drop_group},
    {"MPI_Group_range_excl", exclude_range, drop_group},
    {"MPI_Group_union", unite, drop_group},
    {"MPI_Group_intersection", intersect, drop_group},
    {"MPI_Group_difference", subtract, drop_group},
    {"MPI_Comm_group", group_of_comm, drop_group},
    {"MPI_Info_create", create_info, drop_info},
    {"MPI_Info_create_env", create_env, drop_info},
    {"MPI_Session_get_info", session_info, drop_info},
    {"MPI_Session_get_pset_info", pset_info, drop_info},
    {"MPI_Group_from_session_pset", pset_group, drop_group},
    {"MPI_Type_create_hvector", hvector, drop_type},
    {"MPI_Type_create_hindexed", hindexed, drop_type},
    {"MPI_Type_create_indexed_block", indexed_block, drop_type},
    {"MPI_Type_create_hindexed_block", hindexed_block, drop_type},
    {"MPI_Type_get_contents", inner_types, drop_type},
    {"MPI_Type_set_name", name_type, drop_type},
    {"MPI_Open_port", open_port, close_port},
    {"MPI_Add_error_code", add_code, remove_code},
    {"MPI_Add_error_string", add_string, remove_string},
};

int main(void)
{
    begin_steps();
    MPI_Info_create(&hints);
    MPI_Info_set(hints, "mpi_assert_memory_alloc_kinds", "system");
    MPI_Info_set(hints, "mpi_assert_no_any_tag", "true");
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &a_session);
    MPI_Cart_create(MPI_COMM_WORLD, 1, ones, ones, 0, &ring);
    MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
    take_steps(steps, sizeof steps / sizeof steps[0]);
    MPI_Comm_free_keyval(&keyval);
    MPI_Type_free_keyval(&type_keyval);
    MPI_Session_finalize(&a_session);
    MPI_Comm_free(&ring);
    MPI_Info_free(&hints);
    end_steps();
    return 0;
}
