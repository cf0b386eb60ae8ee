! The eigenvalues of the second difference by ELPA, whose matrix lies in blocks on a grid of processes.
program eigenvalues
  use mpi
  use elpa
  implicit none
  integer, parameter :: n = 60, block = 8
  integer :: rank, size, rows, columns, row, column, mine_rows, mine_columns, i, j, ierror, error, context
  real(8), allocatable :: a(:, :), z(:, :)
  real(8) :: values(n), worst
  integer, external :: numroc, indxl2g
  class(elpa_t), pointer :: solver

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  rows = 1
  do i = 1, size
    if (mod(size, i) == 0 .and. i * i <= size) rows = i
  end do
  columns = size / rows
  context = MPI_COMM_WORLD
  call BLACS_Gridinit(context, 'C', rows, columns)
  call BLACS_Gridinfo(context, rows, columns, row, column)
  mine_rows = numroc(n, block, row, 0, rows)
  mine_columns = numroc(n, block, column, 0, columns)
  allocate (a(mine_rows, mine_columns), z(mine_rows, mine_columns))
  do j = 1, mine_columns
    do i = 1, mine_rows
      a(i, j) = element(indxl2g(i, block, row, 0, rows), indxl2g(j, block, column, 0, columns))
    end do
  end do
  if (elpa_init(20200417) /= ELPA_OK) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  solver => elpa_allocate(error)
  call solver%set("na", n, error)
  call solver%set("nev", n, error)
  call solver%set("local_nrows", mine_rows, error)
  call solver%set("local_ncols", mine_columns, error)
  call solver%set("nblk", block, error)
  call solver%set("mpi_comm_parent", MPI_COMM_WORLD, error)
  call solver%set("process_row", row, error)
  call solver%set("process_col", column, error)
  if (solver%setup() /= ELPA_OK) call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
  call solver%set("solver", ELPA_SOLVER_2STAGE, error)
  call solver%eigenvectors(a, values, z, error)
  worst = maxval(abs(values - [(2 - 2 * cos(i * acos(-1d0) / (n + 1)), i = 1, n)]))
  call elpa_deallocate(solver, error)
  call elpa_uninit(error)
  call BLACS_Gridexit(context)
  call MPI_Finalize(ierror)
  if (worst > 1d-12) stop 1
  if (rank == 0) print '(a)', 'elpa: all well'
contains
  pure real(8) function element(i, j)
    integer, intent(in) :: i, j
    element = merge(2, merge(-1, 0, abs(i - j) == 1), i == j)
  end function
end program
