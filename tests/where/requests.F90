! Situations in which requests are open, as in requests.c, compiled with mpif.h (MPIF_H) or a module (MPI, MPI_F08).
#ifdef MPI_F08
#define TYPE_OF(name) type(name)
#else
#define TYPE_OF(name) integer
#endif

subroutine smooth(grid)
  implicit none
  real, intent(inout) :: grid(1000)
  integer :: i
  do while (grid(1) >= 0)
    do i = 2, 999
      grid(i) = (grid(i - 1) + grid(i + 1)) / 2
    end do
  end do
end subroutine

program requests
#ifdef MPI
  use mpi
#endif
#ifdef MPI_F08
  use mpi_f08
#endif
  implicit none
#ifdef MPIF_H
  include 'mpif.h'
#endif
  TYPE_OF(MPI_Comm) :: halo
  TYPE_OF(MPI_Request) :: request(4)
#ifdef MPI_F08
  type(MPI_Status) :: status
#else
  integer :: status(MPI_STATUS_SIZE)
#endif
  integer, asynchronous :: value(4), total
  integer :: rank, i, ierror
  real :: grid(1000)
  character(len=20) :: situation

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, halo, ierror)
  call MPI_Comm_set_name(halo, 'halo', ierror)
  call get_command_argument(1, situation)
  call MPI_Barrier(halo, ierror)
  value = 0
  if (rank == 0) then
    print '(a)', 'ready'
    flush (6)
    if (situation == 'posted') then
      do i = 1, 2
        call MPI_Irecv(value(i), 1, MPI_INTEGER, 1, 49 + i, halo, request(i), ierror)
      end do
      call MPI_Issend(value(3), 1, MPI_INTEGER, 1, 52, halo, request(3), ierror)
      call MPI_Iallreduce(value(4), total, 1, MPI_INTEGER, MPI_SUM, halo, request(4), ierror)
      call MPI_Wait(request(3), status, ierror)
    else
      do i = 1, 2
        call MPI_Recv_init(value(i), 1, MPI_INTEGER, 1, 55 + i, halo, request(i), ierror)
      end do
      call MPI_Ssend_init(value(3), 1, MPI_INTEGER, 1, 59, halo, request(3), ierror)
      call MPI_Startall(2, request, ierror)
      call MPI_Start(request(3), ierror)
      call MPI_Wait(request(2), status, ierror)
    end if
  end if
  grid = 1
  call smooth(grid)
end program
