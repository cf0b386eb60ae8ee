! ranks: 2  fault: buffer
program room_allocated
  use mpi_f08
  implicit none
  integer, allocatable :: got(:)
  integer :: given(4), rank

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  given = 0
  allocate(got(4))
  if (rank == 0) then
    call MPI_Send(given, 4, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
  else
    call MPI_Recv(got, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! FAULT
  end if
  deallocate(got)
  call MPI_Finalize()
end program
