! What differs between the interfaces, for tests that are compiled with each: -DMPIF_H, -DMPI, -DMPI_F08.
#ifdef MPIF_H
#define USE_MPI
#define INCLUDE_MPI include 'mpif.h'
#endif
#ifdef MPI
#define USE_MPI use mpi
#define INCLUDE_MPI
#endif
#ifdef MPI_F08
#define USE_MPI use mpi_f08
#define INCLUDE_MPI
#define HANDLE(name) type(name)
#define STATUS(name) type(MPI_Status) :: name
#define STATUS_SOURCE(name) name%MPI_SOURCE
#else
#define HANDLE(name) integer
#define STATUS(name) integer :: name(MPI_STATUS_SIZE)
#define STATUS_SOURCE(name) name(MPI_SOURCE)
#endif
