! ranks: 2  fault: type-mismatch
program type_of_section
  use mpi_f08
  implicit none
  real :: values(20)
  integer :: received(10), rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  values = 1
  if (rank == 0) then
    call MPI_Send(values(1:19:2), 10, MPI_REAL, 1, 0, MPI_COMM_WORLD)
  else
    call MPI_Recv(received, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! FAULT
  end if
  call MPI_Finalize()
end program
