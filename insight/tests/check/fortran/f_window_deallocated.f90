! ranks: 2  fault: buffer
program window_deallocated
  use mpi_f08
  implicit none
  integer, allocatable :: memory(:)
  type(MPI_Win) :: win

  call MPI_Init()
  allocate(memory(100))
  call MPI_Win_create(memory, 400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win)
  deallocate(memory) ! FAULT
  call MPI_Win_free(win)
  call MPI_Finalize()
end program
