! ranks: 2  no fault: the types that the interface makes of sections are its own
program ok_sections
  use mpi_f08
  implicit none
  double precision :: grid(10, 10), row(10)
  integer :: rank, step
  type(MPI_Request) :: requests(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  grid = rank
  do step = 1, 3
    call MPI_Irecv(row, 10, MPI_DOUBLE_PRECISION, 1 - rank, step, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(grid(2, :), 10, MPI_DOUBLE_PRECISION, 1 - rank, step, MPI_COMM_WORLD, requests(2))
    grid(3, :) = step
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call MPI_Sendrecv(grid(1:9:2, 1:9:2), 25, MPI_DOUBLE_PRECISION, 1 - rank, 0, grid(2:10:2, 2:10:2), 25, &
                      MPI_DOUBLE_PRECISION, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    grid(2, :) = step
  end do
  call MPI_Allreduce(MPI_IN_PLACE, grid, 100, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
end program
