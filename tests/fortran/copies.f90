! ranks: 2. What completes later, on array sections with gaps: reductions and collectives with several blocks, which get copies until a
! request completes; datatypes that have gaps themselves.
program copies
  use mpi_f08
  implicit none
  integer :: rank, other
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  other = 1 - rank
  call each_completion()
  call only_what_changed()
  call persistent()
  call several_strides()
  call several_types()
  call temporary_arrays()
  call gapped_messages()
  call gapped_windows()
  call gapped_files()
  call several_basic_types()
  call partitioned()
  call pairs_without_a_name()
  call partitions_of_strides()
  call refused()
  call MPI_Finalize()
contains
  ! The result is there when a procedure says that the operation is complete, whichever.
  subroutine each_completion()
    integer, asynchronous :: a(9), b(3, 3)
    integer :: i, index, n, indices(1)
    logical :: flag
    type(MPI_Request) :: request(1)
    do i = 1, 12
      a = i + rank + [1, 2, 3, 4, 5, 6, 7, 8, 9]
      b = -1
      call MPI_Iallreduce(a(1:9:4), b(2, :), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request(1))
      flag = .false.
      index = 1
      n = 0
      do while (.not. flag)
        select case (i)
        case (1)
          call MPI_Wait(request(1), MPI_STATUS_IGNORE)
        case (2)
          call MPI_Waitall(1, request, MPI_STATUSES_IGNORE)
        case (3)
          call MPI_Waitany(1, request, index, MPI_STATUS_IGNORE)
        case (4)
          call MPI_Waitsome(1, request, n, indices, MPI_STATUSES_IGNORE)
        case (5)
          call MPI_Test(request(1), flag, MPI_STATUS_IGNORE)
        case (6)
          call MPI_Testall(1, request, flag, MPI_STATUSES_IGNORE)
        case (7)
          call MPI_Testany(1, request, index, flag, MPI_STATUS_IGNORE)
        case (8)
          call MPI_Testsome(1, request, n, indices, MPI_STATUSES_IGNORE)
          flag = n == 1
        case (9)
          call MPI_Request_get_status(request(1), flag, MPI_STATUS_IGNORE)
        case (10)
          call MPI_Request_get_status_all(1, request, flag, MPI_STATUSES_IGNORE)
        case (11)
          call MPI_Request_get_status_any(1, request, index, flag, MPI_STATUS_IGNORE)
        case (12)
          call MPI_Request_get_status_some(1, request, n, indices, MPI_STATUSES_IGNORE)
          flag = n == 1
        end select
        flag = flag .or. i < 5
      end do
      call expect_true(index == 1, 'which request of one is complete')
      if (mod(i, 4) == 0) call expect_true(n == 1 .and. indices(1) == 1, 'which requests are complete')
      call expect_true(all(b(2, :) == 2 * i + [3, 11, 19]) .and. all(b(1:3:2, :) == -1), 'a nonblocking reduction')
      call MPI_Wait(request(1), MPI_STATUS_IGNORE)
    end do
  end subroutine
  ! What is no part of an operation may be written while it runs.
  subroutine only_what_changed()
    integer, asynchronous :: a(20)
    type(MPI_Request) :: request
    a = 1 + rank
    call MPI_Iallreduce(MPI_IN_PLACE, a(1:20:2), 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request)
    a(7:19:2) = 50
    a(2:20:2) = 60
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(a(1:5:2) == 3) .and. all(a(7:19:2) == 50) .and. all(a(2:20:2) == 60), 'a part of a section, in place')
    a = 1
    call MPI_Ireduce(a(1:5:2), a(6:20:2), 3, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, request)
    if (rank == 1) a(6:20:2) = 70
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    if (rank == 0) call expect_true(all(a(6:10:2) == 2) .and. all(a(12:20:2) == 1), 'a reduction at its root')
    if (rank == 1) call expect_true(all(a(6:20:2) == 70), 'a buffer that is not significant')
  end subroutine
  subroutine persistent()
    integer, asynchronous :: a(9), b(9)
    integer :: i
    type(MPI_Request) :: request(2)
    call MPI_Allreduce_init(a(1:9:2), b(9:1:-2), 5, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, request(1))
    call MPI_Allreduce_init(MPI_IN_PLACE, a(2:8:2), 4, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, MPI_INFO_NULL, request(2))
    do i = 1, 3
      a = i * [1, 2, 3, 4, 5, 6, 7, 8, 9] + rank
      b = -1
      if (i == 1) call MPI_Start(request(1))
      if (i == 1) call MPI_Start(request(2))
      if (i > 1) call MPI_Startall(2, request)
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
      call expect_true(all(b(9:1:-2) == 2 * i * [1, 3, 5, 7, 9] + 1) .and. all(b(2:8:2) == -1), 'a persistent reduction')
      call expect_true(all(a(2:8:2) == i * [2, 4, 6, 8] + 1), 'a persistent reduction in place')
      b = -2
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
      call expect_true(all(b == -2), 'a request that is not active')
    end do
    call MPI_Request_free(request(1))
    call MPI_Request_free(request(2))
  end subroutine
  subroutine several_strides()
    integer, asynchronous :: a(4), b(6, 8), c(8, 8)
    integer :: i
    type(MPI_Request) :: request
    a = [(10 * rank + i, i=1, 4)]
    b = 0
    call MPI_Iallgather(a, 4, MPI_INTEGER, b(1:6:3, 1:8:2), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(reshape(b(1:6:3, 1:8:2), [8]) == [1, 2, 3, 4, 11, 12, 13, 14]) .and. count(b /= 0) == 8, &
                     'a nonblocking allgather into a section of two strides')
    c = 0
    call MPI_Ialltoall(b(1:6:3, 1:8:2), 4, MPI_INTEGER, c(1:8:4, 2:8:2), 4, MPI_INTEGER, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(reshape(c(1:8:4, 2:8:2), [8]) == 10 * rank + [1, 2, 3, 4, 1, 2, 3, 4]) .and. count(c /= 0) == 8, &
                     'a nonblocking alltoall between sections of two strides')
  end subroutine
  subroutine several_types()
    integer, asynchronous :: a(4), b(4), counts(2), places(2)
    type(MPI_Datatype), asynchronous :: types(2)
    type(MPI_Request) :: request
    a = 10 * rank + [1, 2, 3, 4]
    b = 0
    counts = 1
    places = [0, 4]
    types = MPI_INTEGER
    call MPI_Ialltoallw(a(1:4:2), counts, places, types, b(4:1:-2), counts, places, types, MPI_COMM_WORLD, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(b == [0, 11 + 2 * rank, 0, 1 + 2 * rank]), 'a nonblocking alltoallw')
  end subroutine
  ! The compiler copies what is an expression or has gaps, and takes the copy away behind the call. Rank 0 calls first.
  subroutine temporary_arrays()
    integer, asynchronous :: a(2), b(6), c(2)
    integer :: i, counts(3)
    type(MPI_Request) :: request(3)
    do i = 1, 20
      call MPI_Allreduce(rank, c(1), 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    end do
    counts = [1, 9, 2]
    do i = 1, 20
      a = 10 * rank + i
      b = 0
      c = 0
      if (rank == 1) call MPI_Recv(i, 0, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Iallgatherv(a, rank + 1, MPI_INTEGER, b, counts(1:3:2), 2 * counts(3:1:-2) - 2, MPI_INTEGER, MPI_COMM_WORLD, &
                           request(1))
      call MPI_Igatherv(a, 1, MPI_INTEGER, b(4:6), counts(1:3:2) / counts(1:3:2), counts(1:3:2) - 1, MPI_INTEGER, 0, &
                        MPI_COMM_WORLD, request(2))
      call MPI_Ireduce_scatter(a, c, counts(1:3:2) / counts(1:3:2), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, request(3))
      if (rank == 0) call MPI_Send(i, 0, MPI_INTEGER, 1, 3, MPI_COMM_WORLD)
      call MPI_Waitall(3, request, MPI_STATUSES_IGNORE)
      call expect_true(b(3) == i .and. all(b(:2) == 10 + i) .and. c(1) == 10 + 2 * i, 'arrays of counts that are temporary')
      if (rank == 0) call expect_true(b(4) == i .and. b(5) == 10 + i, 'arrays of counts that are temporary, at a root')
    end do
  end subroutine
  ! Elements between the items are no part of a message.
  subroutine gapped_messages()
    integer, asynchronous :: a(12), b(12)
    integer :: i
    type(MPI_Datatype) :: apart, turned
    type(MPI_Request) :: request(2)
    a = [(i + 100 * rank, i=1, 12)]
    b = 0
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, apart)
    call MPI_Type_commit(apart)
    call MPI_Irecv(b(12:2:-2), 2, apart, other, 1, MPI_COMM_WORLD, request(1))
    call MPI_Isend(a(1:11:2), 2, apart, other, 1, MPI_COMM_WORLD, request(2))
    b(10) = 7
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call expect_true(all(b(12:2:-2) == [1, 0, 5, 7, 0, 11] + [100, 0, 100, 100, 0, 100] * other + [0, 7, 0, 0, 0, 0]) .and. &
                     count(b /= 0) == 5, 'a nonblocking datatype with gaps on a section with gaps')
    call MPI_Type_indexed(3_MPI_COUNT_KIND, int([1, 2, 1], MPI_COUNT_KIND), &
                          [5_MPI_COUNT_KIND, 2_MPI_COUNT_KIND, 0_MPI_COUNT_KIND], MPI_INTEGER, turned)
    call MPI_Type_commit(turned)
    call MPI_Recv_init(b, 4, MPI_INTEGER, other, 2, MPI_COMM_WORLD, request(1))
    call MPI_Send_init(a(12:2:-2), 1, turned, other, 2, MPI_COMM_WORLD, request(2))
    do i = 1, 2
      a = a + 1
      call MPI_Startall(2, request)
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
      call expect_true(all(b(:4) == [2, 8, 6, 12] + 100 * other + i), 'a persistent datatype with gaps, in its order')
    end do
    call MPI_Request_free(request(1))
    call MPI_Request_free(request(2))
    call MPI_Type_free(apart)
    call MPI_Type_free(turned)
  end subroutine
  subroutine gapped_windows()
    integer, asynchronous :: memory(6), a(11), b(11)
    integer :: i
    type(MPI_Win) :: win
    type(MPI_Datatype) :: apart
    call MPI_Type_vector(3, 1, 2, MPI_INTEGER, apart)
    call MPI_Type_commit(apart)
    memory = 0
    a = [(i + 100 * rank, i=1, 11)]
    b = 0
    call MPI_Win_create(memory, 24_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Put(a(1:11:2), 1, apart, other, 1_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(a(11:1:-2), 1, apart, other, 0_MPI_ADDRESS_KIND, 3, MPI_INTEGER, MPI_SUM, win)
    call MPI_Win_fence(0, win)
    call MPI_Get(b(1:11:2), 1, apart, rank, 0_MPI_ADDRESS_KIND, 3, MPI_INTEGER, win)
    call MPI_Win_fence(0, win)
    call expect_true(all(memory == [11, 8, 8, 9, 0, 0] + 100 * other * [1, 2, 2, 1, 0, 0]), 'a put and an accumulate')
    call expect_true(all(b(1:11:2) == [memory(1), 0, memory(2), 0, memory(3), 0]) .and. count(b /= 0) == 3, 'a get')
    call MPI_Win_free(win)
    call MPI_Type_free(apart)
  end subroutine
  subroutine gapped_files()
    character(len=200) :: folder
    integer, asynchronous :: a(12), b(12)
    integer :: i, code
    type(MPI_File) :: file
    type(MPI_Datatype) :: apart
    call get_environment_variable('TMPDIR', folder)
    if (folder == '') folder = '/tmp'
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, apart)
    call MPI_Type_commit(apart)
    call MPI_File_open(MPI_COMM_SELF, trim(folder) // '/inkling_fortran_copies_' // char(48 + rank), &
                       MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, file)
    a = [(i, i=1, 12)]
    b = 0
    call MPI_File_write_at_all_begin(file, 0_MPI_OFFSET_KIND, a(1:11:2), 2, apart)
    call MPI_File_write_at_all_end(file, a(1:11:2), MPI_STATUS_IGNORE)
    call MPI_File_read_at_all_begin(file, 0_MPI_OFFSET_KIND, b(12:2:-2), 2, apart)
    call MPI_File_read_at_all_end(file, b(12:2:-2), MPI_STATUS_IGNORE, code)
    call expect_true(code == MPI_SUCCESS .and. all(b(12:2:-2) == [1, 0, 5, 7, 0, 11]), 'a split collective on a file')
    call MPI_File_close(file, code)
    call expect_true(code == MPI_SUCCESS, 'the end of a file')
    call MPI_Type_free(apart)
  end subroutine
  ! Basic datatypes larger than an element, and several of them.
  subroutine several_basic_types()
    integer(8), asynchronous :: a(8), b(4)
    real :: r(9), z(4)
    integer :: i
    type(MPI_Datatype) :: mixed, complexes
    type(MPI_Request) :: request
    a = [(i + 10 * rank, i=1, 8)]
    b = 0
    call MPI_Type_create_struct(2, [1, 2], [16_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND], [MPI_INTEGER8, MPI_INTEGER], mixed)
    call MPI_Type_commit(mixed)
    call MPI_Isend(a(1:8:2), 1, mixed, other, 3, MPI_COMM_WORLD, request)
    call MPI_Recv(b, 2, MPI_INTEGER8, other, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(b == [5, 1, 0, 0] + 10 * other * [1, 1, 0, 0]), 'a datatype of several basic ones')
    call MPI_Type_free(mixed)
    r = [(real(i), i=1, 9)]
    call MPI_Type_vector(2, 1, 2, MPI_COMPLEX, complexes)
    call MPI_Type_commit(complexes)
    call MPI_Sendrecv(r(1:8), 1, complexes, other, 4, z, 4, MPI_REAL, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call expect_true(all(z == [1., 2., 5., 6.]), 'a datatype with gaps alone')
    call MPI_Isend(r(9:2:-1), 1, complexes, other, 4, MPI_COMM_WORLD, request)
    call MPI_Recv(z, 4, MPI_REAL, other, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call expect_true(all(z == [9., 8., 5., 4.]), 'a basic datatype larger than an element')
    call MPI_Type_free(complexes)
  end subroutine
  subroutine partitioned()
    integer, asynchronous :: a(16), b(24)
    integer :: i
    type(MPI_Request) :: request(2)
    a = 0
    b = 0
    call MPI_Precv_init(b(1:24:3), 2, 4_MPI_COUNT_KIND, MPI_INTEGER, other, 6, MPI_COMM_WORLD, MPI_INFO_NULL, request(1))
    call MPI_Psend_init(a(1:16:2), 4, 2_MPI_COUNT_KIND, MPI_INTEGER, other, 6, MPI_COMM_WORLD, MPI_INFO_NULL, request(2))
    call MPI_Startall(2, request)
    do i = 0, 3
      a(4 * i + 1) = 10 * rank + i
      call MPI_Pready(i, request(2))
    end do
    call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
    call expect_true(all(b(1:24:6) == 10 * other + [0, 1, 2, 3]) .and. all(b(4:24:6) == 0), 'partitions that are filled late')
    call MPI_Request_free(request(1))
    call MPI_Request_free(request(2))
  end subroutine
  ! MPI_DOUBLE_PRECISION with a long index is such a pair: a reduction of every other one of an array.
  subroutine pairs_without_a_name()
    use iso_c_binding
    type, bind(c) :: place
      real(c_double) :: value
      integer(c_int64_t) :: index
    end type
    type(place), asynchronous :: a(6), b(6)
    integer(c_int64_t), parameter :: far = 10000000000_c_int64_t
    integer :: i
    type(MPI_Datatype) :: pair, again
    type(MPI_Win) :: win
    call MPI_Type_get_value_index(MPI_DOUBLE_PRECISION, MPI_INTEGER8, pair)
    call MPI_Type_get_value_index(MPI_DOUBLE_PRECISION, MPI_INTEGER8, again)
    ! Without the operators on handles: flang 19 crashes on two of them here.
    call expect_true(pair%MPI_VAL /= MPI_DATATYPE_NULL%MPI_VAL .and. pair%MPI_VAL == again%MPI_VAL, &
                     'a pair of a double and a long index')
    a = [(place(mod(i, 2) * (1 - rank), far + 10 * i - rank), i=1, 6)]
    b = place(-1, 0)
    call MPI_Allreduce(a(1:6:2), b(1:6:2), 3, pair, MPI_MAXLOC, MPI_COMM_WORLD)
    call expect_true(all(b(1:6:2)%index == far + [10, 30, 50]) .and. all(b(2:6:2)%index == 0), 'MPI_MAXLOC of them')
    call MPI_Allreduce(a(2:6:2), b(2:6:2), 3, pair, MPI_MINLOC, MPI_COMM_WORLD)
    call expect_true(all(b(2:6:2)%index == far + [19, 39, 59]) .and. all(b(2:6:2)%value == 0), 'MPI_MINLOC of them')
    call MPI_Win_create(b, int(size(b) * storage_size(b) / 8, MPI_ADDRESS_KIND), storage_size(b) / 8, MPI_INFO_NULL, &
                        MPI_COMM_WORLD, win)
    call MPI_Win_fence(0, win)
    call MPI_Accumulate(a(1:6:2), 3, pair, 1 - rank, 1_MPI_ADDRESS_KIND, 3, pair, MPI_MINLOC, win)
    call MPI_Win_fence(0, win)
    call MPI_Win_free(win)
    call expect_true(all(b(2:4)%index == merge(far + [9, 29, 39], far + [19, 30, 39], rank == 0)), 'an accumulate of them')
  end subroutine
  ! Partitions of sections of several strides, some of which begin within an element: filled late, one by one, in a list and in a
  ! range, and read as soon as they have arrived; twice.
  subroutine partitions_of_strides()
    complex, asynchronous :: a(6, 6), b(7, 5)
    real :: whole(18), got(18)
    integer :: i, round
    logical :: flag
    type(MPI_Request) :: request(2)
    a = (-1, -1)
    b = (-2, -2)
    call MPI_Precv_init(b(1:7:3, 1:5:2), 3, 6_MPI_COUNT_KIND, MPI_REAL, other, 7, MPI_COMM_WORLD, MPI_INFO_NULL, request(1))
    call MPI_Psend_init(a(5:1:-2, 1:6:2), 6, 3_MPI_COUNT_KIND, MPI_REAL, other, 7, MPI_COMM_WORLD, MPI_INFO_NULL, request(2))
    do round = 1, 2
      whole = [(100. * round + 10 * other + i, i=1, 18)]
      call MPI_Startall(2, request)
      got = whole + 10 * (rank - other)
      a(5:1:-2, 1:6:2) = reshape([(cmplx(got(2 * i - 1), got(2 * i)), i=1, 9)], [3, 3])
      call MPI_Pready(5, request(2))
      call MPI_Pready_list(2, [0, 4], request(2))
      call MPI_Pready_range(1, 3, request(2))
      flag = .false.
      do while (.not. flag)
        call MPI_Parrived(request(1), 1, flag)
      end do
      got = transfer(b(1:7:3, 1:5:2), got)
      call expect_true(all(got(7:12) == whole(7:12)), 'a partition that has arrived')
      call MPI_Waitall(2, request, MPI_STATUSES_IGNORE)
      got = transfer(b(1:7:3, 1:5:2), got)
      call expect_true(all(got == whole) .and. b(2, 1) == (-2, -2) .and. b(1, 2) == (-2, -2), 'partitions of several strides')
      b = (-2, -2)
    end do
    call MPI_Request_free(request(1))
    call MPI_Request_free(request(2))
  end subroutine
  subroutine refused()
    integer, asynchronous :: a(12), b(6, 6)
    integer :: code
    type(MPI_Datatype) :: apart
    type(MPI_Request) :: request
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Type_contiguous(-1, MPI_INTEGER, apart, code)
    call expect_true(code /= MPI_SUCCESS, 'an error of no object, where only MPI_COMM_WORLD has a handler')
    call MPI_Type_vector(2, 1, 2, MPI_INTEGER, apart)
    call MPI_Type_commit(apart)
    call MPI_Isend(a(1:11:2), 3, apart, 0, 5, MPI_COMM_SELF, request, code)
    call expect_true(code /= MPI_SUCCESS, 'items with gaps that end behind their section')
    call MPI_Type_free(apart)
    call MPI_Psend_init(b(1:6:2, 1:6:2), 4, 3_MPI_COUNT_KIND, MPI_INTEGER, 0, 0, MPI_COMM_SELF, MPI_INFO_NULL, request, code)
    call expect_true(code /= MPI_SUCCESS, 'partitions that end behind their section')
  end subroutine
end program
