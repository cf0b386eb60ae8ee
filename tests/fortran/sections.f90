! ranks: 2. Array sections with gaps as buffers of mpi_f08: blocking, nonblocking, persistent, collective, one-sided, in files.
program sections
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_int
  implicit none
  integer :: rank, other, code
  call MPI_Init()
  call expect_true(MPI_SUBARRAYS_SUPPORTED .and. MPI_ASYNC_PROTECTS_NONBLOCKING, 'sections are supported')
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  call blocking()
  call nonblocking()
  call three_dimensions()
  call part_of_a_section()
  call other_types()
  call gaps_in_both()
  call collectives()
  call nonblocking_collectives()
  call reductions()
  call windows()
  call files()
  call packing()
  call refused()
  call MPI_Finalize()
contains
  subroutine blocking()
    integer :: a(10), b(4, 6), i
    type(MPI_Status) :: status
    a = [(100 * rank + i, i=1, 10)]
    b = 0
    call MPI_Sendrecv(a(10:2:-2), 5, MPI_INTEGER, other, 1, b(2:3, 1:5:2), 6, MPI_INTEGER, other, 1, MPI_COMM_WORLD, status)
    call MPI_Get_count(status, MPI_INTEGER, i)
    call expect_true(i == 5, 'the count of a section')
    call expect_true(b(2, 1) == 100 * other + 10 .and. b(3, 1) == 100 * other + 8 .and. b(2, 3) == 100 * other + 6 .and. &
                     b(3, 3) == 100 * other + 4 .and. b(2, 5) == 100 * other + 2, 'the elements of a section')
    call expect_true(b(3, 5) == 0 .and. count(b /= 0) == 5, 'the gaps of a section')
  end subroutine
  subroutine nonblocking()
    integer, asynchronous :: a(20), b(20)
    integer :: i
    type(MPI_Request) :: request(2)
    a = [(100 * rank + i, i=1, 20)]
    b = 0
    call MPI_Irecv(b(3:19:4), 5_MPI_COUNT_KIND, MPI_INTEGER, other, 2, MPI_COMM_WORLD, request(1))
    call MPI_Isend(a(1:9:2), 5, MPI_INTEGER, other, 2, MPI_COMM_WORLD, request(2))
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call expect_true(all(b(3:19:4) == [(100 * other + i, i=1, 9, 2)]) .and. count(b /= 0) == 5, 'a nonblocking section')
    call MPI_Recv_init(b(2:20:2), 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, request(1))
    call MPI_Send_init(a(11:20), 10, MPI_INTEGER, other, 3, MPI_COMM_WORLD, request(2))
    call MPI_Startall(2, request)
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call expect_true(all(b(2:20:2) == [(100 * other + i, i=11, 20)]), 'a persistent section')
    call MPI_Request_free(request(1))
    call MPI_Request_free(request(2))
  end subroutine
  subroutine three_dimensions()
    real(8) :: a(5, 6, 7), b(3, 2, 3)
    integer :: i, j, k
    type(MPI_Request) :: request
    forall (i=1:5, j=1:6, k=1:7) a(i, j, k) = i + 10 * j + 100 * k + 1000 * rank
    call MPI_Isend(a(1:5:2, 2:6:3, 7:1:-3), 18, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, request)
    call MPI_Recv(b, 18, MPI_DOUBLE_PRECISION, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    forall (i=1:5, j=1:6, k=1:7) a(i, j, k) = i + 10 * j + 100 * k + 1000 * other
    call expect_true(all(b == a(1:5:2, 2:6:3, 7:1:-3)), 'a section of three dimensions')
  end subroutine
  subroutine part_of_a_section()
    integer :: a(6, 6), b(7), i
    a = reshape([(i, i=1, 36)], [6, 6])
    call MPI_Sendrecv(a(1:6:2, 1:6:2), 7, MPI_INTEGER, other, 5, b, 7, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(all(b == [1, 3, 5, 13, 15, 17, 25]), 'a message that ends within a column')
    a = 0
    call MPI_Sendrecv(b, 7, MPI_INTEGER, other, 5, a(2:6:2, 2:6:2), 9, MPI_INTEGER, other, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(a(2, 2) == 1 .and. a(6, 4) == 17 .and. a(2, 6) == 25 .and. a(4, 6) == 0, 'a short message into a section')
  end subroutine
  ! One item that is several elements, and one element that is several items.
  subroutine other_types()
    type(MPI_Datatype) :: pair, nested
    complex :: z(6)
    integer :: a(12), b(4), i
    real :: r(6)
    a = [(i, i=1, 12)]
    call MPI_Type_contiguous(2, MPI_INTEGER, pair)
    call MPI_Type_contiguous(2, pair, nested)
    call MPI_Type_commit(nested)
    b = 0
    call MPI_Sendrecv(a(2:8:2), 1, nested, other, 6, b, 4, MPI_INTEGER, other, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(all(b == [2, 4, 6, 8]), 'a section as one item of a nested type')
    call MPI_Type_free(pair)
    call MPI_Type_free(nested)
    z = [(cmplx(i, -i), i=1, 6)]
    call MPI_Sendrecv(z(1:5:2), 6, MPI_REAL, other, 7, r, 6, MPI_REAL, other, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(all(r == [1., -1., 3., -3., 5., -5.]), 'complex elements as two items each')
  end subroutine
  ! The items of a datatype with gaps, on the row of a section's elements.
  subroutine gaps_in_both()
    integer :: a(12), b(12), i, code
    type(MPI_Datatype) :: apart
    a = [(i + 100 * rank, i=1, 12)]
    b = 0
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, apart)
    call MPI_Type_commit(apart)
    call MPI_Sendrecv(a(1:11:2), 2, apart, other, 8, b(12:2:-2), 2, apart, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(all(b(12:2:-2) == [1, 0, 5, 7, 0, 11] + 100 * other * [1, 0, 1, 1, 0, 1]) .and. count(b /= 0) == 4, &
                     'a datatype with gaps and a section with gaps')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Send(a(1:11:2), 3, apart, other, 8, MPI_COMM_WORLD, code)
    call expect_true(code /= MPI_SUCCESS, 'items with gaps that end behind their section')
    call MPI_Type_free(apart)
  end subroutine
  subroutine collectives()
    integer :: a(8), b(16), i
    a = [(10 * rank + i, i=1, 8)]
    b = 0
    call MPI_Allgather(a(1:7:2), 4, MPI_INTEGER, b(2:16:2), 4, MPI_INTEGER, MPI_COMM_WORLD)
    call expect_true(all(b(2:16:2) == [1, 3, 5, 7, 11, 13, 15, 17]) .and. all(b(1:15:2) == 0), 'an allgather')
    b = 0
    call MPI_Alltoallv(a(1:7:2), [2, 2], [0, 2], MPI_INTEGER, b(1:16:4), [2, 2], [0, 2], MPI_INTEGER, MPI_COMM_WORLD)
    call expect_true(all(b(1:16:4) == [1, 3, 11, 13] + 4 * rank) .and. count(b /= 0) == 4, 'an alltoallv')
    if (rank == 1) a = 0
    call MPI_Bcast(a(1:7:3), 3, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect_true(a(1) == 1 .and. a(4) == 4 .and. a(7) == 7, 'a broadcast')
  end subroutine
  subroutine nonblocking_collectives()
    integer, asynchronous :: a(8), b(24)
    integer :: i
    type(MPI_Request) :: request
    a = [(10 * rank + i, i=1, 8)]
    b = 0
    call MPI_Iallgather(a(2:8:2), 4, MPI_INTEGER, b(1:24:3), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(b(1:24:3) == [2, 4, 6, 8, 12, 14, 16, 18]) .and. count(b /= 0) == 8, 'a nonblocking allgather')
    b = 0
    call MPI_Igatherv(a(1:3), 3 - rank, MPI_INTEGER, b(2:24:2), [3, 2], [1, 6], MPI_INTEGER, 0, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) call expect_true(all(b([4, 6, 8, 14, 16]) == [1, 2, 3, 11, 12]) .and. count(b /= 0) == 5, 'a gatherv')
  end subroutine
  subroutine reductions()
    integer :: a(9), b(3, 3), i
    a = [(i + rank, i=1, 9)]
    b = -1
    call MPI_Allreduce(a(1:9:4), b(2, :), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect_true(all(b(2, :) == [3, 11, 19]) .and. all(b(1:3:2, :) == -1), 'a reduction')
    b(2, :) = [1, 2, 3] + rank
    call MPI_Allreduce(MPI_IN_PLACE, b(2, :), 3, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
    call expect_true(all(b(2, :) == [2, 3, 4]) .and. all(b(1:3:2, :) == -1), 'a reduction in place')
  end subroutine
  subroutine windows()
    integer, asynchronous :: memory(10), a(10)
    integer :: i
    type(MPI_Win) :: win
    memory = 0
    a = [(100 * rank + i, i=1, 10)]
    call MPI_Win_create(memory, 40_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(a(1:9:2), 5, MPI_INTEGER, other, 2_MPI_ADDRESS_KIND, 5, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect_true(all(memory == [0, 0, (100 * other + i, i=1, 9, 2), 0, 0, 0]), 'a put')
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Accumulate(a(2:10:2), 5, MPI_INTEGER, other, 0_MPI_ADDRESS_KIND, 5, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call expect_true(all(memory == [2, 4, 7, 11, 15, 7, 9, 0, 0, 0] + 100 * other * [1, 1, 2, 2, 2, 1, 1, 0, 0, 0]), &
                     'an accumulate')
    call MPI_Win_free(win)
  end subroutine
  subroutine files()
    character(len=200) :: folder
    integer :: a(10), b(10), i
    type(MPI_File) :: file
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    call MPI_File_open(MPI_COMM_WORLD, trim(folder) // '/inkling_fortran_sections', &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    a = [(100 * rank + i, i=1, 10)]
    b = 0
    call MPI_File_write_at_all(file, 20_MPI_OFFSET_KIND * rank, a(1:9:2), 5, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_sync(file)
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_File_sync(file)
    call MPI_File_read_at(file, 20_MPI_OFFSET_KIND * other, b(10:2:-2), 5, MPI_INTEGER, MPI_STATUS_IGNORE)
    call expect_true(all(b(10:2:-2) == [(100 * other + i, i=1, 9, 2)]) .and. count(b /= 0) == 5, 'a file')
    call MPI_File_close(file)
  end subroutine
  subroutine packing()
    integer :: a(6) = [1, 2, 3, 4, 5, 6], b(6), position
    character(len=1) :: packed(64)
    integer(MPI_ADDRESS_KIND) :: at
    b = 0
    position = 0
    call MPI_Pack(a(1:5:2), 3, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD)
    call expect_true(position == 12, 'the position behind what is packed')
    position = 0
    call MPI_Unpack(packed, 64, position, b(2:6:2), 3, MPI_INTEGER, MPI_COMM_WORLD)
    call expect_true(all(b == [0, 1, 0, 3, 0, 5]) .and. position == 12, 'packing')
    at = 0
    call MPI_Pack_external('external32  ', a(2:6:2), 3, MPI_INTEGER, packed, 64_MPI_ADDRESS_KIND, at)
    call expect_true(at == 12 .and. all(ichar(packed(4:12:4)) == [2, 4, 6]), 'packing to external32')
  end subroutine
  ! What MPI cannot express is an error, not a wrong result.
  subroutine refused()
    integer, asynchronous :: a(9)
    integer :: class
    character(len=MPI_MAX_ERROR_STRING) :: text
    type(MPI_Request) :: request
    a = 1
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Isend(a(1:9:4), 4, MPI_INTEGER, 0, 0, MPI_COMM_SELF, request, code)
    call MPI_Error_class(code, class)
    call MPI_Error_string(code, text, class)
    call expect_true(index(text, 'section with gaps') > 0, 'the text of an error: ' // text(1:80))
    call MPI_Error_class(code, class)
    call expect_true(class == MPI_ERR_BUFFER, 'the class of an error')
  end subroutine
end program
