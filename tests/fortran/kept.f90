! ranks: 2. Arrays of datatypes are kept until the request of MPI_Ialltoallw completes or that of MPI_Alltoallw_init is freed (kept.c
! looks), and no longer.
program kept
  use mpi_f08
  implicit none
  integer, asynchronous :: a(2), b(2), counts(2), places(2)
  type(MPI_Datatype), asynchronous :: types(2)
  type(MPI_Request) :: request(1), others(100)
  integer :: rank, i, j
  integer(8) :: before, after
  interface
    subroutine look_for_kept()
    end subroutine
    subroutine heap_in_use(bytes)
      integer(8), intent(out) :: bytes
    end subroutine
  end interface
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  counts = 1
  places = [0, 4]
  types = MPI_INTEGER
  do i = 1, 2000
    if (i == 1000) call heap_in_use(before)
    a = [10 * rank, 10 * rank + 1] + 100 * i
    call MPI_Ialltoallw(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD, request(1))
    call overwrite()
    call look_for_kept()
    call MPI_Waitall(1, request, MPI_STATUSES_IGNORE)
    call expect_true(all(b == [rank, 10 + rank] + 100 * i) .and. request(1) == MPI_REQUEST_NULL, 'MPI_Ialltoallw')
  end do
  call heap_in_use(after)
  call expect_true(after - before < 16 * 1000, 'what is kept is freed when requests complete')
  call MPI_Alltoallw_init(a, counts, places, types, b, counts, places, types, MPI_COMM_WORLD, MPI_INFO_NULL, request(1))
  do i = 1, 10
    call overwrite()
    a = [10 * rank, 10 * rank + 1] + 100 * i
    call MPI_Start(request(1))
    call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    call look_for_kept()
    call expect_true(all(b == [rank, 10 + rank] + 100 * i), 'MPI_Alltoallw_init')
  end do
  call look_for_kept()
  call MPI_Request_free(request(1))
  call MPI_Finalize()
contains
  ! Calls that need memory for arguments, on the stack and from malloc.
  subroutine overwrite()
    logical :: flag
    others = MPI_REQUEST_NULL
    do j = 1, 200, 99
      call MPI_Testall(min(j, 100), others, flag, MPI_STATUSES_IGNORE)
    end do
  end subroutine
end program
