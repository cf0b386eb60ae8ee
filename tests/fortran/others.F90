! ranks: 2. What is left: data representations, statuses, pointers, sizes, parameterized types, logicals, spawning.
#include "interface.inc"

module conversions
  implicit none
  integer :: converted(2) = 0 ! on the way in, on the way out
contains
  subroutine file_extent(datatype, extent, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: datatype
    integer(kind=8) :: extent, state
    integer :: ierror
    call expect_true(datatype == MPI_INTEGER .and. state == 11, 'arguments of an extent function')
    extent = 4
    ierror = MPI_SUCCESS
  end subroutine
  subroutine extent_and_store(datatype, extent, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    HANDLE(MPI_Datatype) :: datatype
    integer(kind=8) :: extent, state
    integer :: ierror
    extent = 4
    state = state + 1
    ierror = MPI_SUCCESS
  end subroutine
  ! Each integer becomes its negative in the file; on the way back 100 are added, to tell the two ways apart.
#ifdef MPI_F08
  subroutine from_negative(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer, pointer :: user(:), file(:)
    call expect_true(datatype == MPI_INTEGER .and. state == 11, 'arguments of a conversion function')
    call c_f_pointer(userbuf, user, [int(position) + count])
    call c_f_pointer(filebuf, file, [count])
    user(int(position) + 1:) = 100 - file
    converted(1) = converted(1) + count
    ierror = MPI_SUCCESS
  end subroutine
  subroutine to_negative(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer, pointer :: user(:), file(:)
    call expect_true(datatype == MPI_INTEGER .and. state == 11, 'arguments of a conversion function')
    call c_f_pointer(userbuf, user, [int(position) + count])
    call c_f_pointer(filebuf, file, [count])
    file = -user(int(position) + 1:)
    converted(2) = converted(2) + count
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_and_store(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer :: count, ierror
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer, pointer :: user(:), file(:)
    call c_f_pointer(userbuf, user, [int(position) + count])
    call c_f_pointer(filebuf, file, [count])
    file = user(int(position) + 1:)
    state = state + 100 * count
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_and_store_c(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer(MPI_COUNT_KIND) :: count
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierror
    integer, pointer :: user(:), file(:)
    call c_f_pointer(userbuf, user, [position + count])
    call c_f_pointer(filebuf, file, [count])
    file = user(position + 1:)
    state = state + 100 * count
    ierror = MPI_SUCCESS
  end subroutine
  ! With counts of MPI_COUNT_KIND: the low bits of the state are added, or taken away.
  subroutine add_c(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer(MPI_COUNT_KIND) :: count
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierror
    call move(userbuf, position, filebuf, 0_8, datatype, count, state, 1)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine take_away_c(userbuf, datatype, count, filebuf, position, state, ierror)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr), value :: userbuf, filebuf
    type(MPI_Datatype) :: datatype
    integer(MPI_COUNT_KIND) :: count
    integer(MPI_OFFSET_KIND) :: position
    integer(MPI_ADDRESS_KIND) :: state
    integer :: ierror
    call move(filebuf, 0_8, userbuf, position, datatype, count, state, -1)
    ierror = MPI_SUCCESS
  end subroutine
  subroutine move(from, from_place, to, to_place, datatype, count, state, sign)
    use mpi_f08
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), intent(in) :: from, to
    type(MPI_Datatype), intent(in) :: datatype
    integer(8), intent(in) :: from_place, to_place, count, state
    integer, intent(in) :: sign
    integer, pointer :: a(:), b(:)
    call expect_true(datatype == MPI_INTEGER .and. state == 2_8**40 + 7, 'arguments of a large conversion function')
    call expect_true(count > 0 .and. count + from_place + to_place <= 4, 'the count of a large conversion function')
    call c_f_pointer(from, a, [from_place + count])
    call c_f_pointer(to, b, [to_place + count])
    b(to_place + 1:) = a(from_place + 1:) + sign * int(mod(state, 2_8**40))
  end subroutine
  subroutine large_extent(datatype, extent, state, ierror)
    use mpi_f08
    type(MPI_Datatype) :: datatype
    integer(MPI_ADDRESS_KIND) :: extent, state
    integer :: ierror
    call expect_true(datatype == MPI_INTEGER .and. state == 2_8**40 + 7, 'arguments of an extent function')
    extent = 4
    ierror = MPI_SUCCESS
  end subroutine
#else
  subroutine from_negative(user, datatype, count, file, position, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: datatype, count, ierror, user(*), file(*)
    integer(kind=8) :: position, state
    call expect_true(datatype == MPI_INTEGER .and. state == 11, 'arguments of a conversion function')
    user(position + 1:position + count) = 100 - file(1:count)
    converted(1) = converted(1) + count
    ierror = MPI_SUCCESS
  end subroutine
  subroutine to_negative(user, datatype, count, file, position, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: datatype, count, ierror, user(*), file(*)
    integer(kind=8) :: position, state
    call expect_true(datatype == MPI_INTEGER .and. state == 11, 'arguments of a conversion function')
    file(1:count) = -user(position + 1:position + count)
    converted(2) = converted(2) + count
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_and_store(user, datatype, count, file, position, state, ierror)
    USE_MPI
    implicit none
    INCLUDE_MPI
    integer :: datatype, count, ierror, user(*), file(*)
    integer(kind=8) :: position, state
    file(1:count) = user(position + 1:position + count)
    state = state + 100 * count
    ierror = MPI_SUCCESS
  end subroutine
#endif
end module

program others
  USE_MPI
  use conversions
  implicit none
  INCLUDE_MPI
  integer :: ierror
  HANDLE(MPI_Comm) :: parent
  ierror = -1
  call MPI_Init(ierror)
  call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Init')
  call MPI_Comm_get_parent(parent, ierror)
  if (parent /= MPI_COMM_NULL) then
    call child()
  else
    call representation()
    call stored_states()
#ifdef MPI_F08
    call large_representation()
#endif
    call statuses()
    call indices()
    call memory()
    call parameterized()
    call logicals()
    call functions()
    call strings()
    call spawning()
  end if
  call MPI_Finalize(ierror)
contains
  ! Both ways, and with MPI_CONVERSION_FN_NULL for one of them.
  subroutine representation()
    ierror = -1
    call MPI_Register_datarep('negated  ', from_negative, to_negative, file_extent, 11_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'a data representation')
    call MPI_Register_datarep('from negative', from_negative, MPI_CONVERSION_FN_NULL, file_extent, 11_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'a data representation of one way in')
    call MPI_Register_datarep('to negative', MPI_CONVERSION_FN_NULL, to_negative, file_extent, 11_8, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'a data representation of one way out')
    call write_and_read('negated', [-1, -2, -3, -4], [101, 102, 103, 104])
    call expect_true(all(converted == 4), 'conversion functions')
    call write_and_read('from negative', [1, 2, 3, 4], [99, 98, 97, 96])
    call write_and_read('to negative', [-1, -2, -3, -4], [-1, -2, -3, -4])
    call expect_true(all(converted == 8), 'conversion functions of one way')
  end subroutine
  ! What these functions store reaches the program's variable.
  subroutine stored_states()
    integer(MPI_ADDRESS_KIND), save :: state = 5
#ifdef MPI_F08
    integer(MPI_ADDRESS_KIND), save :: large_state = 5
    call MPI_Register_datarep_c('stored, large', MPI_CONVERSION_FN_NULL_C, copy_and_store_c, extent_and_store, large_state)
    call write_and_read('stored, large', [1, 2, 3, 4], [1, 2, 3, 4])
    call MPI_F_sync_reg(large_state)
    call expect_true(large_state / 100 == 4 .and. mod(large_state, 100_8) > 5, 'what functions of large counts stored')
#endif
    call MPI_Register_datarep('stored', MPI_CONVERSION_FN_NULL, copy_and_store, extent_and_store, state, ierror)
    call write_and_read('stored', [1, 2, 3, 4], [1, 2, 3, 4])
    call MPI_F_sync_reg(state)
    call expect_true(state / 100 == 4 .and. mod(state, 100_8) > 5, 'what functions of a data representation stored')
  end subroutine
  subroutine write_and_read(datarep, in_file, back)
    character(len=*) :: datarep
    integer :: in_file(4), back(4)
    HANDLE(MPI_File) :: file
    integer :: a(4) = [1, 2, 3, 4], b(4), c(4)
    call MPI_File_open(MPI_COMM_WORLD, scratch_file(), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file, ierror)
    call MPI_File_set_view(file, 0_8, MPI_INTEGER, MPI_INTEGER, datarep, MPI_INFO_NULL, ierror)
    call MPI_File_write_at_all(file, 0_8, a, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_File_read_at_all(file, 0_8, b, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call MPI_File_set_view(file, 0_8, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL, ierror)
    call MPI_File_read_at_all(file, 0_8, c, 4, MPI_INTEGER, MPI_STATUS_IGNORE, ierror)
    call expect_true(all(c == in_file), 'what a conversion function wrote: ' // datarep)
    call expect_true(all(b == back), 'what a conversion function read: ' // datarep)
    call MPI_File_close(file, ierror)
  end subroutine
  function scratch_file() result(name)
    character(len=300) :: name
    call get_environment_variable('TMPDIR', name)
    if (name == '') name = '/tmp'
    name = trim(name) // '/inkling_fortran_others'
  end function
#ifdef MPI_F08
  ! Conversion functions with large counts, both; and MPI_CONVERSION_FN_NULL_C for one of them.
  subroutine large_representation()
    integer :: a(4) = [1, 2, 3, 4]
    call MPI_Register_datarep_c('added ', take_away_c, add_c, large_extent, 2_8**40 + 7)
    call MPI_Register_datarep_c('added on the way out', MPI_CONVERSION_FN_NULL_C, add_c, large_extent, 2_8**40 + 7)
    call MPI_Register_datarep_c('taken away on the way in', take_away_c, MPI_CONVERSION_FN_NULL_C, large_extent, 2_8**40 + 7)
    call MPI_Register_datarep_c('added', add_c, add_c, large_extent, 0_8, ierror)
    call MPI_Error_class(ierror, ierror)
    call expect_true(ierror == MPI_ERR_DUP_DATAREP, 'a data representation of the same name')
    call there_and_back('added', a + 7, a)
    call there_and_back('added on the way out', a + 7, a + 7)
    call there_and_back('taken away on the way in', a, a - 7)
  end subroutine
  subroutine there_and_back(datarep, in_file, back)
    character(len=*), intent(in) :: datarep
    integer, intent(in) :: in_file(4), back(4)
    type(MPI_File) :: file
    integer(MPI_OFFSET_KIND) :: bytes
    integer :: a(4) = [1, 2, 3, 4], b(4), c(4)
    call MPI_File_open(MPI_COMM_WORLD, scratch_file(), MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, &
                       MPI_INFO_NULL, file)
    call MPI_File_set_view(file, 0_8, MPI_INTEGER, MPI_INTEGER, datarep, MPI_INFO_NULL)
    call MPI_File_write_at_all(file, 0_8, a, 4_MPI_COUNT_KIND, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_read_at_all(file, 0_8, b, 4, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_set_view(file, 0_8, MPI_INTEGER, MPI_INTEGER, 'native', MPI_INFO_NULL)
    call MPI_File_read_at_all(file, 0_8, c, 4, MPI_INTEGER, MPI_STATUS_IGNORE)
    call MPI_File_get_size(file, bytes)
    call expect_true(bytes == 16 .and. all(c == in_file), 'what a large conversion function wrote: ' // datarep)
    call expect_true(all(b == back), 'what a large conversion function read: ' // datarep)
    call MPI_File_close(file)
  end subroutine
#endif
  subroutine statuses()
    integer :: x = 5, n
    STATUS(status)
    call MPI_Sendrecv(x, 1, MPI_INTEGER, 0, 9, n, 1, MPI_INTEGER, 0, 9, MPI_COMM_SELF, status, ierror)
    call expect_true(n == 5, 'a message to oneself')
#ifndef MPIF_H
    block
      integer :: array(MPI_STATUS_SIZE), again(MPI_STATUS_SIZE)
      type(MPI_Status) :: named
#ifdef MPI_F08
      call MPI_Status_f082f(status, array)
#else
      array = status
#endif
      call expect_true(array(MPI_TAG) == 9 .and. array(MPI_SOURCE) == 0, 'a status as an array')
      ierror = -1
      call MPI_Status_f2f08(array, named, ierror)
      call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Status_f2f08')
      call expect_true(named%MPI_TAG == 9 .and. named%MPI_SOURCE == 0, 'a status as a named type')
      again = -1
      ierror = -1
      call MPI_Status_f082f(named, again, ierror)
      call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Status_f082f')
      call expect_true(all(again == array), 'a status there and back')
    end block
#endif
    call MPI_Get_count(status, MPI_INTEGER, n, ierror)
    call expect_true(n == 1 .and. STATUS_SOURCE(status) == 0, 'the count of a status')
  end subroutine
  ! Requests of an array count from 1.
  subroutine indices()
    HANDLE(MPI_Request) :: request(3)
    integer, asynchronous :: n(3)
    integer :: x = 5, i, done, places(3)
    logical :: flag
    STATUS(status)
    do i = 1, 3
      call MPI_Irecv(n(i), 1, MPI_INTEGER, 0, i, MPI_COMM_SELF, request(i), ierror)
    end do
    call MPI_Send(x, 1, MPI_INTEGER, 0, 2, MPI_COMM_SELF, ierror)
    flag = .false.
    do while (.not. flag)
      call MPI_Request_get_status_any(3, request, i, flag, status, ierror)
    end do
    call expect_true(i == 2, 'the index of MPI_Request_get_status_any')
    call MPI_Waitany(3, request, i, status, ierror)
    call expect_true(i == 2 .and. request(2) == MPI_REQUEST_NULL, 'the index of MPI_Waitany')
    call MPI_Testany(3, request, i, flag, status, ierror)
    call expect_true(i == MPI_UNDEFINED .and. .not. flag, 'no index of MPI_Testany')
    call MPI_Send(x, 1, MPI_INTEGER, 0, 3, MPI_COMM_SELF, ierror)
    do while (.not. flag)
      call MPI_Testany(3, request, i, flag, status, ierror)
    end do
    call expect_true(i == 3 .and. request(3) == MPI_REQUEST_NULL, 'the index of MPI_Testany')
    call MPI_Send(x, 1, MPI_INTEGER, 0, 1, MPI_COMM_SELF, ierror)
    call MPI_Waitsome(3, request, done, places, MPI_STATUSES_IGNORE, ierror)
    call expect_true(done == 1 .and. places(1) == 1, 'the index of MPI_Waitsome')
    call expect_true(all(n == x), 'what the requests received')
    places = 7
    call MPI_Waitsome(3, request, done, places, MPI_STATUSES_IGNORE, ierror)
    call expect_true(done == MPI_UNDEFINED .and. all(places == 7), 'no index of MPI_Waitsome')
    call MPI_Waitany(3, request, i, status, ierror)
    call expect_true(i == MPI_UNDEFINED, 'no index of MPI_Waitany')
  end subroutine
  subroutine memory()
#ifndef MPIF_H
    block
      use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
      type(c_ptr) :: pointer
      integer, pointer :: a(:)
      integer :: size
      real(8) :: x(3)
      logical(1) :: l
      complex :: z(2, 2)
      character(len=7) :: text, texts(2)
      call MPI_Alloc_mem(400_8, MPI_INFO_NULL, pointer, ierror)
      call c_f_pointer(pointer, a, [100])
      a = 7
      call MPI_F_sync_reg(a)
      call expect_true(sum(a) == 700, 'memory of MPI_ALLOC_MEM')
      call MPI_Free_mem(a, ierror)
      call MPI_Sizeof(x, size, ierror)
      call expect_true(size == 8, 'MPI_SIZEOF of a double')
      call MPI_Sizeof(l, size, ierror)
      call expect_true(size == 1, 'MPI_SIZEOF of a short logical')
      call MPI_Sizeof(z, size, ierror)
      call expect_true(size == 8, 'MPI_SIZEOF of a complex')
      call MPI_Sizeof(text, size, ierror)
      call expect_true(size == 1, 'MPI_SIZEOF of a character')
      call MPI_Sizeof(texts, size, ierror)
      call expect_true(size == 1, 'MPI_SIZEOF of characters')
    end block
#else
    integer(kind=MPI_ADDRESS_KIND) :: address, next
    integer :: a(2)
    address = 0
    call MPI_Alloc_mem(400_8, MPI_INFO_NULL, address, ierror)
    call expect_true(address /= 0, 'memory of MPI_ALLOC_MEM')
    call MPI_Get_address(a(1), address, ierror)
    call MPI_Get_address(a(2), next, ierror)
    call expect_true(next - address == 4, 'addresses of an array')
#endif
  end subroutine
  subroutine parameterized()
    HANDLE(MPI_Datatype) :: a, b
    integer :: bytes
    call MPI_Type_create_f90_real(12, 100, a, ierror)
    call MPI_Type_size(a, bytes, ierror)
    call expect_true(bytes == 8, 'a real of 12 digits')
    call MPI_Type_create_f90_real(12, 100, b, ierror)
    call expect_true(a == b, 'the same type again')
    call MPI_Type_create_f90_integer(4, b, ierror)
    call MPI_Type_size(b, bytes, ierror)
    call expect_true(bytes == 2, 'an integer of 4 digits')
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, a, ierror)
    call expect_true(a == MPI_REAL .or. a == MPI_REAL4, 'MPI_TYPE_MATCH_SIZE')
    call MPI_Type_size(MPI_INTEGER, bytes, ierror)
    call expect_true(bytes == storage_size(bytes) / 8, 'the size of MPI_INTEGER')
  end subroutine
  subroutine logicals()
    logical :: yes, no, is_set, mine(2), all_of_them(2)
    integer :: class, rank
    yes = .false.
    no = .true.
    is_set = .false.
    ierror = -1
    call MPI_Abi_get_fortran_booleans(4, yes, no, is_set, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Abi_get_fortran_booleans')
    call expect_true(is_set .and. yes .and. .not. no, 'the literals of LOGICAL')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierror)
    call MPI_Abi_set_fortran_booleans(4, .false., .true., ierror)
    call MPI_Error_class(ierror, class, ierror)
    call expect_true(class == MPI_ERR_ABI, 'literals that are known cannot be set')
    ierror = -1
    call MPI_Abi_get_fortran_booleans(4, yes, no, is_set, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Abi_get_fortran_booleans')
    call expect_true(is_set .and. yes .and. .not. no, 'nor are they changed')
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    mine = [.true., rank == 0]
    all_of_them = .not. mine
    call MPI_Allreduce(mine, all_of_them, 2, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, ierror)
    call expect_true(all_of_them(1) .and. .not. all_of_them(2), 'a reduction of logicals')
  end subroutine
  subroutine functions()
    integer(kind=MPI_ADDRESS_KIND) :: a
    double precision :: before
    before = MPI_Wtime()
    a = MPI_Aint_add(2_MPI_ADDRESS_KIND**40, 5_MPI_ADDRESS_KIND)
    call expect_true(a == 2_8**40 + 5 .and. MPI_Aint_diff(a, 5_MPI_ADDRESS_KIND) == 2_8**40, 'addresses')
    call expect_true(MPI_Wtime() >= before .and. MPI_Wtick() > 0, 'clocks')
  end subroutine
  ! The program itself, twice; arguments with blanks within, and a last one that ends the list.
  ! Each length that a program may ask for of strings that come out, in variables shorter and longer than that: behind what fits there
  ! are blanks to the end, and where nothing is asked for nothing is changed.
  subroutine strings()
    HANDLE(MPI_Info) :: info
    HANDLE(MPI_Session) :: session
    integer :: length, room, needed
    logical :: flag
    character(len=12) :: text
    character(len=6), parameter :: value = '123456'
    call MPI_Info_create(info, ierror)
    call MPI_Info_set(info, ' file ', '  123456  ', ierror)
    call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierror)
    do length = 0, 12
      do room = 1, 12
        text = repeat('#', 12)
        needed = length
        call MPI_Info_get_string(info, 'file  ', needed, text(:room), flag, ierror)
        call expect_true(ierror == MPI_SUCCESS .and. flag .and. needed == 6, 'the length of a value')
        call expect_string(text, length, room, value, 'a value')
        if (length > 0) then
          text = repeat('#', 12)
          call MPI_Info_get(info, ' file', length, text(:room), flag, ierror)
          call expect_true(ierror == MPI_SUCCESS .and. flag, 'a value is there')
          call expect_string(text, length, room, value, 'a value of the old procedure')
        end if
        text = repeat('#', 12)
        needed = length
        call MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, needed, text(:room), ierror)
        call expect_true(ierror == MPI_SUCCESS .and. needed == len('mpi://WORLD'), 'the length of the name of a process set')
        call expect_string(text, length, room, 'mpi://WORLD', 'the name of a process set')
      end do
    end do
    needed = 5
    text = repeat('#', 12)
    call MPI_Info_get_string(info, 'none', needed, text, flag, ierror)
    call expect_true(.not. flag .and. text == repeat('#', 12), 'a value that is not there')
    call MPI_Session_finalize(session, ierror)
    call MPI_Info_free(info, ierror)
  end subroutine
  ! text(:room) was given to a procedure that was asked for `length` characters of `whole`.
  subroutine expect_string(text, length, room, whole, what)
    character(len=*), intent(in) :: text, whole, what
    integer, intent(in) :: length, room
    character(len=12) :: wanted
    wanted = repeat('#', 12)
    if (length > 0) wanted(:room) = whole(:min(length, len(whole)))
    call expect_true(text == wanted, what)
  end subroutine
  subroutine spawning()
    HANDLE(MPI_Comm) :: children
    HANDLE(MPI_Info) :: infos(2), at_root
    character(len=400) :: command, commands(2)
    character(len=20) :: argv(3), argvs(2, 3)
    integer :: errcodes(2), counts(2), sum, rank
    call get_command_argument(0, command)
    command = '  ' // command ! blanks before and behind do not count
    argv = [character(len=20) :: '  one ', '   two words ', '']
    errcodes = -1
    ierror = -1
    call MPI_Comm_spawn(command, argv, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, errcodes, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_spawn')
    call expect_true(all(errcodes == MPI_SUCCESS), 'error codes of spawned processes')
    call MPI_Reduce(counts, sum, 1, MPI_INTEGER, MPI_SUM, merge_root(), children, ierror)
    if (merge_root() == MPI_ROOT) call expect_true(sum == 2 * (20 + 9), 'what children were started with')
    call MPI_Comm_disconnect(children, ierror)
    commands = command
    argvs(1, :) = [character(len=20) :: ' first', '  x y z', '']
    argvs(2, :) = [character(len=20) :: 'second', '', 'not seen']
    counts = [1, 1]
    call MPI_Info_create(at_root, ierror)
    call MPI_Info_set(at_root, 'wdir', '/', ierror)
    infos = [MPI_INFO_NULL, at_root]
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    errcodes = -1
    if (rank == 0) commands = 'what counts is at the root'
    if (rank == 0) infos = MPI_INFO_NULL
    ierror = -1
    call MPI_Comm_spawn_multiple(2, commands, argvs, counts, infos, 1, MPI_COMM_WORLD, children, errcodes, ierror)
    call expect_true(ierror == MPI_SUCCESS .and. all(errcodes == MPI_SUCCESS), 'ierror of MPI_Comm_spawn_multiple')
    if (rank == 0) command = 'what counts is at the root'
    call MPI_Reduce(counts, sum, 1, MPI_INTEGER, MPI_SUM, merge_root(), children, ierror)
    if (merge_root() == MPI_ROOT) call expect_true(sum == (20 + 5) + 1010, 'what children of two commands were started with')
    call MPI_Comm_disconnect(children, ierror)
    ierror = -1
    call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, counts, infos, 1, MPI_COMM_WORLD, children, &
                                 MPI_ERRCODES_IGNORE, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_spawn_multiple without arguments')
    call MPI_Reduce(counts, sum, 1, MPI_INTEGER, MPI_SUM, merge_root(), children, ierror)
    if (merge_root() == MPI_ROOT) call expect_true(sum == 1000, 'children of two commands without arguments')
    call MPI_Comm_disconnect(children, ierror)
    call MPI_Info_free(at_root, ierror)
    ierror = -1
    call MPI_Comm_spawn(command, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 1, MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE, ierror)
    call expect_true(ierror == MPI_SUCCESS, 'ierror of MPI_Comm_spawn')
    call MPI_Reduce(counts, sum, 1, MPI_INTEGER, MPI_SUM, merge_root(), children, ierror)
    if (merge_root() == MPI_ROOT) call expect_true(sum == 0, 'children without arguments')
    call MPI_Comm_disconnect(children, ierror)
  end subroutine
  integer function merge_root()
    integer :: rank
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    merge_root = merge(MPI_ROOT, MPI_PROC_NULL, rank == 0)
  end function
  ! Tells the parents what it was started with: 10 for each argument, the length of one with blanks, and 1,000 where it works in /.
  subroutine child()
    character(len=100) :: word
    integer :: i, said, nothing
    logical :: is_at_root
    inquire (file='etc/passwd', exist=is_at_root)
    said = merge(1000, 0, is_at_root)
    do i = 1, command_argument_count()
      call get_command_argument(i, word)
      said = said + 10
      if (index(trim(word), ' ') > 0) said = said + len_trim(word)
    end do
    call MPI_Reduce(said, nothing, 1, MPI_INTEGER, MPI_SUM, 0, parent, ierror)
    call MPI_Comm_disconnect(parent, ierror)
  end subroutine
end program
