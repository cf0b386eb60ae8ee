/* ranks: 1 2 4 also: BIND=true */
/* R46: MPI_Comm_split_type with MPI_COMM_TYPE_HW_UNGUIDED writes mpi_hw_resource_type into the caller's info
 * where a communicator came out, and leaves the info alone where none did. The keys of the call are no hints
 * of the new communicator. BIND: each rank has a core of its own, as far as there are so many, so that one comes
 * out. */
#include "hints.h"

#include <sched.h>
#include <unistd.h>

/* Whether ranks 0 and 1 will be on different cores. */
static int bind_to_one_core(int rank)
{
    cpu_set_t all, one;
    int core = -1;

    CHECK_EQ(sched_getaffinity(0, sizeof all, &all), 0);
    for (int i = rank % CPU_COUNT(&all); i >= 0; i--)
        while (!CPU_ISSET(++core, &all))
            ;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    CHECK_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    return CPU_COUNT(&all) > 1;
}

/* Whether MPI_Get_hw_resource_info knows the resource by this name. */
static int is_resource(const char *name)
{
    MPI_Info info;
    int known;

    CHECK_EQ(MPI_Get_hw_resource_info(&info), MPI_SUCCESS);
    known = value_of(info, name) != NULL;
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return known;
}

static MPI_Comm split_below(MPI_Comm parent)
{
    MPI_Info info = info_with(NO_ANY_SOURCE, "true");
    char resource[MPI_MAX_INFO_VAL + 1];
    MPI_Comm part;

    CHECK_EQ(MPI_Comm_split_type(parent, MPI_COMM_TYPE_HW_UNGUIDED, 0, info, &part), MPI_SUCCESS);
    CHECK_STR(value_of(info, NO_ANY_SOURCE), "true");
    if (part == MPI_COMM_NULL) {
        CHECK(value_of(info, "mpi_hw_resource_type") == NULL);
    } else {
        CHECK(value_of(info, "mpi_hw_resource_type") != NULL);
        snprintf(resource, sizeof resource, "%s", value_of(info, "mpi_hw_resource_type"));
        CHECK(is_resource(resource));
        CHECK(size_of(part) < size_of(parent)); /* a strict subset */
        CHECK_HINT(part, NO_ANY_SOURCE, "true");
        CHECK_NO_HINT(part, "mpi_hw_resource_type");
    }
    CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
    return part;
}

int main(int argc, char **argv)
{
    const char *rank = getenv("PMI_RANK");
    int is_apart = 0;
    MPI_Comm now, next;

    if (getenv("BIND"))
        is_apart = bind_to_one_core(rank ? atoi(rank) : 0);
    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    is_apart &= size_of(MPI_COMM_WORLD) > 1;
    now = dup_of(MPI_COMM_WORLD);
    while (now != MPI_COMM_NULL) {
        next = split_below(now);
        CHECK(next != MPI_COMM_NULL || !is_apart);
        is_apart = 0; /* some ranks share a core from now on */
        CHECK_EQ(MPI_Comm_free(&now), MPI_SUCCESS);
        now = next;
    }
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
