/* start READS: a rank that opens the network loads nothing for devices that this host does not have. Counted, not timed: libraries that
 * are mapped, and system calls that read, of which libfabric alone makes some thousand where it looks through the names of the kernel. */
#include "check.h"

#include <glob.h>
#include <stdbool.h>

/* Calls of read and their like that this process has made. */
static long count_reads(void)
{
    FILE *io = fopen("/proc/self/io", "r");
    char line[100];
    long reads = -1;

    while (io && fgets(line, sizeof line, io) && sscanf(line, "syscr: %ld", &reads) != 1)
        ;
    if (io)
        fclose(io);
    return reads;
}

static bool is_mapped(const char *name)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[5000];
    bool found = false;

    CHECK(maps != NULL);
    while (!found && fgets(line, sizeof line, maps))
        found = strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static bool is_there(const char *pattern)
{
    glob_t found;
    bool is = glob(pattern, 0, NULL, &found) == 0;

    globfree(&found);
    return is;
}

int main(int argc, char **argv)
{
    long most = argc > 1 ? atol(argv[1]) : 0, before = count_reads(), reads;
    const char *transport = getenv("INKLING_TRANSPORT");

    CHECK_EQ(MPI_Init(&argc, &argv), MPI_SUCCESS);
    CHECK_EQ(MPI_Barrier(MPI_COMM_WORLD), MPI_SUCCESS);
    reads = count_reads() - before;
    CHECK(transport && is_mapped(strcmp(transport, "ofi") == 0 ? "/libfabric.so" : "/libucp.so"));
    printf("%ld system calls that read, of %ld at most\n", reads, most);
    CHECK(before < 0 || most == 0 || reads <= most);
    CHECK(is_there("/dev/hfi1*") || !is_mapped("/libpsm2.so"));
    CHECK(is_there("/dev/ipath*") ||
          (!is_mapped("/libpsm_infinipath.so") && !is_mapped("/libinfinipath.so")));
    CHECK_EQ(MPI_Finalize(), MPI_SUCCESS);
    return 0;
}
