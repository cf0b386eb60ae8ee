/* tells: prints what a process knows about its job and how it was started, one line per rank:
 *
 *     rank 1/4 host host1 near 2 appnum 0 universe 4 global 0 host_rank -2 info argv=a b;command=tells;...
 */
#include "check.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum {
    LINE = 4096
};

static int attribute(int key, int absent)
{
    int *value, found;

    CHECK_EQ(MPI_Comm_get_attr(MPI_COMM_WORLD, key, &value, &found), MPI_SUCCESS);
    return found ? *value : absent;
}

static int count_near(void)
{
    MPI_Comm host;
    int near;

    CHECK_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(host, &near), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&host), MPI_SUCCESS);
    return near;
}

static void tell_info(char *line, MPI_Info info)
{
    int keys;

    CHECK_EQ(MPI_Info_get_nkeys(info, &keys), MPI_SUCCESS);
    for (int i = 0; i < keys; i++) {
        char key[MPI_MAX_INFO_KEY + 1], value[1024];
        int size = sizeof value, found;

        CHECK_EQ(MPI_Info_get_nthkey(info, i, key), MPI_SUCCESS);
        CHECK_EQ(MPI_Info_get_string(info, key, &size, value, &found), MPI_SUCCESS);
        CHECK(found);
        snprintf(line + strlen(line), LINE - strlen(line), "%s=%s;", key, value);
    }
}

int main(int argc, char **argv)
{
    char line[LINE], name[MPI_MAX_PROCESSOR_NAME], kinds[256] = "";
    int rank, size, length, found, room = sizeof kinds;
    MPI_Info in_force;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_rank(MPI_COMM_WORLD, &rank), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    CHECK_EQ(MPI_Get_processor_name(name, &length), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_get_info(MPI_COMM_WORLD, &in_force), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_get_string(in_force, "mpi_memory_alloc_kinds", &room, kinds, &found), MPI_SUCCESS);
    CHECK_EQ(MPI_Info_free(&in_force), MPI_SUCCESS);
    snprintf(line, sizeof line,
             "rank %d/%d host %s near %d appnum %d universe %d global %d host_rank %d kinds %s info ", rank,
             size, name, count_near(), attribute(MPI_APPNUM, -1), attribute(MPI_UNIVERSE_SIZE, -1),
             attribute(MPI_WTIME_IS_GLOBAL, -1), attribute(MPI_HOST, MPI_PROC_NULL), kinds);
    tell_info(line, MPI_INFO_ENV);
    strcat(line, "\n");
    fputs(line, stdout);
    fflush(stdout);
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
