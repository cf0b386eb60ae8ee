#include "hint/print.h"

#include <stddef.h>
#include <string.h>

static const char spawn[] = "MPI_Comm_spawn, MPI_Comm_spawn_multiple", env[] = "MPI_INFO_ENV",
                  names[] = "MPI_Publish_name, MPI_Unpublish_name, MPI_Lookup_name";

const struct other_key other_key_table[] = {
    {"mpi_hw_resource_type", "MPI_Comm_split_type, guided",
     "mpi_shared_memory, hwloc://Package, hwloc://NUMANode, hwloc://L3Cache, hwloc://L2Cache, hwloc://Core "
     "or hwloc://PU",
     "Ranks that are bound to the same one get a communicator; MPI_Get_hw_resource_info tells which are "
     "known here.",
     "MPI-4.0"},
    {"mpi_pset_name", "MPI_Comm_split_type, guided", "the name of a process set",
     "Ranks in this process set get a communicator; needs a communicator that comes from a session.",
     "MPI-4.1"},
    {"mpi_size", "MPI_Session_get_pset_info", "a number", "Tells how many processes are in the process set.",
     "MPI-4.0"},
    {"command", env, "a path", "Tells the program that was started.", "MPI-3.0"},
    {"argv", env, "words, separated by spaces", "Tells its arguments.", "MPI-3.0"},
    {"maxprocs", env, "a number", "Tells how many processes were requested.", "MPI-3.0"},
    {"thread_level", env, "MPI_THREAD_SINGLE ... MPI_THREAD_MULTIPLE",
     "Tells the level that mpiexec --thread-level asked for; is not there without it.", "MPI-3.0"},
    {"soft", spawn, "numbers: n, a:b or a:b:step, separated by commas",
     "Starts the largest of these numbers of processes, up to maxprocs; MPI_INFO_ENV tells it of mpiexec "
     "--soft.",
     "MPI-2.0"},
    {"host", spawn, "names, separated by commas",
     "Hosts to start on; others than this one take a launcher; MPI_INFO_ENV tells those of mpiexec --host.",
     "MPI-2.0"},
    {"arch", spawn, "a name, as uname -m says it",
     "Starts only on this architecture; MPI_INFO_ENV tells that of mpiexec --arch.", "MPI-2.0"},
    {"wdir", spawn, "a path", "The processes work in this folder; MPI_INFO_ENV tells that of this process.",
     "MPI-2.0"},
    {"path", spawn, "paths, separated by colons", "The program is looked for in these first.", "MPI-2.0"},
    {"file", spawn, "a path", "Reads more options from this file; MPI_INFO_ENV tells that of mpiexec --file.",
     "MPI-2.0"},
    {"appnum", spawn, "a number", "The value of MPI_APPNUM.", "MPI-3.0"},
    {"env", spawn, "NAME=VALUE, one a line", "Sets these variables in the environment of the processes.",
     "1.0.0"},
    {"mpi_initial_errhandler", spawn, "mpi_errors_are_fatal, mpi_errors_abort or mpi_errors_return",
     "The error handler that the processes begin with; MPI_INFO_ENV tells that of mpiexec "
     "--initial-errhandler.",
     "MPI-4.0"},
    {"mpi_memory_alloc_kinds", spawn, "a list of kinds of memory",
     "The kinds that the processes ask for, as mpiexec --memory-alloc-kinds.", "MPI-4.1"},
    {"inkling_name_scope", names, "user or job",
     "Who sees the name: all jobs of the user that use the same directory, or this job alone.", "1.0.0"},
    {"ip_port", "MPI_Open_port", "a number", "Ignored: the library chooses the port.", "MPI-2.0"},
    {"ip_address", "MPI_Open_port", "an address", "Ignored: a port is reached at all addresses of the host.",
     "MPI-2.0"},
    {NULL, NULL, NULL, NULL, NULL},
};

const struct other_key *other_key_find(const char *key)
{
    for (const struct other_key *k = other_key_table; k->key; k++)
        if (strcmp(k->key, key) == 0)
            return k;
    return NULL;
}
