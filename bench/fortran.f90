! fortran [batches]: half a round trip by mpi_f08, in microseconds. fortran_latency: 8 bytes; fortran_latency_hand: the same by
! C. fortran_section: a row of a matrix, 1000 doubles, as an array section; fortran_section_hand: as a derived datatype. The median
! over batches of 100 round trips (sections: 20); the two sides of a comparison take turns, batch by batch.
module trips
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_double, c_int
  implicit none
  interface
    subroutine measure_cpus() bind(c)
    end subroutine
    function measure_median(values, count) bind(c) result(median)
      import
      real(c_double) :: values(*), median
      integer(c_int), value :: count
    end function
    subroutine trips_of_c(buffer, bytes, trips) bind(c)
      import
      character(len=1) :: buffer(*)
      integer(c_int), value :: bytes, trips
    end subroutine
  end interface
  integer, parameter :: warm = 50, rows = 8, columns = 1000
  integer :: rank
  real(8) :: matrix(rows, columns)
  character(len=1) :: small(8)
  type(MPI_Datatype) :: row
contains
  subroutine compare(name, trips, batches, ours, other)
    character(len=*), intent(in) :: name
    integer, intent(in) :: trips, batches
    interface
      subroutine ours(trips)
        integer, intent(in) :: trips
      end subroutine
      subroutine other(trips)
        integer, intent(in) :: trips
      end subroutine
    end interface
    real(c_double) :: each(batches, 2)
    real(8) :: times(3)
    integer :: i
    do i = 1 - warm, batches
      times(1) = MPI_Wtime()
      call ours(trips)
      times(2) = MPI_Wtime()
      call other(trips)
      times(3) = MPI_Wtime()
      if (i > 0) each(i, :) = (times(2:3) - times(1:2)) / (2 * trips) * 1e6
    end do
    if (rank == 0) then
      print '(a, f12.4)', name // ' ', measure_median(each(:, 1), batches)
      print '(a, f12.4)', name // '_hand ', measure_median(each(:, 2), batches)
    end if
  end subroutine
  subroutine small_by_fortran(trips)
    integer, intent(in) :: trips
    integer :: i
    do i = 1, trips
      if (rank == 0) call MPI_Send(small, 8, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(small, 8, MPI_CHARACTER, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == 1) call MPI_Send(small, 8, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD)
    end do
  end subroutine
  subroutine small_by_c(trips)
    integer, intent(in) :: trips
    call trips_of_c(small, 8, trips)
  end subroutine
  subroutine row_as_section(trips)
    integer, intent(in) :: trips
    integer :: i
    do i = 1, trips
      if (rank == 0) call MPI_Send(matrix(3, :), columns, MPI_DOUBLE_PRECISION, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(matrix(3, :), columns, MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == 1) call MPI_Send(matrix(3, :), columns, MPI_DOUBLE_PRECISION, 0, 0, MPI_COMM_WORLD)
    end do
  end subroutine
  subroutine row_as_type(trips)
    integer, intent(in) :: trips
    integer :: i
    do i = 1, trips
      if (rank == 0) call MPI_Send(matrix(3, 1), 1, row, 1, 0, MPI_COMM_WORLD)
      call MPI_Recv(matrix(3, 1), 1, row, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      if (rank == 1) call MPI_Send(matrix(3, 1), 1, row, 0, 0, MPI_COMM_WORLD)
    end do
  end subroutine
end module

program fortran
  use trips
  implicit none
  integer :: batches
  character(len=20) :: argument
  batches = 3000
  call get_command_argument(1, argument)
  if (argument /= '') read (argument, *) batches
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call measure_cpus()
  call MPI_Type_vector(columns, 1, rows, MPI_DOUBLE_PRECISION, row)
  call MPI_Type_commit(row)
  small = 'x'
  matrix = rank
  call compare('fortran_latency', 100, batches, small_by_fortran, small_by_c)
  call compare('fortran_section', 20, batches / 10, row_as_section, row_as_type)
  call MPI_Type_free(row)
  call MPI_Finalize()
end program
