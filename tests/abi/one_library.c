/* A program, and with LIBRARY_HALF a shared library of its, that abi.py links to two names of the MPI
 * library. It exits with 0 if the process has loaded that once and both halves see the same MPI. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

void *half_sees(void);
int half_is_initialized(void);

#ifdef LIBRARY_HALF
void *half_sees(void)
{
    return (void *)MPI_Comm_rank;
}

int half_is_initialized(void)
{
    int flag = 0;

    MPI_Initialized(&flag);
    return flag;
}
#else
static int count(struct dl_phdr_info *object, size_t size, void *copies)
{
    (void)size;
    if (strstr(object->dlpi_name, "/libmpi_abi.so")) {
        printf("loaded: %s\n", object->dlpi_name);
        ++*(int *)copies;
    }
    return 0;
}

int main(int argc, char **argv)
{
    int copies = 0;
    void *again;

    MPI_Init(&argc, &argv);
    again = dlopen(argc > 1 ? argv[1] : "libmpi_abi.so.1", RTLD_NOW | RTLD_LOCAL);
    dl_iterate_phdr(count, &copies);
    printf("copies: %d, dlopen: %s, same procedure: %d\n", copies, again ? "well" : dlerror(),
           half_sees() == (void *)MPI_Comm_rank);
    if (copies != 1 || !again || dlsym(again, "MPI_Comm_rank") != half_sees() ||
        half_sees() != (void *)MPI_Comm_rank || !half_is_initialized())
        return 1;
    return MPI_Finalize();
}
#endif
