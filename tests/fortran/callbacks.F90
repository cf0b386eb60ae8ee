! ranks: 2. User functions of all kinds, and attributes: in each interface.
#include "interface.inc"

module functions
  implicit none
  integer :: copies = 0, deletes = 0, handled = 0, old_copies = 0, queries = 0, frees = 0, cancels = 0
contains
  ! Handles are passed alike in each interface, so these serve all; so do the pointers of operations.
  subroutine copy_twice(object, keyval, state, value_in, value_out, flag, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: object
    integer :: keyval, ierror
    integer(kind=8) :: state, value_in, value_out
    logical :: flag
    copies = copies + 1
    call expect_true(state == 2_8**40 + 5, 'extra state of a copy function')
    value_out = 2 * value_in
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine count_delete(object, keyval, value, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: object
    integer :: keyval, ierror
    integer(kind=8) :: value, state
    deletes = deletes + 1
    call expect_true(state == 2_8**40 + 5, 'extra state of a delete function')
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_type(object, keyval, state, value_in, value_out, flag, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: object
    integer :: keyval, ierror
    integer(kind=8) :: state, value_in, value_out
    logical :: flag
    value_out = value_in + state
    flag = value_in > 0
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_old(object, keyval, state, value_in, value_out, flag, ierror)
    integer :: object, keyval, state, value_in, value_out, ierror
    logical :: flag
    old_copies = old_copies + 1
    value_out = value_in - state
    flag = .true.
    ierror = 0
  end subroutine
  subroutine delete_old(object, keyval, value, state, ierror)
    integer :: object, keyval, value, state, ierror
    deletes = deletes + 100
    ierror = 0
  end subroutine
  ! What these store in the extra state reaches the next of them, and the program's variable.
  subroutine copy_and_store(object, keyval, state, value_in, value_out, flag, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: object
    integer :: keyval, ierror
    integer(kind=8) :: state, value_in, value_out
    logical :: flag
    state = state + 1
    value_out = value_in
    flag = .true.
    ierror = 0
  end subroutine
  subroutine delete_and_store(object, keyval, value, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: object
    integer :: keyval, ierror
    integer(kind=8) :: value, state
    state = state * 10
    ierror = 0
  end subroutine
  subroutine copy_comm_and_store(object, keyval, state, value_in, value_out, flag, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: object
    integer :: keyval, ierror
    integer(kind=8) :: state, value_in, value_out
    logical :: flag
    state = state + 1
    value_out = value_in
    flag = .true.
    ierror = 0
  end subroutine
  subroutine delete_comm_and_store(object, keyval, value, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: object
    integer :: keyval, ierror
    integer(kind=8) :: value, state
    state = state * 10
    ierror = 0
  end subroutine
  subroutine delete_win_and_store(object, keyval, value, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Win) :: object
    integer :: keyval, ierror
    integer(kind=8) :: value, state
    state = state + value
    ierror = 0
  end subroutine
  subroutine copy_old_and_store(object, keyval, state, value_in, value_out, flag, ierror)
    integer :: object, keyval, state, value_in, value_out, ierror
    logical :: flag
    state = state + 1
    value_out = value_in
    flag = .true.
    ierror = 0
  end subroutine
  subroutine delete_old_and_store(object, keyval, value, state, ierror)
    integer :: object, keyval, value, state, ierror
    state = state * 10
    ierror = 0
  end subroutine
  subroutine query_and_store(state, status, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer(kind=8) :: state
    STATUS(status)
    integer :: ierror
    state = state + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, 1, ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
  end subroutine
  subroutine free_and_store(state, ierror)
    integer(kind=8) :: state
    integer :: ierror
    state = state * 10
    ierror = 0
  end subroutine
  subroutine cancel_and_store(state, complete, ierror)
    integer(kind=8) :: state
    logical :: complete
    integer :: ierror
    state = -state
    ierror = 0
  end subroutine
  subroutine handle_comm(comm, code)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Comm) :: comm
    integer :: code, class, ierror
    call MPI_Error_class(code, class, ierror)
    call expect_true(comm == MPI_COMM_SELF .and. class == MPI_ERR_RANK, 'arguments of an error handler')
    handled = handled + 1
  end subroutine
  subroutine handle_file(file, code)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_File) :: file
    integer :: code
    call expect_true(file == MPI_FILE_NULL .and. code == MPI_ERR_FILE, 'arguments of an error handler of files')
    handled = handled + 10
  end subroutine
  subroutine handle_win(win, code)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Win) :: win
    integer :: code
    call expect_true(code == MPI_ERR_WIN, 'the code of an error handler of windows')
    handled = handled + 100
  end subroutine
  subroutine handle_session(session, code)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Session) :: session
    integer :: code
    call expect_true(code == MPI_ERR_OTHER, 'the code of an error handler of sessions')
    handled = handled + 1000
  end subroutine
#ifdef MPI_F08
  subroutine larger(invec, inoutvec, length, datatype)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call expect_true(datatype == MPI_INTEGER, 'the datatype of a user operation')
    call c_f_pointer(invec, a, [length])
    call c_f_pointer(inoutvec, b, [length])
    b = 100 * b + a
  end subroutine
  subroutine larger_c(invec, inoutvec, length, datatype)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: invec, inoutvec
    integer(MPI_COUNT_KIND) :: length
    type(MPI_Datatype) :: datatype
    integer, pointer :: a(:), b(:)
    call c_f_pointer(invec, a, [length])
    call c_f_pointer(inoutvec, b, [length])
    b = b + 3 * a
  end subroutine
#else
  subroutine larger(a, b, length, datatype)
    integer :: length, datatype, a(length), b(length)
    b = 100 * b + a
  end subroutine
#endif
  subroutine query(state, status, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer(kind=8) :: state
    STATUS(status)
    integer :: ierror
    queries = queries + 1
    call MPI_Status_set_elements(status, MPI_INTEGER, int(state), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    STATUS_SOURCE(status) = 17
  end subroutine
  subroutine free_state(state, ierror)
    integer(kind=8) :: state
    integer :: ierror
    frees = frees + 1
    ierror = 0
  end subroutine
  subroutine cancel(state, complete, ierror)
    integer(kind=8) :: state
    logical :: complete
    integer :: ierror
    cancels = cancels + merge(1, 100, complete)
    ierror = 0
  end subroutine
end module

program callbacks
  USE_MPI
  use functions
  implicit none
  INCLUDE_MPI
  integer :: ierror, provided
  ierror = -1
  call MPI_Init_thread(MPI_THREAD_SERIALIZED, provided, ierror)
  call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Init_thread')
  call expect_true(provided >= MPI_THREAD_SERIALIZED, 'thread level')
  call attributes()
  call old_attributes()
  call type_attributes()
  call window_attributes()
  call handlers()
  call operations()
  call many_times()
  call requests()
  call extra_states()
  call MPI_Finalize(ierror)
contains
  subroutine attributes()
    HANDLE(MPI_Comm) :: comm
    integer :: key
    integer(kind=8) :: value
    logical :: flag
    ierror = -1
    call MPI_Comm_create_keyval(copy_twice, count_delete, key, 2_8**40 + 5, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_create_keyval')
    ierror = -1
    call MPI_Comm_get_attr(MPI_COMM_WORLD, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_get_attr')
    call expect_true(.not. flag, 'an attribute that is not set')
    ierror = -1
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, -2_8**45, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_set_attr')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    ierror = -1
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_get_attr')
    call expect_true(flag .and. value == -2_8**46 .and. copies == 1, 'an attribute copied')
    ierror = -1
    call MPI_Comm_set_attr(comm, key, 9_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_set_attr')
    call expect_true(deletes == 1, 'an attribute replaced')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_delete_attr(MPI_COMM_WORLD, key, ierror)
    call expect_true(deletes == 3, 'attributes deleted')
    call MPI_Comm_free_keyval(key, ierror)
    call expect_true(key == MPI_KEYVAL_INVALID, 'a keyval freed')
    ierror = -1
    call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, key, 0_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_create_keyval')
    ierror = -1
    call MPI_Comm_set_attr(MPI_COMM_WORLD, key, 77_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_set_attr')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
    ierror = -1
    call MPI_Comm_get_attr(comm, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_get_attr')
    call expect_true(flag .and. value == 77, 'MPI_COMM_DUP_FN')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_free_keyval(key, ierror)
    ierror = -1
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_get_attr')
    call expect_true(flag .and. value >= 32767, 'MPI_TAG_UB')
    call MPI_Comm_get_attr(MPI_COMM_WORLD, MPIX_FT, value, flag, ierror)
    call expect_true(flag .and. value == 0, 'MPIX_FT')
  end subroutine
  subroutine old_attributes()
    integer :: key, value, before
    logical :: flag
    integer :: comm
    integer :: world = 257
#ifdef MPI_F08
    type(MPI_Comm) :: copy
#endif
    before = deletes
    ierror = -1
    call MPI_Keyval_create(copy_old, delete_old, key, 6, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Keyval_create')
    ierror = -1
    call MPI_Attr_put(world, key, -50, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Attr_put')
#ifdef MPI_F08
    call MPI_Comm_dup(MPI_COMM_WORLD, copy)
    comm = copy%MPI_VAL
#else
    call MPI_Comm_dup(world, comm, ierror)
#endif
    ierror = -1
    flag = .false.
    call MPI_Attr_get(comm, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Attr_get')
    call expect_true(flag .and. value == -56 .and. old_copies == 1, 'an old attribute copied')
    call MPI_Attr_delete(comm, key, ierror)
    call expect_true(deletes == before + 100, 'an old attribute deleted')
#ifdef MPI_F08
    call MPI_Comm_free(copy)
#else
    call MPI_Comm_free(comm, ierror)
#endif
    call MPI_Attr_delete(world, key, ierror)
    call MPI_Keyval_free(key, ierror)
    ierror = -1
    call MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, key, 0, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Keyval_create')
    ierror = -1
    call MPI_NULL_DELETE_FN(world, key, 0, 0, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_NULL_DELETE_FN')
    call MPI_Keyval_free(key, ierror)
  end subroutine
  subroutine type_attributes()
    HANDLE(MPI_Datatype) :: datatype
    integer :: key
    integer(kind=8) :: value
    logical :: flag
    ierror = -1
    call MPI_Type_create_keyval(copy_type, MPI_TYPE_NULL_DELETE_FN, key, 4_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Type_create_keyval')
    call MPI_Type_contiguous(2, MPI_INTEGER, datatype, ierror)
    ierror = -1
    call MPI_Type_set_attr(datatype, key, 8_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Type_set_attr')
    call type_dup_has(datatype, key, 12_8, .true.)
    ierror = -1
    call MPI_Type_set_attr(datatype, key, -8_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Type_set_attr')
    call type_dup_has(datatype, key, 0_8, .false.)
    call MPI_Type_delete_attr(datatype, key, ierror)
    ierror = -1
    call MPI_Type_get_attr(datatype, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Type_get_attr')
    call expect_true(.not. flag, 'an attribute of a type deleted')
    call MPI_Type_free(datatype, ierror)
    call MPI_Type_free_keyval(key, ierror)
  end subroutine
  subroutine type_dup_has(datatype, key, wanted, there)
    HANDLE(MPI_Datatype) :: datatype, copy
    integer :: key
    integer(kind=8) :: value, wanted
    logical :: flag, there
    call MPI_Type_dup(datatype, copy, ierror)
    ierror = -1
    call MPI_Type_get_attr(copy, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Type_get_attr')
    call expect_true(flag .eqv. there, 'whether an attribute of a type is copied')
    if (there) call expect_true(value == wanted, 'an attribute of a type copied')
    call MPI_Type_free(copy, ierror)
  end subroutine
  subroutine window_attributes()
    HANDLE(MPI_Win) :: win
    integer, asynchronous :: memory(10)
    integer :: key
    integer(kind=8) :: value, address
    logical :: flag
    call MPI_Win_create(memory, 40_8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    ierror = -1
    call MPI_Win_get_attr(win, MPI_WIN_BASE, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_get_attr')
    call MPI_Get_address(memory, address, ierror)
    call expect_true(flag .and. value == address, 'MPI_WIN_BASE')
    ierror = -1
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_get_attr')
    call expect_true(flag .and. value == 40, 'MPI_WIN_SIZE')
    ierror = -1
    call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_get_attr')
    call expect_true(flag .and. value == 4, 'MPI_WIN_DISP_UNIT')
    ierror = -1
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 0_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_create_keyval')
    ierror = -1
    call MPI_Win_set_attr(win, key, 2_8**50, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_set_attr')
    ierror = -1
    call MPI_Win_get_attr(win, key, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_get_attr')
    call expect_true(flag .and. value == 2_8**50, 'an attribute of a window')
    call MPI_Win_delete_attr(win, key, ierror)
    call MPI_Win_free_keyval(key, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine
  subroutine handlers()
    HANDLE(MPI_Errhandler) :: handler
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Session) :: session
    integer, asynchronous :: memory(1)
    integer :: data = 1
    ierror = -1
    call MPI_Comm_create_errhandler(handle_comm, handler, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_create_errhandler')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, handler, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call expect_true(handler == MPI_ERRHANDLER_NULL, 'a handler freed')
    call MPI_Send(data, 1, MPI_INTEGER, 7, 0, MPI_COMM_SELF, ierror)
    call expect_true(handled == 1 .and. ierror /= MPI_SUCCESS, 'a handler of communicators')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierror)
    ierror = -1
    call MPI_File_create_errhandler(handle_file, handler, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_File_create_errhandler')
    call MPI_File_set_errhandler(MPI_FILE_NULL, handler, ierror)
    call MPI_File_call_errhandler(MPI_FILE_NULL, MPI_ERR_FILE, ierror)
    call expect_true(handled == 11, 'a handler of files')
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierror)
    call MPI_Errhandler_free(handler, ierror)
    call MPI_Win_create(memory, 4_8, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierror)
    ierror = -1
    call MPI_Win_create_errhandler(handle_win, handler, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Win_create_errhandler')
    call MPI_Win_set_errhandler(win, handler, ierror)
    call MPI_Win_call_errhandler(win, MPI_ERR_WIN, ierror)
    call expect_true(handled == 111, 'a handler of windows')
    call MPI_Win_free(win, ierror)
    call MPI_Errhandler_free(handler, ierror)
    ierror = -1
    call MPI_Session_create_errhandler(handle_session, handler, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Session_create_errhandler')
    ierror = -1
    call MPI_Session_init(MPI_INFO_NULL, handler, session, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Session_init')
    call MPI_Session_call_errhandler(session, MPI_ERR_OTHER, ierror)
    call expect_true(handled == 1111, 'a handler of sessions')
    call MPI_Session_finalize(session, ierror)
    call MPI_Errhandler_free(handler, ierror)
  end subroutine
  subroutine operations()
    HANDLE(MPI_Op) :: op
    integer :: mine(3), all(3), rank
    logical :: commute
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    mine = [1, 2, 3] * (rank + 1)
    ierror = -1
    call MPI_Op_create(larger, .false., op, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Op_create')
    call MPI_Op_commutative(op, commute, ierror)
    call expect_true(.not. commute, 'an operation that does not commute')
    call MPI_Allreduce(mine, all, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
    call expect_true(all(1) == 201 .and. all(3) == 603, 'a user operation')
    call MPI_Op_free(op, ierror)
    call expect_true(op == MPI_OP_NULL, 'an operation freed')
    call MPI_Op_create(larger, .true., op, ierror)
    call MPI_Op_commutative(op, commute, ierror)
    call expect_true(commute, 'an operation that commutes')
    call MPI_Op_free(op, ierror)
#ifdef MPI_F08
    ierror = -1
    call MPI_Op_create_c(larger_c, .true., op, ierror)
    call MPI_Op_commutative(op, commute)
    call expect_true(ierror == MPI_SUCCESS .and. commute, 'an operation of large counts that commutes')
    call MPI_Allreduce(mine, all, 3_MPI_COUNT_KIND, MPI_INTEGER, op, MPI_COMM_WORLD)
    call expect_true(all(1) == 5 .or. all(1) == 7, 'a user operation of large counts')
    call MPI_Op_free(op)
#endif
  end subroutine
  ! More often than there can be distinct functions: one that was passed before takes no further place.
  subroutine many_times()
    HANDLE(MPI_Op) :: op
    HANDLE(MPI_Errhandler) :: handler
    integer :: i
    do i = 1, 300
      call MPI_Op_create(larger, .true., op, ierror)
      call MPI_Op_free(op, ierror)
#ifdef MPI_F08
      call MPI_Op_create_c(larger_c, .true., op, ierror)
      call MPI_Op_free(op, ierror)
#endif
      call MPI_Comm_create_errhandler(handle_comm, handler, ierror)
      call MPI_Errhandler_free(handler, ierror)
      call MPI_File_create_errhandler(handle_file, handler, ierror)
      call MPI_Errhandler_free(handler, ierror)
      call MPI_Win_create_errhandler(handle_win, handler, ierror)
      call MPI_Errhandler_free(handler, ierror)
      call MPI_Session_create_errhandler(handle_session, handler, ierror)
      call MPI_Errhandler_free(handler, ierror)
    end do
  end subroutine
  subroutine extra_states()
    integer(MPI_ADDRESS_KIND) :: state
    integer :: old_state
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Comm) :: other
    HANDLE(MPI_Datatype) :: datatype, twin
    HANDLE(MPI_Win) :: win
    STATUS(status)
    integer :: key
    state = 5
    call MPI_Grequest_start(query_and_store, free_and_store, cancel_and_store, state, request, ierror)
    call MPI_Cancel(request, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == -5, 'the extra state that a cancel function stored')
    call MPI_Grequest_complete(request, ierror)
    call MPI_Wait(request, status, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == -40, 'the extra state that query and free functions stored')
    state = 5
    call MPI_Type_create_keyval(copy_and_store, delete_and_store, key, state, ierror)
    call MPI_Type_contiguous(2, MPI_INTEGER, datatype, ierror)
    call MPI_Type_set_attr(datatype, key, 7_MPI_ADDRESS_KIND, ierror)
    call MPI_Type_dup(datatype, twin, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == 6, 'the extra state that a copy function of types stored')
    call MPI_Type_free(twin, ierror)
    call MPI_Type_free(datatype, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == 600, 'the extra state that a delete function of types stored')
    call MPI_Type_free_keyval(key, ierror)
    state = 5
    call MPI_Comm_create_keyval(copy_comm_and_store, delete_comm_and_store, key, state, ierror)
    call MPI_Comm_set_attr(MPI_COMM_SELF, key, 7_MPI_ADDRESS_KIND, ierror)
    call MPI_Comm_dup(MPI_COMM_SELF, other, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == 6, 'the extra state that a copy function of communicators stored')
    call MPI_Comm_free(other, ierror)
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == 600, 'the extra state that a delete function of communicators stored')
    call MPI_Comm_free_keyval(key, ierror)
    state = 5
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, delete_win_and_store, key, state, ierror)
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_SELF, win, ierror)
    call MPI_Win_set_attr(win, key, 2_MPI_ADDRESS_KIND**40, ierror)
    call MPI_Win_free(win, ierror)
    call MPI_F_sync_reg(state)
    call expect_true(state == 2_8**40 + 5, 'the extra state that a delete function of windows stored')
    call MPI_Win_free_keyval(key, ierror)
    old_state = 5
    call MPI_Keyval_create(copy_old_and_store, delete_old_and_store, key, old_state, ierror)
#ifdef MPI_F08
    call MPI_Attr_put(MPI_COMM_SELF%MPI_VAL, key, 7, ierror)
#else
    call MPI_Attr_put(MPI_COMM_SELF, key, 7, ierror)
#endif
    call MPI_Comm_dup(MPI_COMM_SELF, other, ierror)
    call MPI_Comm_free(other, ierror)
    call MPI_F_sync_reg(old_state)
    call expect_true(old_state == 60, 'the extra state that functions of MPI_Keyval_create stored')
    call MPI_Comm_delete_attr(MPI_COMM_SELF, key, ierror)
    call MPI_Comm_free_keyval(key, ierror)
  end subroutine
  subroutine requests()
    HANDLE(MPI_Request) :: request
    STATUS(status)
    integer :: elements
    ierror = -1
    call MPI_Grequest_start(query, free_state, cancel, 5_8, request, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Grequest_start')
    call MPI_Cancel(request, ierror)
    call expect_true(cancels == 100, 'a generalized request cancelled before its end')
    call MPI_Grequest_complete(request, ierror)
    call MPI_Cancel(request, ierror)
    call expect_true(cancels == 101, 'a generalized request cancelled behind its end')
    call MPI_Wait(request, status, ierror)
    call MPI_Get_elements(status, MPI_INTEGER, elements, ierror)
    call expect_true(elements == 5 .and. STATUS_SOURCE(status) == 17 .and. queries == 1 .and. frees == 1, 'a generalized request')
    call expect_true(request == MPI_REQUEST_NULL, 'a request waited for')
  end subroutine
end program
