! ranks: 2  fault: root-mismatch
program roots
  use mpi
  implicit none
  integer :: value, rank, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  value = rank
  call MPI_Bcast(value, 1, MPI_INTEGER, rank, MPI_COMM_WORLD, ierror) ! FAULT
  call MPI_Finalize(ierror)
end program
