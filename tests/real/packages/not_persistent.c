/* Persistent collectives for MPI libraries before MPI-4.0 that lack them, whose programs do not call them. */
#include <mpi.h>

#if MPI_VERSION < 4 && (!defined(OMPI_MAJOR_VERSION) || OMPI_MAJOR_VERSION < 5)
int MPI_Barrier_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Bcast_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Gather_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Gatherv_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Scatter_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Scatterv_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Allgather_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Allgatherv_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Alltoall_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Alltoallv_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Alltoallw_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Reduce_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Allreduce_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Reduce_scatter_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Reduce_scatter_block_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
int MPI_Scan_init(void)
{
    return MPI_ERR_UNSUPPORTED_OPERATION;
}
#endif
