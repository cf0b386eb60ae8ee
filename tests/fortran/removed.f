! ranks: 2. What MPI-3.0 removed, as a program of before calls it.
      program removed
      implicit none
      include 'mpif.h'
      external count_errors
      integer ierror, rank, extent, lower, upper, first, second
      integer handler, other, vector, indexed, struct, large
      integer lengths(2), places(2), types(2), given(8), got(3), i
      integer status(MPI_STATUS_SIZE)
      integer numbers(2)
      double precision weight
      common /data/ weight, numbers
      integer errors
      common /counted/ errors

      errors = 0
      call MPI_INIT(ierror)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)

      call MPI_TYPE_EXTENT(MPI_DOUBLE_PRECISION, extent, ierror)
      call expect_true(ierror .eq. MPI_SUCCESS .and. extent .eq. 8,
     &                 'an extent')

      call MPI_TYPE_HVECTOR(2, 1, 12, MPI_INTEGER, vector, ierror)
      lengths(1) = 2
      lengths(2) = 1
      places(1) = 4
      places(2) = 20
      call MPI_TYPE_HINDEXED(2, lengths, places, MPI_INTEGER, indexed,
     &                       ierror)
      call MPI_TYPE_EXTENT(vector, extent, ierror)
      call MPI_TYPE_LB(indexed, lower, ierror)
      call MPI_TYPE_UB(indexed, upper, ierror)
      call expect_true(extent .eq. 16 .and. lower .eq. 4 .and.
     &                 upper .eq. 24, 'bounds of old types')
      call MPI_TYPE_COMMIT(indexed, ierror)
      do i = 1, 8
         given(i) = -i
      end do
      call MPI_SENDRECV(given, 1, indexed, 0, 0, got, 3, MPI_INTEGER,
     &                  0, 0, MPI_COMM_SELF, status, ierror)
      call expect_true(got(1) .eq. -2 .and. got(2) .eq. -3 .and.
     &                 got(3) .eq. -6, 'an old type that was sent')

! Blocks with addresses: differences fit wherever the program lies,
! the addresses themselves only where it is linked so.
      call MPI_ERRHANDLER_CREATE(count_errors, handler, ierror)
      call MPI_ERRHANDLER_GET(MPI_COMM_SELF, other, ierror)
      call expect_true(other .eq. MPI_ERRORS_ARE_FATAL,
     &                 'the handler of before')
      call MPI_ERRHANDLER_SET(MPI_COMM_SELF, handler, ierror)
      call MPI_ADDRESS(weight, first, ierror)
      i = errors
      call MPI_ADDRESS(numbers(1), second, ierror)
      call expect_true(errors .eq. 2 * i .and.
     &                 (ierror .eq. MPI_SUCCESS .eqv. errors .eq. 0),
     &                 'each address that does not fit is an error')
      if (errors .eq. 0) then
         call expect_true(second - first .eq. 8, 'addresses')
      end if

      lengths(1) = 1
      lengths(2) = 2
      places(1) = 0
      places(2) = 8
      types(1) = MPI_DOUBLE_PRECISION
      types(2) = MPI_INTEGER
      call MPI_TYPE_STRUCT(2, lengths, places, types, struct, ierror)
      call MPI_TYPE_COMMIT(struct, ierror)
      if (rank .eq. 0) then
         weight = 2.5d0
         numbers(1) = 7
         numbers(2) = 8
         call MPI_SEND(weight, 1, struct, 1, 1, MPI_COMM_WORLD, ierror)
      else
         call MPI_RECV(weight, 1, struct, 0, 1, MPI_COMM_WORLD, status,
     &                 ierror)
         call expect_true(weight .eq. 2.5d0 .and. numbers(2) .eq. 8,
     &                    'a struct that was sent')
      end if

      i = errors
      call MPI_TYPE_HVECTOR(2, 1, 2147483640, MPI_INTEGER, vector,
     &                      ierror)
      call MPI_TYPE_HVECTOR(2, 1, 2147483640, vector, large, ierror)
      extent = -1
      call MPI_TYPE_EXTENT(large, extent, ierror)
      call expect_true(ierror .ne. MPI_SUCCESS .and. extent .eq. -1
     &                 .and. errors .eq. i + 1,
     &                 'an extent that does not fit')
      call MPI_FINALIZE(ierror)
      end

      subroutine count_errors(comm, code)
      integer comm, code, errors
      common /counted/ errors
      errors = errors + 1
      end
