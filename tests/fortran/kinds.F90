! ranks: 2. MPI_Type_create_f90_real, _complex and _integer for every precision and range: the type is that of the compiler's own kind,
! with all operations, in reductions and accumulates, and in external32; or an error, where no kind or none that MPI knows suffices.
#include "interface.inc"

#define OWN_KIND k4
#define CHECK_REAL check_real_4
#include "kinds_real.inc"
#undef OWN_KIND
#undef CHECK_REAL
#define OWN_KIND k8
#define CHECK_REAL check_real_8
#include "kinds_real.inc"
#undef OWN_KIND
#undef CHECK_REAL
#define OWN_KIND k10
#define CHECK_REAL check_real_10
#include "kinds_real.inc"
#undef OWN_KIND
#undef CHECK_REAL
#define OWN_KIND k16
#define CHECK_REAL check_real_16
#include "kinds_real.inc"

#undef OWN_KIND
#define OWN_KIND 1
#define CHECK_INTEGER check_integer_1
#include "kinds_integer.inc"
#undef OWN_KIND
#undef CHECK_INTEGER
#define OWN_KIND 2
#define CHECK_INTEGER check_integer_2
#include "kinds_integer.inc"
#undef OWN_KIND
#undef CHECK_INTEGER
#define OWN_KIND 4
#define CHECK_INTEGER check_integer_4
#include "kinds_integer.inc"
#undef OWN_KIND
#undef CHECK_INTEGER
#define OWN_KIND 8
#define CHECK_INTEGER check_integer_8
#include "kinds_integer.inc"
#undef OWN_KIND
#undef CHECK_INTEGER
#define OWN_KIND i16
#define CHECK_INTEGER check_integer_16
#include "kinds_integer.inc"

program kinds
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: ranges(13) = [MPI_UNDEFINED, 0, 4, 5, 30, 37, 38, 307, 308, 400, 4931, 4932, 9999]
  integer :: p, i, ierror
  call MPI_Init(ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror) ! for errors of no object, too: docs/TOLERANCES.md
  do p = -1, 36
    do i = 1, size(ranges)
      call try_real(merge(MPI_UNDEFINED, p, p < 0), ranges(i))
    end do
  end do
  do i = 0, 40
    call try_integer(i)
  end do
  call try_small()
  call MPI_Finalize(ierror)

contains

  ! What is not asked for is 0 to the compiler: every kind has it.
  subroutine try_real(p, r)
    integer, intent(in) :: p, r
    integer :: kind_there, external_size
    HANDLE(MPI_Datatype) :: real_type, complex_type
    integer :: real_error, complex_error
    kind_there = selected_real_kind(max(p, 0), max(r, 0))
    external_size = merge(16, merge(8, 4, p > 6 .or. r > 37), p > 15 .or. r > 307)
    call MPI_Type_create_f90_real(p, r, real_type, real_error)
    call MPI_Type_create_f90_complex(p, r, complex_type, complex_error)
    call expect_true((real_error == MPI_SUCCESS) .eqv. (complex_error == MPI_SUCCESS), 'a complex type for each real one')
    if (real_error /= MPI_SUCCESS) then
      call expect_true(kind_there < 4 .or. (p == MPI_UNDEFINED .and. r == MPI_UNDEFINED), 'an error only without a kind')
      return
    end if
    select case (kind_there)
    case (4)
      call check_real_4(real_type, complex_type, external_size)
    case (8)
      call check_real_8(real_type, complex_type, external_size)
    case (10)
      call check_real_10(real_type, complex_type, external_size)
    case (16)
      call check_real_16(real_type, complex_type, external_size)
    case default
      call expect_true(.false., 'no type where there is no kind that MPI knows')
    end select
  end subroutine

  ! What the same calls are where the compiler has kinds below single precision, and chooses them for so few digits.
  subroutine try_small()
    use, intrinsic :: iso_c_binding, only: c_int
    interface
      subroutine create_real(p, r, newtype, ierror) bind(c, name='mpi_type_create_f90_real_small_')
        import :: c_int
        integer(c_int) :: p, r, newtype, ierror
      end subroutine
      subroutine create_complex(p, r, newtype, ierror) bind(c, name='mpi_type_create_f90_complex_f08_small_')
        import :: c_int
        integer(c_int) :: p, r, newtype, ierror
      end subroutine
    end interface
    integer, parameter :: p(9) = [3, 0, MPI_UNDEFINED, 2, 2, 3, 4, 0, MPI_UNDEFINED]
    integer, parameter :: r(9) = [0, 4, 4, 37, MPI_UNDEFINED, 5, 0, 38, MPI_UNDEFINED]
    integer, parameter :: bytes(9) = [0, 0, 0, 0, 0, 4, 4, 8, 0] ! 0: an error
    integer :: handle, got, i
    HANDLE(MPI_Datatype) :: datatype
    do i = 1, size(p)
      call create_real(p(i), r(i), handle, ierror)
      call expect_true((ierror == MPI_SUCCESS) .eqv. bytes(i) > 0, 'an error for a real kind below single precision')
      call create_complex(p(i), r(i), handle, ierror)
      call expect_true((ierror == MPI_SUCCESS) .eqv. bytes(i) > 0, 'an error for a complex kind below single precision')
      if (bytes(i) == 0) cycle
#ifdef MPI_F08
      datatype%MPI_VAL = handle
#else
      datatype = handle
#endif
      call MPI_Type_size(datatype, got, ierror)
      call expect_true(got == 2 * bytes(i), 'the size of another kind')
    end do
  end subroutine

  subroutine try_integer(r)
    integer, intent(in) :: r
    integer :: error
    HANDLE(MPI_Datatype) :: datatype
    call MPI_Type_create_f90_integer(r, datatype, error)
    if (error /= MPI_SUCCESS) then
      call expect_true(selected_int_kind(r) < 0, 'an error only without an integer kind')
      return
    end if
    select case (selected_int_kind(r))
    case (1)
      call check_integer_1(datatype)
    case (2)
      call check_integer_2(datatype)
    case (4)
      call check_integer_4(datatype)
    case (8)
      call check_integer_8(datatype)
    case (16)
      call check_integer_16(datatype)
    case default
      call expect_true(.false., 'no type where there is no integer kind')
    end select
  end subroutine
end program
