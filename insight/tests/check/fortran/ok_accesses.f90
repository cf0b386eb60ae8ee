! ranks: 2
! A flush frees buffers before MPI_Wait, MPI_NO_OP is a read, and room is what was allocated.
program accesses
  use mpi_f08
  implicit none
  integer, asynchronous :: given, got, seen
  integer, allocatable :: memory(:), whole(:)
  integer :: rank
  type(MPI_Request) :: request
  type(MPI_Win) :: win

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  allocate(memory(4), whole(10))
  memory = 0
  whole = rank
  given = 1
  call MPI_Win_create(memory, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  if (rank == 0) then
    call MPI_Win_lock_all(0, win)
    call MPI_Rput(given, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, request)
    call MPI_Win_flush(1, win)
    given = 42
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_unlock_all(win)
  end if
  call MPI_Win_fence(0, win)
  if (rank == 0) call MPI_Fetch_and_op(given, got, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, MPI_NO_OP, win)
  if (rank == 1) call MPI_Get(seen, 1, MPI_INTEGER, 1, 0_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call MPI_Win_free(win)
  deallocate(memory)
  call MPI_Bcast(whole, 10, MPI_INTEGER, 0, MPI_COMM_WORLD)
  call MPI_Sendrecv_replace(whole(3:7), 5, MPI_INTEGER, 1 - rank, 0, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Finalize()
end program
