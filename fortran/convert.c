#include "convert.h"

#include "kept.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct scratch_block {
    struct kept kept;
    _Alignas(16) char memory[];
};

void *scratch_take(struct scratch *scratch, size_t size)
{
    size_t rounded = (size + 15) & ~(size_t)15;
    struct scratch_block *block;
    char *taken = scratch->near + scratch->used;

    if (rounded >= size && rounded <= sizeof scratch->near - scratch->used) {
        scratch->used += rounded;
        return taken;
    }
    block = size < SIZE_MAX / 2 ? malloc(sizeof *block + size) : NULL;
    if (!block) {
        scratch->failed = true;
        return NULL;
    }
    block->kept = (struct kept){.next = (struct kept *)scratch->block};
    scratch->block = block;
    return block->memory;
}

void scratch_free(struct scratch *scratch)
{
    while (scratch->block) {
        struct scratch_block *block = scratch->block;

        scratch->block = (struct scratch_block *)block->kept.next;
        free(block);
    }
}

void scratch_keep(struct scratch *scratch, int request)
{
    while (scratch->block) {
        struct scratch_block *block = scratch->block;

        scratch->block = (struct scratch_block *)block->kept.next;
        kept_add(&block->kept, request);
    }
}

int scratch_fail(struct scratch *scratch)
{
    scratch_free(scratch);
    return fortran_raise(MPI_ERR_NO_MEM, "no memory to pass the arguments of a Fortran call to C");
}

/* Errors without an object are raised on MPI_COMM_SELF, or on MPI_COMM_WORLD where the program has a handler there alone, as
 * far as the handlers show it: no call of the standard's tells which have been set. */
static MPI_Comm raised_on(void)
{
    MPI_Comm comm[2] = {MPI_COMM_SELF, MPI_COMM_WORLD};
    MPI_Errhandler handler[2];

    for (int i = 0; i < 2; i++) {
        if (PMPI_Comm_get_errhandler(comm[i], &handler[i]))
            return MPI_COMM_SELF;
        if (handler[i] != MPI_ERRORS_ARE_FATAL && handler[i] != MPI_ERRORS_ABORT) {
            if (handler[i] != MPI_ERRORS_RETURN)
                PMPI_Errhandler_free(&handler[i]);
            return comm[i];
        }
    }
    return MPI_COMM_SELF;
}

/* Errors of this library are rare, and their texts few: each gets a code when it is first needed, which stays. Two threads
 * that do so at once make two codes, both good. */
int fortran_raise(int class, const char *text)
{
    int code = class, made;

    if (PMPI_Add_error_code(class, &made) == MPI_SUCCESS && PMPI_Add_error_string(made, text) == MPI_SUCCESS)
        code = made;
    PMPI_Comm_call_errhandler(raised_on(), code);
    return code;
}

MPI_Datatype *datatypes_in(struct scratch *scratch, const int *handle, MPI_Count count)
{
    MPI_Datatype *type = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *type) : NULL;

    for (MPI_Count i = 0; type && i < count; i++)
        type[i] = datatype_in(handle[i]);
    return type;
}

MPI_Request *requests_in(struct scratch *scratch, const int *handle, MPI_Count count)
{
    MPI_Request *request = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *request) : NULL;

    for (MPI_Count i = 0; request && i < count; i++)
        request[i] = request_in(handle[i]);
    return request;
}

MPI_Info *infos_in(struct scratch *scratch, const int *handle, MPI_Count count)
{
    MPI_Info *info = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *info) : NULL;

    for (MPI_Count i = 0; info && i < count; i++)
        info[i] = info_in(handle[i]);
    return info;
}

void requests_out(const MPI_Request *request, int *handle, MPI_Count count, uint64_t mark)
{
    const int null = PMPI_Request_toint(MPI_REQUEST_NULL);

    for (MPI_Count i = 0; request && i < count; i++) {
        if (mark && request[i] != MPI_REQUEST_NULL)
            kept_look(&handle[i], 1);
        else if (mark && handle[i] != null)
            kept_complete(handle[i], mark);
        handle[i] = request[i] == MPI_REQUEST_NULL ? null : PMPI_Request_toint(request[i]);
    }
}

MPI_Datatype *datatypes_room(struct scratch *scratch, MPI_Count count)
{
    MPI_Datatype *type = count > 0 ? scratch_take(scratch, (size_t)count * sizeof *type) : NULL;

    for (MPI_Count i = 0; type && i < count; i++)
        type[i] = (MPI_Datatype)0;
    return type;
}

void datatypes_out(const MPI_Datatype *type, int *handle, MPI_Count count)
{
    for (MPI_Count i = 0; type && i < count; i++)
        if (type[i])
            handle[i] = PMPI_Type_toint(type[i]);
}

int peers_of(MPI_Comm comm)
{
    int inter = 0, size = 0;

    if (PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return 0;
    if (inter)
        PMPI_Comm_remote_size(comm, &size);
    else
        PMPI_Comm_size(comm, &size);
    return size;
}

/* Of a communicator without a topology: none, of which the call itself complains. */
static void comm_degrees(MPI_Comm comm, int *to, int *from)
{
    int topology = MPI_UNDEFINED, rank = 0, weighted;

    *to = *from = 0;
    if (PMPI_Topo_test(comm, &topology) != MPI_SUCCESS)
        return;
    if (topology == MPI_CART) {
        *to = *from = 2 * cart_dims(comm);
    } else if (topology == MPI_GRAPH) {
        PMPI_Comm_rank(comm, &rank);
        PMPI_Graph_neighbors_count(comm, rank, to);
        *from = *to;
    } else if (topology == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, from, to, &weighted);
    }
}

int neighbors_to(MPI_Comm comm)
{
    int to, from;

    comm_degrees(comm, &to, &from);
    return to;
}

int neighbors_from(MPI_Comm comm)
{
    int to, from;

    comm_degrees(comm, &to, &from);
    return from;
}

int cart_dims(MPI_Comm comm)
{
    int dims = 0, topology = MPI_UNDEFINED;

    if (PMPI_Topo_test(comm, &topology) == MPI_SUCCESS && topology == MPI_CART)
        PMPI_Cartdim_get(comm, &dims);
    return dims;
}
