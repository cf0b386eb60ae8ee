! ranks: 4. MPI_ALLTOALLW in all forms between groups of one and three, in either place and in reverse order: each has a type of its own
! for each rank of the other group. In each interface.
#include "interface.inc"

program inter
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: most = 3
  integer :: rank, ierror, cut
  HANDLE(MPI_Datatype) :: items(most)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  do cut = 1, most
    call MPI_Type_contiguous(cut, MPI_INTEGER, items(cut), ierror)
    call MPI_Type_commit(items(cut), ierror)
  end do
  call between(1, 1)
  call between(1, -1)
  call between(3, 1)
  call between(3, -1)
  do cut = 1, most
    call MPI_Type_free(items(cut), ierror)
  end do
  call MPI_Finalize(ierror)
contains
  ! The ranks below `first` are one group, with step -1 the last of them first. Rank r of one sends rank q of the other r + q + 1 integers.
  subroutine between(first, step)
    integer, intent(in) :: first, step
    HANDLE(MPI_Comm) :: local, other
    integer :: side, mine, there, leader, form
    side = merge(0, 1, rank < first)
    call MPI_Comm_split(MPI_COMM_WORLD, side, step * rank, local, ierror)
    call MPI_Comm_rank(local, mine, ierror)
    leader = merge(0, first, side == 1)
    if (step < 0) leader = merge(first - 1, 3, side == 1)
    call MPI_Intercomm_create(local, 0, MPI_COMM_WORLD, leader, 5, other, ierror)
    call MPI_Comm_remote_size(other, there, ierror)
    call expect_true(there == merge(4 - first, first, side == 0), 'the size of the other group')
    do form = 1, 3
      call exchange(form, other, mine, there)
    end do
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_free(local, ierror)
  end subroutine
  subroutine exchange(form, comm, mine, there)
    integer, intent(in) :: form, mine, there
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Datatype) :: types(there)
    STATUS(status)
    integer, asynchronous :: out(most * most * 2), in(most * most * 2)
    integer :: counts(there), places(there), q, i
    integer, parameter :: room = 2 * most
    do q = 0, there - 1
      ! counts of one type: an integer, or two, or three
      types(q + 1) = items(1 + mod(q + mine, most))
      counts(q + 1) = 1
      places(q + 1) = 4 * room * q
      do i = 1, room
        out(room * q + i) = 1000 * mine + 10 * q + i
      end do
    end do
    in = -1
    select case (form)
    case (1)
      call MPI_Alltoallw(out, counts, places, types, in, counts, places, types, comm, ierror)
    case (2)
      call MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, comm, request, ierror)
      call MPI_Wait(request, status, ierror)
    case (3)
      call MPI_Alltoallw_init(out, counts, places, types, in, counts, places, types, comm, MPI_INFO_NULL, request, ierror)
      call MPI_Start(request, ierror)
      call MPI_Wait(request, status, ierror)
      call MPI_Request_free(request, ierror)
    end select
    call MPI_F_sync_reg(in)
    do q = 0, there - 1
      do i = 1, room
        call expect_true(in(room * q + i) == merge(1000 * q + 10 * mine + i, -1, i <= 1 + mod(q + mine, most)), &
                         'what the other group sent')
      end do
    end do
  end subroutine
end program
