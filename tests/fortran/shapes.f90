! ranks: 2. Datatypes of array sections are kept for others of the same shape, and for no others. shapes.c counts them. Each section
! is packed, so what a wrong datatype leads to shows in the bytes.
module packing
  use mpi_f08
  implicit none
  integer, parameter :: rows = 32, columns = 64
  integer :: small(rows, columns)
  integer(8) :: wide(rows / 2, columns)
  integer :: key
  interface
    subroutine count_types(committed, left)
      integer, intent(out) :: committed, left
    end subroutine
    subroutine run_threads(body)
      interface
        subroutine body() bind(c)
        end subroutine
      end interface
    end subroutine
  end interface
contains
  subroutine fill()
    integer :: i, j
    forall (i=1:rows, j=1:columns) small(i, j) = i + rows * j
    forall (i=1:rows / 2, j=1:columns) wide(i, j) = i + rows * j
  end subroutine
  ! The first n of e x f elements, s rows and t columns apart. Their big-endian numbers end every `bytes` bytes, first at `first`.
  recursive subroutine expect_packed(packed, size, e, s, t, n, bytes, first)
    character(len=1), intent(in) :: packed(:)
    integer(MPI_ADDRESS_KIND), intent(in) :: size
    integer, intent(in) :: e, s, t, n, bytes, first
    integer :: k, last
    call expect_true(size == n * bytes, 'the size of a packed section')
    do k = 0, n - 1
      last = k * bytes + first
      call expect_true(256 * ichar(packed(last - 1)) + ichar(packed(last)) == 1 + mod(k, e) * s + rows * (1 + k / e * t), &
                       'a section gets the datatype of its own shape')
    end do
  end subroutine
  recursive subroutine pack_small(e, s, f, t, n)
    integer, intent(in) :: e, s, f, t, n
    character(len=1) :: packed(400)
    integer(MPI_ADDRESS_KIND) :: position
    position = 0
    call MPI_Pack_external('external32', small(1:1 + (e - 1) * s:s, 1:1 + (f - 1) * t:t), n, MPI_INTEGER, packed, &
                           400_MPI_ADDRESS_KIND, position)
    call expect_packed(packed, position, e, s, t, n, 4, 4)
  end subroutine
  ! As items of this type, `each` in an element; the byte where an element's number ends.
  recursive subroutine pack_wide(e, s, f, t, n, type, each, first)
    integer, intent(in) :: e, s, f, t, n, each, first
    type(MPI_Datatype), intent(in) :: type
    character(len=1) :: packed(400)
    integer(MPI_ADDRESS_KIND) :: position
    position = 0
    call MPI_Pack_external('external32', wide(1:1 + (e - 1) * s:s, 1:1 + (f - 1) * t:t), n * each, type, packed, &
                           400_MPI_ADDRESS_KIND, position)
    call expect_packed(packed, position, e, s, t, n, 8, first)
  end subroutine
  ! Pairs of shapes that differ in one thing. There are more than places for them, so many a pair has the same place.
  recursive subroutine differ_in_one() bind(c)
    integer :: e, s, f, t, n
    do e = 2, 4
      do s = 2, 3
        do f = 2, 5
          do t = 1, 8
            do n = 2, e * f
              call pack_small(e, s, f, t, n)
              call pack_small(e, s, f, t, n - 1)
              call pack_small(e, s, f, t, n)
              call pack_small(e + 1, s, f, t, n)
              call pack_small(e, s, f, t, n)
              call pack_small(e, s + 1, f, t, n)
              call pack_small(e, s, f, t, n)
              call pack_small(e, s, f, t + 1, n)
              call pack_wide(e, s, f, t, n, MPI_INTEGER8, 1, 8)
              call pack_wide(e, s, f, t, n, MPI_2INTEGER, 1, 4)
              call pack_wide(e, s, f, t, n, MPI_INTEGER, 2, 4)
              if (2 * n <= e * f) call pack_small(e, 2 * s, f, t, 2 * n)
            end do
          end do
        end do
      end do
    end do
  end subroutine
  ! Called by MPI_Finalize after the datatypes have been freed: first set, last deleted.
  subroutine pack_late(comm, keyval, attribute, extra, code)
    type(MPI_Comm) :: comm
    integer :: keyval, code
    integer(MPI_ADDRESS_KIND) :: attribute, extra
    if (keyval == key .and. attribute == extra) call pack_small(3, 2, 2, 3, 6)
    code = merge(MPI_SUCCESS, MPI_ERR_COMM, comm == MPI_COMM_SELF)
  end subroutine
end module

program shapes
  use packing
  implicit none
  integer :: committed, before, left, provided, i
  type(MPI_Session) :: session
  call fill()
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, session)
  call pack_small(3, 2, 2, 3, 6)
  call count_types(before, left)
  call expect_true(before == 1 .and. left == 0, 'before MPI_Init nothing is kept')
  call MPI_Session_finalize(session)
  call MPI_Init_thread(MPI_THREAD_MULTIPLE, provided)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, pack_late, key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_set_attr(MPI_COMM_SELF, key, 0_MPI_ADDRESS_KIND)
  call MPI_Comm_free_keyval(key)
  call count_types(before, left)
  do i = 1, 10
    call pack_small(3, 2, 2, 3, 6)
  end do
  call count_types(committed, left)
  call expect_true(committed == before + 1 .and. left > 0, 'the datatype of a shape is kept')
  call user_types()
  call differ_in_one()
  call run_threads(differ_in_one)
  call MPI_Finalize()
  call count_types(committed, left)
  call expect_true(left == 0, 'MPI_Finalize frees what is kept')
contains
  ! Other datatypes may have the handle of one that was freed.
  subroutine user_types()
    type(MPI_Datatype) :: type
    do i = 1, 10
      if (mod(i, 2) == 0) call MPI_Type_contiguous(2, MPI_INTEGER, type)
      if (mod(i, 2) == 1) call MPI_Type_contiguous(1, MPI_INTEGER8, type)
      call MPI_Type_commit(type)
      call pack_wide(3, 2, 2, 3, 6, type, 1, merge(4, 8, mod(i, 2) == 0))
      call MPI_Type_free(type)
    end do
    call count_types(committed, before)
    call expect_true(before == left, 'nothing is kept for a datatype that may be freed')
  end subroutine
end program
