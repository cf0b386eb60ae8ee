! mixed: a program in Fortran with a part in C. A communicator crosses by its Fortran handle, an INTEGER, which C turns into its own.
!
!     mpifort -c mixed.f90; mpicc -c part.c; mpifort -o mixed mixed.o part.o
!     mpiexec -n 4 mixed
program mixed
  use mpi_f08
  use iso_c_binding
  implicit none
  interface
    function sum_in_c(comm, number) bind(C)
      import :: c_int, c_double
      integer, value :: comm ! MPI_Fint in C
      real(c_double), value :: number
      real(c_double) :: sum_in_c
    end function
  end interface
  integer :: rank, size
  real(c_double) :: total

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  total = sum_in_c(MPI_COMM_WORLD%MPI_VAL, real(rank, c_double))
  if (rank == 0) print '(a, i0, a, i0)', 'C adds the ranks of ', size, ' up to ', nint(total)
  call MPI_Finalize()
  if (nint(total) /= size * (size - 1) / 2) error stop 1
end program
