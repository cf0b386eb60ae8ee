! What the Fortran libraries for programs of other MPI libraries translate: compiled with mpif.h (MPIF_H) or a module of theirs (MPI, MPI_F08).
subroutine expect(flag, line)
  implicit none
  logical, intent(in) :: flag
  integer, intent(in) :: line
  if (flag) return
  print '(a,i0,a)', 'line ', line, ': not as expected'
  stop 1
end subroutine

#ifdef MPI_F08
#define TYPE_OF(name) type(name)
#define SOURCE_OF(s) s%MPI_SOURCE
#define TAG_OF(s) s%MPI_TAG
#else
#define TYPE_OF(name) integer
#define SOURCE_OF(s) s(MPI_SOURCE)
#define TAG_OF(s) s(MPI_TAG)
#endif

#ifdef MPI_F08
module operations
contains
subroutine add_integers(in, inout, length, datatype)
  use mpi_f08
  use, intrinsic :: iso_c_binding
  type(c_ptr), value :: in, inout
  integer :: length
  type(MPI_Datatype) :: datatype
  integer, pointer :: a(:), b(:)
  external :: expect
  call c_f_pointer(in, a, [length])
  call c_f_pointer(inout, b, [length])
  call expect(datatype == MPI_INTEGER .and. .not. datatype /= MPI_INTEGER, __LINE__)
  b = a + b
end subroutine
end module
#else
subroutine add_integers(in, inout, length, datatype)
  implicit none
  include 'mpif.h'
  integer :: length, datatype, in(length), inout(length)
  call expect(datatype == MPI_INTEGER, __LINE__)
  inout = in + inout
end subroutine
#endif

program translated
#if defined(MPI_F08)
  use mpi_f08
  use operations
#elif defined(MPI)
  use mpi
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  integer :: rank, size, ierror, count, before, behind, left, right, numbers(4), more(4), sum, i
  integer :: key
  integer(kind=MPI_ADDRESS_KIND) :: value
#ifdef MPI_F08
  integer(kind=MPI_ADDRESS_KIND) :: place(1)
  type(MPI_Datatype) :: absolute
  complex(kind=kind(1d0)) :: z
#endif
  logical :: flag
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  TYPE_OF(MPI_Comm) :: line
  TYPE_OF(MPI_Request) :: request(2)
  TYPE_OF(MPI_Op) :: op
  TYPE_OF(MPI_Datatype) :: pair
#ifdef MPI_F08
  type(MPI_Status) :: status, statuses(2)
#else
  integer :: status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
#endif
#ifdef MPI_F08
  external :: expect
#else
  external :: expect, add_integers
#endif

  call MPI_Init(ierror)
  call expect(ierror == MPI_SUCCESS, __LINE__)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call expect(size > 1, __LINE__)
  call MPI_Get_processor_name(name, count, ierror)
  call expect(count > 0 .and. len_trim(name) == count, __LINE__)
  before = mod(rank + size - 1, size)
  behind = mod(rank + 1, size)
  numbers = [(10 * rank + i, i = 1, 4)]

  ! Messages, statuses, and the constants that are addresses.
  call MPI_Sendrecv(numbers, 4, MPI_INTEGER, behind, 5, more, 4, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
  call expect(SOURCE_OF(status) == before .and. TAG_OF(status) == 5 .and. all(more == [(10 * before + i, i = 1, 4)]), __LINE__)
  call MPI_Get_count(status, MPI_INTEGER, count, ierror)
  call expect(count == 4, __LINE__)
  call MPI_Irecv(more, 4, MPI_INTEGER, before, 6, MPI_COMM_WORLD, request(1), ierror)
  call MPI_Isend(numbers, 4, MPI_INTEGER, behind, 6, MPI_COMM_WORLD, request(2), ierror)
  call MPI_Waitall(2, request, statuses, ierror)
  call expect(request(1) == MPI_REQUEST_NULL .and. request(2) == MPI_REQUEST_NULL, __LINE__)
  call MPI_Irecv(more, 4, MPI_INTEGER, before, 7, MPI_COMM_WORLD, request(1), ierror)
  call MPI_Send(numbers, 4, MPI_INTEGER, behind, 7, MPI_COMM_WORLD, ierror)
  call MPI_Waitall(1, request, MPI_STATUSES_IGNORE, ierror)
  call MPI_Recv(more, 0, MPI_INTEGER, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  call expect(sum == size * (size - 1) / 2, __LINE__)

  ! A user operation, with the program's datatype handle.
  call MPI_Op_create(add_integers, .true., op, ierror)
  call MPI_Allreduce(rank, sum, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  call expect(sum == size * (size - 1) / 2, __LINE__)
  call MPI_Op_free(op, ierror)
  call expect(op == MPI_OP_NULL, __LINE__)

  ! Logicals, attributes, types.
  call MPI_Cart_create(MPI_COMM_WORLD, 1, [size], [.false.], .false., line, ierror)
  call MPI_Cart_shift(line, 0, 1, left, right, ierror)
  call expect((left == MPI_PROC_NULL) .eqv. (rank == 0), __LINE__)
  call MPI_Comm_free(line, ierror)
  call expect(line == MPI_COMM_NULL, __LINE__)
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
  call expect(flag .and. value >= 32767, __LINE__)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierror)
  call MPI_Type_commit(pair, ierror)
  call MPI_Sendrecv(numbers, 2, pair, behind, 8, more, 2, pair, before, 8, MPI_COMM_WORLD, status, ierror)
  call MPI_Get_count(status, pair, count, ierror)
  call expect(count == 2 .and. more(4) == 10 * before + 4, __LINE__)
  call MPI_Type_free(pair, ierror)

  ! Predefined functions, and the other constants that are addresses.
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 77_MPI_ADDRESS_KIND, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, line, ierror)
  call MPI_Comm_get_attr(line, key, value, flag, ierror)
  call expect(flag .and. value == 77, __LINE__)
  call MPI_Comm_free(line, ierror)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierror)
  call MPI_Comm_free_keyval(key, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, [before], MPI_UNWEIGHTED, 1, [behind], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., line, ierror)
  call MPI_Dist_graph_neighbors_count(line, left, right, flag, ierror)
  call expect(left == 1 .and. right == 1 .and. .not. flag, __LINE__)
  call MPI_Comm_free(line, ierror)
#ifdef MPI_F08
  call MPI_Get_address(numbers, place(1))
  call MPI_Type_create_hindexed(1, [4], place, MPI_INTEGER, absolute)
  call MPI_Type_commit(absolute)
  call MPI_Sendrecv(MPI_BOTTOM, 1, absolute, behind, 9, more, 4, MPI_INTEGER, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE) ! without ierror
  call MPI_Type_free(absolute)
  call expect(all(more == [(10 * before + i, i = 1, 4)]), __LINE__)
  call MPI_Sizeof(z, count, ierror)
  call expect(count == 16, __LINE__)
  call MPI_Sizeof(count, count)
  call expect(count == 4, __LINE__)
#endif
  call MPI_Initialized(flag, ierror)
  call expect(flag, __LINE__)
  call MPI_Finalize(ierror)
end program
