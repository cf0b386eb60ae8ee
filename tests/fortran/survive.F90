! The last rank leaves without MPI_Finalize, and the others go on (mpiexec --survive): extensions, and those names of theirs that the next
! version of the standard has. In each interface.
#include "interface.inc"

program survive
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: rank, size, left, ierror, class, value, acked, flag
  logical :: is_revoked
  HANDLE(MPI_Comm) :: comm, living
  HANDLE(MPI_Group) :: failed
  HANDLE(MPI_Request) :: request
  STATUS(status)
  integer, asynchronous :: agreed
  call expect_true(MPI_ERR_PROC_FAILED == MPIX_ERR_PROC_FAILED, 'MPI_ERR_PROC_FAILED')
  call expect_true(MPI_ERR_PROC_FAILED_PENDING == MPIX_ERR_PROC_FAILED_PENDING, 'MPI_ERR_PROC_FAILED_PENDING')
  call expect_true(MPI_ERR_REVOKED == MPIX_ERR_REVOKED, 'MPI_ERR_REVOKED')
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  if (rank == size - 1) call leave()
  call MPI_Recv(value, 1, MPI_INTEGER, size - 1, 0, comm, status, ierror)
  call expect_class(MPI_ERR_PROC_FAILED, 'a receive from the dead')
  call MPI_Comm_get_failed(comm, failed, ierror)
  call MPI_Group_size(failed, value, ierror)
  call expect_true(value == 1, 'MPI_Comm_get_failed')
  call MPI_Group_free(failed, ierror)
  call MPIX_Comm_get_failed(comm, failed, ierror)
  call MPI_Group_free(failed, ierror)
  call MPI_Comm_ack_failed(comm, 1, acked, ierror)
  call expect_true(ierror == MPI_SUCCESS .and. acked == 1, 'MPI_Comm_ack_failed')
  call MPIX_Comm_ack_failed(comm, 1, acked, ierror)
  call expect_true(ierror == MPI_SUCCESS .and. acked == 1, 'MPIX_Comm_ack_failed')
  call MPIX_Comm_failure_ack(comm, ierror)
  call MPIX_Comm_failure_get_acked(comm, failed, ierror)
  call MPI_Group_size(failed, value, ierror)
  call expect_true(value == 1, 'MPIX_Comm_failure_get_acked')
  call MPI_Group_free(failed, ierror)
  flag = 7 - 2**rank
  call MPIX_Comm_agree(comm, flag, ierror)
  call expect_true(ierror == MPI_SUCCESS .and. flag == 8 - 2**(size - 1), 'MPIX_Comm_agree')
  agreed = 5
  call MPIX_Comm_iagree(comm, agreed, request, ierror)
  call MPI_Wait(request, status, ierror)
  call expect_true(ierror == MPI_SUCCESS .and. agreed == 5, 'MPIX_Comm_iagree')
  if (rank == 0) call MPI_Comm_revoke(comm, ierror)
  call MPI_Recv(value, 1, MPI_INTEGER, rank, 0, comm, status, ierror)
  call expect_class(MPI_ERR_REVOKED, 'a receive of a revoked communicator')
  call MPIX_Comm_revoke(comm, ierror)
  call expect_true(ierror == MPI_SUCCESS, 'MPIX_Comm_revoke')
  call MPIX_Comm_is_revoked(comm, is_revoked, ierror)
  call expect_true(is_revoked, 'MPIX_Comm_is_revoked')
  call MPIX_Comm_shrink(comm, living, ierror)
  call expect_living('MPIX_Comm_shrink')
  call MPIX_Comm_ishrink(comm, living, request, ierror)
  call MPI_Wait(request, status, ierror)
  call expect_living('MPIX_Comm_ishrink')
  call MPI_Comm_free(comm, ierror)
  if (rank == 0) print '(a)', 'they went on'
  call MPI_Finalize(ierror)
contains
  subroutine leave()
    interface
      subroutine end_process(code) bind(c, name='_exit')
        use, intrinsic :: iso_c_binding, only: c_int
        integer(c_int), value :: code
      end subroutine
    end interface
    call end_process(1)
  end subroutine
  subroutine expect_class(wanted, what)
    integer, intent(in) :: wanted
    character(len=*), intent(in) :: what
    integer :: error
    call MPI_Error_class(ierror, class, error)
    call expect_true(class == wanted, what)
  end subroutine
  subroutine expect_living(what)
    character(len=*), intent(in) :: what
    call expect_true(ierror == MPI_SUCCESS, what)
    call MPI_Comm_size(living, left, ierror)
    call expect_true(left == size - 1, what)
    call MPI_Comm_free(living, ierror)
  end subroutine
end program
