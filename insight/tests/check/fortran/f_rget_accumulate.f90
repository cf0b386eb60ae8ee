! ranks: 2  fault: buffer
program rget_accumulate
  use mpi_f08
  implicit none
  integer, asynchronous :: given, got
  integer :: memory(4), rank
  type(MPI_Request) :: request
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  memory = 0
  given = 1
  call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  if (rank == 0) then
    call MPI_Win_lock_all(0, win)
    call MPI_Rget_accumulate(given, 1, MPI_INTEGER, got, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, MPI_SUM, &
                             win, request) ! FAULT
    given = 42
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_unlock_all(win)
  end if
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
