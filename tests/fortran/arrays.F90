! ranks: 2. Each nonblocking and persistent collective with arrays of counts, displacements or datatypes that the compiler makes
! for the call, since they are expressions or have gaps, and takes away behind it. Rank 0 calls, or starts, before rank 1 does. In
! each interface.
#include "interface.inc"

program arrays
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: forms = 9, rounds = 20
  integer :: rank, ierror, round, zero
  integer :: c(3), d(3) ! what counts of these are the first and the last
  integer(MPI_ADDRESS_KIND) :: e(3)
  integer, asynchronous :: given(4), got(4, forms)
  HANDLE(MPI_Datatype) :: t(3)
  HANDLE(MPI_Comm) :: ring
  HANDLE(MPI_Request) :: requests(forms)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, [0, 1], MPI_UNWEIGHTED, 2, [0, 1], MPI_UNWEIGHTED, MPI_INFO_NULL, &
                                      .false., ring, ierror)
  c = [1, 99, 2]
  d = [3, 99, 0]
  e = d
  t(1) = MPI_INTEGER
  t(2) = MPI_DATATYPE_NULL
  t(3) = MPI_INTEGER
  do round = 1, 20 ! enough for the memory of a host
    call MPI_Allreduce(rank, zero, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    call MPI_Allreduce(rank, zero, 1, MPI_INTEGER, MPI_SUM, ring, ierror)
  end do
  do round = 1, rounds
    call fill()
    if (rank == 1) call MPI_Recv(zero, 0, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call post()
    if (rank == 0) call MPI_Send(zero, 0, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierror)
    call MPI_Waitall(forms, requests, MPI_STATUSES_IGNORE, ierror)
    call look('nonblocking')
  end do
  call init()
  do round = 1, rounds
    call fill()
    if (rank == 1) call MPI_Recv(zero, 0, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
    call MPI_Startall(forms, requests, ierror)
    if (rank == 0) call MPI_Send(zero, 0, MPI_INTEGER, 1, 3, MPI_COMM_WORLD, ierror)
    call MPI_Waitall(forms, requests, MPI_STATUSES_IGNORE, ierror)
    call look('persistent')
  end do
  do round = 1, forms
    call MPI_Request_free(requests(round), ierror)
  end do
  call MPI_Comm_free(ring, ierror)
  call MPI_Finalize(ierror)
contains
  subroutine fill()
    integer :: i
    given = [(of(rank, i), i=1, 4)]
    got = -1
  end subroutine
  integer function of(from, i)
    integer, intent(in) :: from, i
    of = 100 * round + 10 * from + i
  end function
  subroutine post()
    call MPI_Iallgatherv(given, rank + 1, MPI_INTEGER, got(:, 1), c(1:3:2), d(1:3:2), MPI_INTEGER, MPI_COMM_WORLD, &
                         requests(1), ierror)
    call MPI_Igatherv(given, rank + 1, MPI_INTEGER, got(:, 2), c(1:3:2), d(1:3:2), MPI_INTEGER, 0, MPI_COMM_WORLD, &
                      requests(2), ierror)
    call MPI_Iscatterv(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 3), rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                       requests(3), ierror)
    call MPI_Ialltoallv(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 4), [rank + 1, rank + 1], [2, 0], MPI_INTEGER, &
                        MPI_COMM_WORLD, requests(4), ierror)
    call MPI_Ialltoallw(given, c(1:3:2), 4 * d(1:3:2), t(1:3:2), got(:, 5), [rank + 1, rank + 1], [8, 0], t(1:3:2), &
                        MPI_COMM_WORLD, requests(5), ierror)
    call MPI_Ireduce_scatter(given, got(:, 6), c(1:3:2), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(6), ierror)
    call MPI_Ineighbor_allgatherv(given, rank + 1, MPI_INTEGER, got(:, 7), c(1:3:2), d(1:3:2), MPI_INTEGER, ring, &
                                  requests(7), ierror)
    call MPI_Ineighbor_alltoallv(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 8), [rank + 1, rank + 1], [2, 0], MPI_INTEGER, &
                                 ring, requests(8), ierror)
    call MPI_Ineighbor_alltoallw(given, c(1:3:2), 4 * e(1:3:2), t(1:3:2), got(:, 9), [rank + 1, rank + 1], &
                                 [8_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND], t(1:3:2), ring, requests(9), ierror)
  end subroutine
  subroutine init()
    call MPI_Allgatherv_init(given, rank + 1, MPI_INTEGER, got(:, 1), c(1:3:2), d(1:3:2), MPI_INTEGER, MPI_COMM_WORLD, &
                             MPI_INFO_NULL, requests(1), ierror)
    call MPI_Gatherv_init(given, rank + 1, MPI_INTEGER, got(:, 2), c(1:3:2), d(1:3:2), MPI_INTEGER, 0, MPI_COMM_WORLD, &
                          MPI_INFO_NULL, requests(2), ierror)
    call MPI_Scatterv_init(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 3), rank + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, &
                           MPI_INFO_NULL, requests(3), ierror)
    call MPI_Alltoallv_init(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 4), [rank + 1, rank + 1], [2, 0], MPI_INTEGER, &
                            MPI_COMM_WORLD, MPI_INFO_NULL, requests(4), ierror)
    call MPI_Alltoallw_init(given, c(1:3:2), 4 * d(1:3:2), t(1:3:2), got(:, 5), [rank + 1, rank + 1], [8, 0], t(1:3:2), &
                            MPI_COMM_WORLD, MPI_INFO_NULL, requests(5), ierror)
    call MPI_Reduce_scatter_init(given, got(:, 6), c(1:3:2), MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &
                                 requests(6), ierror)
    call MPI_Neighbor_allgatherv_init(given, rank + 1, MPI_INTEGER, got(:, 7), c(1:3:2), d(1:3:2), MPI_INTEGER, ring, &
                                      MPI_INFO_NULL, requests(7), ierror)
    call MPI_Neighbor_alltoallv_init(given, c(1:3:2), d(1:3:2), MPI_INTEGER, got(:, 8), [rank + 1, rank + 1], [2, 0], &
                                     MPI_INTEGER, ring, MPI_INFO_NULL, requests(8), ierror)
    call MPI_Neighbor_alltoallw_init(given, c(1:3:2), 4 * e(1:3:2), t(1:3:2), got(:, 9), [rank + 1, rank + 1], &
                                     [8_MPI_ADDRESS_KIND, 0_MPI_ADDRESS_KIND], t(1:3:2), ring, MPI_INFO_NULL, &
                                     requests(9), ierror)
  end subroutine
  subroutine look(how)
    character(len=*), intent(in) :: how
    integer :: gathered(4), exchanged(4)
    gathered = [of(1, 1), of(1, 2), -1, of(0, 1)]
    exchanged = [of(1, 4), -1, of(0, 4), -1]
    if (rank == 1) exchanged = [of(1, 1), of(1, 2), of(0, 1), of(0, 2)]
    call expect_true(all(got(:, 1) == gathered), how // ' allgatherv')
    call expect_true(all(got(:, 2) == merge(gathered, [-1, -1, -1, -1], rank == 0)), how // ' gatherv')
    call expect_true(all(got(:, 3) == merge([of(0, 4), -1, -1, -1], [of(0, 1), of(0, 2), -1, -1], rank == 0)), how // ' scatterv')
    call expect_true(all(got(:, 4) == exchanged), how // ' alltoallv')
    call expect_true(all(got(:, 5) == exchanged), how // ' alltoallw')
    call expect_true(all(got(:, 6) == merge([of(0, 1) + of(1, 1), -1, -1, -1], [of(0, 2) + of(1, 2), of(0, 3) + of(1, 3), -1, -1], &
                                            rank == 0)), how // ' reduce_scatter')
    call expect_true(all(got(:, 7) == gathered), how // ' neighbor_allgatherv')
    call expect_true(all(got(:, 8) == exchanged), how // ' neighbor_alltoallv')
    call expect_true(all(got(:, 9) == exchanged), how // ' neighbor_alltoallw')
  end subroutine
end program
