! ranks: 2  fault: buffer  needs: watchpoints
program irecv_printed
  use mpi
  implicit none
  integer :: values(10), rank, request, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  values = 1
  if (rank == 0) then
    call MPI_Irecv(values, 10, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, request, ierror)
    print *, values(3) ! FAULT
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
  else
    call MPI_Send(values, 10, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, ierror)
  end if
  call MPI_Finalize(ierror)
end program
