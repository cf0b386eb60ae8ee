! ranks: 2. The hint procedures, and other procedures with strings: in each interface, with blanks around keys and values.
#include "interface.inc"

program hints
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer :: ierror
  HANDLE(MPI_Info) :: info
  ierror = -1
  call MPI_Init(ierror)
  call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Init')
  call keys_and_values()
  call lengths()
  call MPI_Info_create(info, ierror)
  call MPI_Info_set(info, '  mpi_assert_no_any_source ', ' true   ', ierror)
  call of_communicators()
  call of_windows()
  call of_files()
  call of_sessions()
  call MPI_Info_free(info, ierror)
  call environment()
  call names()
  ierror = -1
  call MPI_Finalize(ierror)
  call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Finalize')
contains
  subroutine keys_and_values()
    HANDLE(MPI_Info) :: made, copy
    character(len=MPI_MAX_INFO_KEY) :: key
    integer :: n, length
    logical :: flag
    call MPI_Info_create(made, ierror)
    call MPI_Info_set(made, '   first key  ', '  a value with  blanks   ', ierror)
    call MPI_Info_set(made, 'second', 'x', ierror)
    call MPI_Info_get_nkeys(made, n, ierror)
    call expect_true(n == 2, 'the number of keys')
    call MPI_Info_get_nthkey(made, 0, key, ierror)
    call expect_true(key == 'first key' .and. len_trim(key) == 9, 'a key of an info object')
    call MPI_Info_get_valuelen(made, ' first key', length, flag, ierror)
    call expect_true(flag .and. length == 20, 'the length of a value')
    call MPI_Info_dup(made, copy, ierror)
    call MPI_Info_delete(made, ' second ', ierror)
    call MPI_Info_get_nkeys(made, n, ierror)
    call expect_true(n == 1, 'a key deleted')
    call value_is(copy, 'second', 'x', .true.)
    call value_is(copy, 'third', '', .false.)
    call MPI_Info_free(made, ierror)
    call MPI_Info_free(copy, ierror)
    call expect_true(copy == MPI_INFO_NULL, 'an info object freed')
  end subroutine
  subroutine lengths()
    HANDLE(MPI_Info) :: made
    character(len=30) :: value
    integer :: length
    logical :: flag
    call MPI_Info_create(made, ierror)
    call MPI_Info_set(made, 'key', 'twelve chars', ierror)
    value = '?'
    length = 0
    ierror = -1
    call MPI_Info_get_string(made, 'key', length, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get_string')
    call expect_true(flag .and. length == 12 .and. value == '?', 'only the length of a value')
    length = 30
    ierror = -1
    call MPI_Info_get_string(made, 'key', length, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get_string')
    call expect_true(flag .and. length == 12 .and. value == 'twelve chars', 'a value and its length')
    value = repeat('?', 30)
    length = 6
    ierror = -1
    call MPI_Info_get_string(made, 'key', length, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get_string')
    call expect_true(flag .and. length == 12 .and. value == 'twelve', 'a part of a value: ' // value)
    ierror = -1
    flag = .false.
    value = '?'
    call MPI_Info_get(made, 'key', 6, value(1:6), flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get')
    call expect_true(flag .and. value(1:7) == 'twelve', 'MPI_INFO_GET')
    length = 30
    value = 'as before'
    flag = .true.
    ierror = -1
    call MPI_Info_get_string(made, 'no such key', length, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get_string')
    call expect_true(.not. flag .and. length == 30 .and. value == 'as before', 'a key that is not there')
    flag = .true.
    call MPI_Info_get(made, 'no such key', 30, value, flag, ierror)
    call expect_true(.not. flag .and. value == 'as before', 'MPI_INFO_GET of a key that is not there')
    call MPI_Info_free(made, ierror)
  end subroutine
  subroutine value_is(of, key, wanted, there)
    HANDLE(MPI_Info) :: of
    character(len=*) :: key, wanted
    character(len=MPI_MAX_INFO_VAL) :: value
    integer :: length
    logical :: flag, there
    length = MPI_MAX_INFO_VAL
    flag = .not. there
    ierror = -1
    call MPI_Info_get_string(of, key, length, value, flag, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_get_string')
    call expect_true(flag .eqv. there, 'whether there is a key: ' // key)
    if (there) call expect_true(value == wanted .and. length == len_trim(wanted), 'the value of a key: ' // key)
  end subroutine
  subroutine of_communicators()
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Request) :: request
    HANDLE(MPI_Info) :: used
    call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm, ierror)
    call comm_says(comm, 'true')
    call MPI_Comm_set_info(comm, MPI_INFO_NULL, ierror)
    call comm_says(comm, 'true')
    call MPI_Info_create(used, ierror)
    call MPI_Info_set(used, 'mpi_assert_no_any_source', 'false', ierror)
    call MPI_Comm_set_info(comm, used, ierror)
    call MPI_Info_free(used, ierror)
    call comm_says(comm, 'false')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_idup_with_info(MPI_COMM_WORLD, info, comm, request, ierror)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierror)
    call comm_says(comm, 'true')
    call MPI_Comm_free(comm, ierror)
    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, info, comm, ierror)
    call comm_says(comm, 'true')
    call MPI_Comm_free(comm, ierror)
  end subroutine
  subroutine comm_says(comm, wanted)
    HANDLE(MPI_Comm) :: comm
    HANDLE(MPI_Info) :: used
    character(len=*) :: wanted
    call MPI_Comm_get_info(comm, used, ierror)
    call value_is(used, 'mpi_assert_no_any_source', wanted, .true.)
    call MPI_Info_free(used, ierror)
  end subroutine
  subroutine of_windows()
    HANDLE(MPI_Win) :: win
    HANDLE(MPI_Info) :: given, used
    integer(kind=8) :: base, at
    logical :: flag
    call MPI_Info_create(given, ierror)
    call MPI_Info_set(given, 'no_locks ', ' true', ierror)
#ifdef MPI_F08
    block
      use, intrinsic :: iso_c_binding, only: c_ptr
      type(c_ptr) :: pointer
      call MPI_Win_allocate(80_8, 8, given, MPI_COMM_WORLD, pointer, win)
      base = transfer(pointer, base)
    end block
#else
    base = 0
    call MPI_Win_allocate(80_8, 8, given, MPI_COMM_WORLD, base, win, ierror)
#endif
    at = -1
    call MPI_Win_get_attr(win, MPI_WIN_BASE, at, flag, ierror)
    call expect_true(base /= 0 .and. flag .and. at == base, 'memory of a window')
    call MPI_Win_get_info(win, used, ierror)
    call value_is(used, 'no_locks', 'true', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_Info_set(given, 'no_locks', 'false', ierror)
    call MPI_Win_set_info(win, given, ierror)
    call MPI_Win_get_info(win, used, ierror)
    call value_is(used, 'no_locks', 'false', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_Info_free(given, ierror)
    call MPI_Win_free(win, ierror)
  end subroutine
  subroutine of_files()
    HANDLE(MPI_File) :: file
    HANDLE(MPI_Info) :: given, used
    character(len=300) :: name
    character(len=MPI_MAX_DATAREP_STRING) :: representation
    HANDLE(MPI_Datatype) :: element, view
    integer(kind=8) :: start
    call get_environment_variable('TMPDIR', name)
    if (name == '') name = '/tmp'
    name = trim(name) // '/inkling_fortran_hints'
    call MPI_Info_create(given, ierror)
    call MPI_Info_set(given, ' access_style', 'read_mostly ', ierror)
    call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, given, file, ierror)
    call MPI_File_get_info(file, used, ierror)
    call value_is(used, 'access_style', 'read_mostly', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_Info_set(given, 'access_style', 'write_once', ierror)
    call MPI_File_set_info(file, given, ierror)
    call MPI_File_get_info(file, used, ierror)
    call value_is(used, 'access_style', 'write_once', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_File_set_view(file, 8_8, MPI_INTEGER, MPI_INTEGER, 'external32   ', given, ierror)
    call MPI_File_get_view(file, start, element, view, representation, ierror)
    call expect_true(start == 8 .and. element == MPI_INTEGER .and. view == MPI_INTEGER .and. representation == 'external32', &
                     'the view of a file')
    call MPI_Info_free(given, ierror)
    call MPI_File_close(file, ierror)
  end subroutine
  subroutine of_sessions()
    HANDLE(MPI_Session) :: session
    HANDLE(MPI_Info) :: given, used
    HANDLE(MPI_Group) :: group
    HANDLE(MPI_Comm) :: comm
    character(len=MPI_MAX_PSET_NAME_LEN) :: name
    integer :: n, i, length, size, found, class
    call MPI_Info_create(given, ierror)
    call MPI_Info_set(given, 'mpi_memory_alloc_kinds', ' system', ierror)
    ierror = -1
    call MPI_Session_init(given, MPI_ERRORS_ARE_FATAL, session, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Session_init')
    call MPI_Info_free(given, ierror)
    call MPI_Session_get_info(session, used, ierror)
    call value_is(used, 'mpi_memory_alloc_kinds', 'system,mpi', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_Session_get_num_psets(session, MPI_INFO_NULL, n, ierror)
    found = 0
    do i = 0, n - 1
      length = 0
      name = '?'
      ierror = -1
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name, ierror)
      call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Session_get_nth_pset')
      call expect_true(name == '?' .and. length > 0, 'only the length of a name')
      ierror = -1
      call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, length, name, ierror)
      call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Session_get_nth_pset')
      call expect_true(len_trim(name) == length, 'the name of a process set')
      if (name == 'mpi://WORLD') found = found + 1
    end do
    call expect_true(found == 1, 'mpi://WORLD')
    call MPI_Session_get_pset_info(session, 'mpi://WORLD  ', used, ierror)
    call value_is(used, 'mpi_size', '2', .true.)
    call MPI_Info_free(used, ierror)
    call MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN, ierror)
    group = MPI_GROUP_EMPTY
    call MPI_Group_from_session_pset(session, 'mpi://NOWHERE', group, ierror)
    call MPI_Error_class(ierror, class, ierror)
    call expect_true(class == MPI_ERR_ARG .and. group == MPI_GROUP_NULL, 'a process set that is not there')
    call MPI_Session_set_errhandler(session, MPI_ERRORS_ARE_FATAL, ierror)
    call MPI_Group_from_session_pset(session, 'mpi://WORLD', group, ierror)
    call MPI_Comm_create_from_group(group, 'a tag   ', info, MPI_ERRORS_ARE_FATAL, comm, ierror)
    call MPI_Comm_size(comm, size, ierror)
    call expect_true(size == 2, 'a communicator of a session')
    call comm_says(comm, 'true')
    call MPI_Group_free(group, ierror)
    call MPI_Comm_free(comm, ierror)
    call MPI_Session_finalize(session, ierror)
  end subroutine
  subroutine environment()
    HANDLE(MPI_Info) :: made
    character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
    integer :: length
    logical :: flag
    ierror = -1
    call MPI_Info_create_env(made, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Info_create_env')
    call value_is(made, 'maxprocs', '2', .true.)
    call MPI_Info_free(made, ierror)
    call MPI_Get_library_version(version, length, ierror)
    call expect_true(len_trim(version) == length .and. length > 10, 'the version of the library')
    flag = .false.
    call MPI_Initialized(flag, ierror)
    call expect_true(flag, 'MPI_INITIALIZED')
    call MPI_Finalized(flag, ierror)
    call expect_true(.not. flag, 'MPI_FINALIZED')
    call MPI_Pcontrol(1)
  end subroutine
  subroutine names()
    character(len=MPI_MAX_OBJECT_NAME) :: name
    character(len=MPI_MAX_ERROR_STRING) :: text
    integer :: length, class, code
    call MPI_Comm_set_name(MPI_COMM_WORLD, ' a name  ', ierror)
    call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
    call expect_true(name == ' a name' .and. length == 7, 'a name')
    call MPI_Add_error_class(class, ierror)
    call MPI_Add_error_code(class, code, ierror)
    call MPI_Add_error_string(code, 'it went wrong   ', ierror)
    call MPI_Error_string(code, text, length, ierror)
    call expect_true(text == 'it went wrong' .and. length == 13, 'the text of an error')
  end subroutine
end program
