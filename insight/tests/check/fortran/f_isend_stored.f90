! ranks: 2  fault: buffer  needs: watchpoints
program isend_stored
  use mpi_f08
  implicit none
  double precision :: values(100)
  integer :: rank
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  values = 1
  if (rank == 0) then
    call MPI_Isend(values, 100, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD, request)
    values(40) = 2 ! FAULT
    call MPI_Wait(request, MPI_STATUS_IGNORE)
  else
    call MPI_Recv(values, 100, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  end if
  call MPI_Finalize()
end program
