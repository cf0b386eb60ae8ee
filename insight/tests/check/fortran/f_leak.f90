! ranks: 2  fault: leak
program leak
  use mpi_f08
  implicit none
  type(MPI_Datatype) :: column

  call MPI_Init()
  call MPI_Type_vector(4, 1, 8, MPI_REAL, column) ! FAULT
  call MPI_Type_commit(column)
  call MPI_Finalize()
end program
