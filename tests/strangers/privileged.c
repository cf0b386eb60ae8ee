/* privileged: says whether it has more rights than who started it, the size of its job, and what is left of three
 * variables. With an argument it ends by an error, whose message has the stack. */
#include "check.h"

#include <sys/auxv.h>

static const char *shown(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "-";
}

int main(int argc, char **argv)
{
    int size;

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_size(MPI_COMM_WORLD, &size), MPI_SUCCESS);
    printf("%s %d %s %s %s\n", getauxval(AT_SECURE) ? "raised" : "plain", size, shown("INKLING_SPIN_TIME"),
           shown("HWLOC_PLUGINS_PATH"), shown("OF_THE_PROGRAM"));
    fflush(stdout);
    if (argc > 1)
        MPI_Send(NULL, 0, MPI_BYTE, size, 0, MPI_COMM_WORLD); /* no such rank */
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
