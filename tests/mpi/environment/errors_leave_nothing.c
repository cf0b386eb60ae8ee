/* ranks: 1 2 */
/* A call that is refused returns an error and leaves no memory behind, however far it had come. */
#include "check.h"

#include <malloc.h>
#include <stdint.h>
#include <string.h>

enum {
    WARM = 20,  /* calls after which the library has the tables that it keeps */
    TIMES = 100 /* and those that are looked at */
};

static MPI_Group world_group;
static MPI_Info info;
static MPI_Comm line; /* with a topology */
static MPI_Datatype mixed;
static int ones[] = {1, 1}, ranks, values[16];
static MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};
static const MPI_Aint places[] = {0, 8};

/* Some of what is refused is refused late: at the second of two. */
static int incl(void)
{
    MPI_Group group;

    return MPI_Group_incl(world_group, 2, (int[]){0, ranks}, &group);
}

static int incl_twice(void)
{
    MPI_Group group;

    return MPI_Group_incl(world_group, 2, (int[]){0, 0}, &group);
}

static int excl(void)
{
    MPI_Group group;

    return MPI_Group_excl(world_group, 2, (int[]){0, -1}, &group);
}

static int range_incl(void)
{
    MPI_Group group;

    return MPI_Group_range_incl(world_group, 2, (int[2][3]){{0, 0, 1}, {0, ranks, 1}}, &group);
}

static int range_excl(void)
{
    MPI_Group group;

    return MPI_Group_range_excl(world_group, 2, (int[2][3]){{0, 0, 1}, {0, 0, 0}}, &group);
}

static int translate(void)
{
    int found[2];

    return MPI_Group_translate_ranks(world_group, 2, (int[]){0, ranks}, MPI_GROUP_EMPTY, found);
}

static int split(void)
{
    MPI_Comm comm;

    return MPI_Comm_split(MPI_COMM_WORLD, -7, 0, &comm);
}

static int split_type(void)
{
    MPI_Comm comm;

    return MPI_Comm_split_type(MPI_COMM_WORLD, 4711, 0, info, &comm);
}

static int create_group(void)
{
    MPI_Comm comm;

    return MPI_Comm_create_group(MPI_COMM_WORLD, world_group, -1, &comm);
}

static int from_group(void)
{
    MPI_Comm comm;

    return MPI_Comm_create_from_group(world_group, NULL, info, MPI_ERRORS_RETURN, &comm);
}

static int cart_too_large(void)
{
    MPI_Comm comm;

    return MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){ranks, 2}, (int[]){0, 0}, 0, &comm);
}

static int cart_negative(void)
{
    MPI_Comm comm;

    return MPI_Cart_create(MPI_COMM_WORLD, 2, (int[]){1, -1}, (int[]){0, 0}, 0, &comm);
}

static int graph_edge(void)
{
    MPI_Comm comm;

    return MPI_Graph_create(MPI_COMM_WORLD, 1, (int[]){2}, (int[]){0, 1}, 0, &comm);
}

static int dist_graph(void)
{
    MPI_Comm comm;

    return MPI_Dist_graph_create(MPI_COMM_WORLD, 2, (int[]){0, 0}, ones, (int[]){0, ranks}, MPI_UNWEIGHTED,
                                 info, 0, &comm);
}

static int dist_graph_weight(void)
{
    MPI_Comm comm;

    return MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, (int[]){0}, (int[]){-1}, 1, (int[]){0}, ones,
                                          info, 0, &comm);
}

static int dims(void)
{
    int dim[] = {3, 0};

    return MPI_Dims_create(10, 2, dim);
}

static int structure(void)
{
    MPI_Datatype type;

    return MPI_Type_create_struct(2, ones, places, types, &type);
}

static int structure_block(void)
{
    MPI_Datatype type;

    return MPI_Type_create_struct(2, (int[]){1, -1}, places, (MPI_Datatype[]){mixed, mixed}, &type);
}

static int indexed(void)
{
    MPI_Datatype type;

    return MPI_Type_indexed(2, (int[]){1, -1}, (int[]){0, 5}, mixed, &type);
}

static int hindexed_far(void)
{
    MPI_Datatype type;

    return MPI_Type_create_hindexed(2, (int[]){1, 2147483647}, (MPI_Aint[]){0, INT64_MAX}, mixed, &type);
}

static int vector_huge(void)
{
    MPI_Datatype type;

    return MPI_Type_create_hvector(2147483647, 1, (MPI_Aint)1 << 60, mixed, &type);
}

static int subarray(void)
{
    MPI_Datatype type;

    return MPI_Type_create_subarray(2, (int[]){4, 4}, (int[]){2, 3}, (int[]){1, 2}, MPI_ORDER_C, mixed,
                                    &type);
}

static int darray(void)
{
    MPI_Datatype type;

    return MPI_Type_create_darray(2, 0, 2, (int[]){4, 4},
                                  (int[]){MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_BLOCK}, (int[]){1, 1},
                                  (int[]){2, 1}, MPI_ORDER_C, mixed, &type);
}

static int contents(void)
{
    int integers[1];
    MPI_Aint addresses[1];
    MPI_Datatype inner[1];

    return MPI_Type_get_contents(mixed, 1, 1, 1, integers, addresses, inner);
}

static int pack(void)
{
    int position = 0;

    return MPI_Pack(values, 2, MPI_INT, &values[8], 7, &position, MPI_COMM_WORLD);
}

static int unpack(void)
{
    int position = 0;

    return MPI_Unpack(values, 7, &position, &values[8], 2, MPI_INT, MPI_COMM_WORLD);
}

static int info_key(void)
{
    return MPI_Info_set(info, "", "value");
}

static int info_absent(void)
{
    return MPI_Info_delete(info, "nothing of that name");
}

static int pset_number(void)
{
    MPI_Session session;
    char name[10];
    int error, length = sizeof name;

    CHECK_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    error = MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 4711, &length, name);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    return error;
}

static int close_port(void)
{
    return MPI_Close_port("inkling:nothing");
}

static int connect_to(void)
{
    MPI_Comm comm;

    return MPI_Comm_connect("inkling:nothing", MPI_INFO_NULL, 0, MPI_COMM_SELF, &comm);
}

static int send_to(void)
{
    MPI_Request request;

    return MPI_Isend(values, 1, MPI_INT, ranks, 0, MPI_COMM_WORLD, &request);
}

static int send_init(void)
{
    MPI_Request request;

    return MPI_Send_init(values, 1, MPI_INT, 0, -5, MPI_COMM_WORLD, &request);
}

static int psend_init(void)
{
    MPI_Request request;

    return MPI_Psend_init(values, -1, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

/* The error is the message's, which is complete. */
static int truncate(void)
{
    MPI_Request request;
    int error;

    CHECK_EQ(MPI_Irecv(values, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Send(values, 3, MPI_INT, 0, 1, MPI_COMM_SELF), MPI_SUCCESS);
    error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL);
    return error;
}

static int truncate_all(void)
{
    MPI_Request request[2];
    int error;

    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Irecv(&values[i], 1, MPI_INT, 0, i, MPI_COMM_SELF, &request[i]), MPI_SUCCESS);
    for (int i = 0; i < 2; i++)
        CHECK_EQ(MPI_Send(values, 1 + i, MPI_INT, 0, i, MPI_COMM_SELF), MPI_SUCCESS);
    error = MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    CHECK(request[0] == MPI_REQUEST_NULL && request[1] == MPI_REQUEST_NULL);
    return error;
}

static int startall(void)
{
    MPI_Request request[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int error;

    CHECK_EQ(MPI_Recv_init(values, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &request[0]), MPI_SUCCESS);
    error = MPI_Startall(2, request);
    CHECK_EQ(MPI_Request_free(&request[0]), MPI_SUCCESS);
    return error;
}

static int bcast_root(void)
{
    MPI_Request request;

    return MPI_Ibcast(values, 1, MPI_INT, ranks, MPI_COMM_WORLD, &request);
}

static int reduce_op(void)
{
    MPI_Request request;

    return MPI_Iallreduce(values, &values[8], 1, MPI_FLOAT, MPI_BAND, MPI_COMM_WORLD, &request);
}

static int reduce_init(void)
{
    MPI_Request request;

    return MPI_Allreduce_init(values, &values[8], 1, mixed, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
}

static int gather_counts(void)
{
    MPI_Request request;

    return MPI_Iallgatherv(values, 1, MPI_INT, &values[4], (int[]){-1, -1}, (int[]){0, 1}, MPI_INT,
                           MPI_COMM_WORLD, &request);
}

static int alltoallw(void)
{
    MPI_Request request;
    MPI_Datatype none[] = {MPI_DATATYPE_NULL, MPI_DATATYPE_NULL}, some[] = {MPI_INT, MPI_INT};

    return MPI_Ialltoallw(values, ones, (int[]){0, 4}, some, &values[4], ones, (int[]){0, 4}, none,
                          MPI_COMM_WORLD, &request);
}

static int neighbors_of_none(void)
{
    MPI_Request request;

    return MPI_Ineighbor_allgather(values, 1, MPI_INT, &values[4], 1, MPI_INT, MPI_COMM_WORLD, &request);
}

static int neighbor_counts(void)
{
    MPI_Request request;

    return MPI_Ineighbor_alltoallv(values, (int[]){-1, -1}, (int[]){0, 1}, MPI_INT, &values[4], ones,
                                   (int[]){0, 1}, MPI_INT, line, &request);
}

static int attribute(void)
{
    return MPI_Comm_set_attr(MPI_COMM_WORLD, MPI_TAG_UB, values);
}

static int refuse_copy(MPI_Comm comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
    (void)comm, (void)keyval, (void)extra, (void)value, (void)copy, (void)flag;
    return MPI_ERR_OTHER;
}

/* The second attribute cannot be copied; the copy of the first goes. */
static int dup_attributes(void)
{
    MPI_Comm comm, copy;
    int first, second, error;

    CHECK_EQ(MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &first, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_create_keyval(refuse_copy, MPI_COMM_NULL_DELETE_FN, &second, NULL), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_dup(MPI_COMM_SELF, &comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_attr(comm, first, values), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_attr(comm, second, values), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), MPI_SUCCESS);
    error = MPI_Comm_dup(comm, &copy);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&first), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free_keyval(&second), MPI_SUCCESS);
    return error;
}

static int query(void *state, MPI_Status *status)
{
    (void)state, (void)status;
    return MPI_ERR_OTHER;
}

static int free_state(void *state)
{
    (void)state;
    return MPI_SUCCESS;
}

static int cancel(void *state, int is_complete)
{
    (void)state, (void)is_complete;
    return MPI_SUCCESS;
}

static int generalized(void)
{
    MPI_Request request;

    CHECK_EQ(MPI_Grequest_start(query, free_state, cancel, NULL, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Grequest_complete(request), MPI_SUCCESS);
    return MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static int error_string(void)
{
    return MPI_Add_error_string(MPI_ERR_OTHER, "of the library");
}

static int thread_level(void)
{
    MPI_Session session;
    MPI_Info bad;
    int error;

    CHECK_EQ(MPI_Info_create(&bad), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_set(bad, "thread_level", "MPI_THREAD_NONE"), MPI_SUCCESS);
    error = MPI_Session_init(bad, MPI_ERRORS_RETURN, &session); /* it takes another level */
    CHECK_EQ(error, MPI_SUCCESS);
    CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&bad), MPI_SUCCESS);
    return MPI_ERR_OTHER;
}

static int attach(void)
{
    return MPI_Buffer_attach(values, -1);
}

static int matched(void)
{
    MPI_Message message;

    return MPI_Mprobe(ranks, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
}

static const struct step {
    const char *name;
    int (*call)(void);
} steps[] = {
    {"MPI_Group_incl", incl},
    {"MPI_Group_incl twice", incl_twice},
    {"MPI_Group_excl", excl},
    {"MPI_Group_range_incl", range_incl},
    {"MPI_Group_range_excl", range_excl},
    {"MPI_Group_translate_ranks", translate},
    {"MPI_Comm_split", split},
    {"MPI_Comm_split_type", split_type},
    {"MPI_Comm_create_group", create_group},
    {"MPI_Comm_create_from_group", from_group},
    {"MPI_Cart_create, too many", cart_too_large},
    {"MPI_Cart_create, negative", cart_negative},
    {"MPI_Graph_create", graph_edge},
    {"MPI_Dist_graph_create", dist_graph},
    {"MPI_Dist_graph_create_adjacent", dist_graph_weight},
    {"MPI_Dims_create", dims},
    {"MPI_Type_create_struct", structure},
    {"MPI_Type_create_struct, negative", structure_block},
    {"MPI_Type_indexed", indexed},
    {"MPI_Type_create_hindexed", hindexed_far},
    {"MPI_Type_create_hvector", vector_huge},
    {"MPI_Type_create_subarray", subarray},
    {"MPI_Type_create_darray", darray},
    {"MPI_Type_get_contents", contents},
    {"MPI_Pack", pack},
    {"MPI_Unpack", unpack},
    {"MPI_Info_set", info_key},
    {"MPI_Info_delete", info_absent},
    {"MPI_Session_get_nth_pset", pset_number},
    {"MPI_Close_port", close_port},
    {"MPI_Comm_connect", connect_to},
    {"MPI_Isend", send_to},
    {"MPI_Send_init", send_init},
    {"MPI_Psend_init", psend_init},
    {"MPI_Wait", truncate},
    {"MPI_Waitall", truncate_all},
    {"MPI_Startall", startall},
    {"MPI_Ibcast", bcast_root},
    {"MPI_Iallreduce", reduce_op},
    {"MPI_Allreduce_init", reduce_init},
    {"MPI_Iallgatherv", gather_counts},
    {"MPI_Ialltoallw", alltoallw},
    {"MPI_Ineighbor_allgather", neighbors_of_none},
    {"MPI_Ineighbor_alltoallv", neighbor_counts},
    {"MPI_Comm_set_attr", attribute},
    {"MPI_Comm_dup", dup_attributes},
    {"MPI_Grequest_start", generalized},
    {"MPI_Add_error_string", error_string},
    {"MPI_Session_init", thread_level},
    {"MPI_Buffer_attach", attach},
    {"MPI_Mprobe", matched},
};

static void repeat(const struct step *step, int times)
{
    for (int i = 0; i < times; i++) {
        int error = step->call();

        if (error == MPI_SUCCESS)
            fprintf(stderr, "%s was not refused\n", step->name);
        CHECK(error != MPI_SUCCESS);
    }
}

static size_t bytes_in_use(void)
{
    struct mallinfo2 now = mallinfo2();

    return now.uordblks + now.hblkhd;
}

int main(void)
{
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_group(MPI_COMM_WORLD, &world_group);
    MPI_Info_create(&info);
    MPI_Type_create_struct(2, ones, places, (MPI_Datatype[]){MPI_INT, MPI_DOUBLE}, &mixed);
    MPI_Type_commit(&mixed);
    MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, (int[]){1}, 0, &line);
    MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN);
    for (size_t s = 0; s < sizeof steps / sizeof steps[0]; s++) {
        repeat(&steps[s], WARM);
        size_t before = bytes_in_use();

        repeat(&steps[s], TIMES);
        size_t after = bytes_in_use();

        if (after > before)
            fprintf(stderr, "%s: %d calls leave %zu bytes\n", steps[s].name, TIMES, after - before);
        CHECK(after <= before);
    }
    MPI_Comm_free(&line);
    MPI_Type_free(&mixed);
    MPI_Info_free(&info);
    MPI_Group_free(&world_group);
    MPI_Finalize();
    return 0;
}
