! ranks: 2. Arrays of datatypes are kept until the request of MPI_Ialltoallw completes or that of MPI_Alltoallw_init is freed (kept.c
! looks), and no longer. Values of attributes are kept until they are deleted, and no longer.
module kept_attributes
  use mpi_f08
  implicit none
  integer :: deleted = 0
contains
  subroutine delete(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(MPI_ADDRESS_KIND) :: attribute_val, extra_state
    if (comm /= MPI_COMM_NULL .and. comm_keyval /= MPI_KEYVAL_INVALID .and. extra_state == 9 .and. any(attribute_val == [7, 8])) &
      deleted = deleted + 1
    ierror = MPI_SUCCESS
  end subroutine
end module

program kept
  use kept_attributes
  implicit none
  integer, asynchronous :: a(2), b(2), counts(2), places(2)
  type(MPI_Datatype), asynchronous :: types(2)
  type(MPI_Request) :: request(1), others(100)
  integer :: rank, i, j, keyval
  type(MPI_Comm) :: copy
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
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, delete, keyval, 9_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, keyval, 7_MPI_ADDRESS_KIND)
  do i = 1, 400
    if (i == 200) call heap_in_use(before)
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    call MPI_Comm_set_attr(copy, keyval, 8_MPI_ADDRESS_KIND)
    call MPI_Comm_free(copy)
  end do
  call heap_in_use(after)
  call expect_true(deleted == 2 * 400, 'attributes are deleted')
  call expect_true(after - before < 16 * 200, 'what is kept is freed when attributes are deleted')
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, keyval)
  call MPI_Comm_free_keyval(keyval)
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
