! @NAME@: computes pi on all ranks.
program main
  use mpi_f08
  implicit none
  integer, parameter :: steps = 1000000
  integer, parameter :: wide = kind(1.0d0)
  integer :: rank, size, i
  real(wide) :: x, sum, pi

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank) ! who am I?
  call MPI_Comm_size(MPI_COMM_WORLD, size) ! how many are we?

  ! The integral of 4 / (1 + x * x) from 0 to 1. Each rank takes every size-th step.
  sum = 0
  do i = rank, steps - 1, size
     x = (i + 0.5_wide) / steps
     sum = sum + 4 / (1 + x * x) / steps
  end do
  ! Rank 0 gets the sum of what all ranks have.
  call MPI_Reduce(sum, pi, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
  if (rank == 0) print '(a, f8.6, a, i0, a)', 'pi is about ', pi, ', by ', size, ' ranks'
  call MPI_Finalize()
end program
