! ranks: 2  fault: deadlock
program deadlock
  use mpi_f08
  implicit none
  integer :: value, rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Recv(value, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! FAULT
  call MPI_Send(value, 1, MPI_INTEGER, 1 - rank, 0, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
