! ranks: 2. Counts above 2**31 by the generic names of mpi_f08, and what is derived from them.
program large
  use mpi_f08
  implicit none
  integer(MPI_COUNT_KIND), parameter :: many = 3_MPI_COUNT_KIND * 2_MPI_COUNT_KIND**30
  integer(MPI_COUNT_KIND) :: size, extent, lower, count
  integer :: rank, i, short
  integer(1), asynchronous, allocatable :: a(:), b(:)
  type(MPI_Datatype) :: datatype, spread
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Type_contiguous(many, MPI_BYTE, datatype)
  call MPI_Type_size(datatype, size)
  call expect_true(size == many, 'the size of a large type')
  call MPI_Type_size(datatype, short)
  call expect_true(short == MPI_UNDEFINED, 'the size of a large type as a default integer')
  call MPI_Type_get_extent(datatype, lower, extent)
  call expect_true(lower == 0 .and. extent == many, 'the extent of a large type')
  call MPI_Type_free(datatype)
  do i = 0, 1 ! around the largest that a default integer holds
    call MPI_Type_contiguous(2_MPI_COUNT_KIND**31 - 1 + i, MPI_BYTE, datatype)
    call MPI_Type_size(datatype, size)
    call MPI_Type_size(datatype, short)
    call expect_true(size == 2_MPI_COUNT_KIND**31 - 1 + i .and. short == merge(huge(short), MPI_UNDEFINED, i == 0), &
                     'the largest size of a default integer')
    call MPI_Type_free(datatype)
  end do
  ! One byte in each of four places that are 1 GiB apart: without the memory between, the type alone is large.
  call MPI_Type_vector(4_MPI_COUNT_KIND, 1_MPI_COUNT_KIND, 2_MPI_COUNT_KIND**30, MPI_INTEGER8, spread)
  call MPI_Type_get_true_extent(spread, lower, extent)
  call expect_true(lower == 0 .and. extent == 3 * 8 * 2_MPI_COUNT_KIND**30 + 8, 'the extent of a spread type')
  call MPI_Type_free(spread)
  call MPI_Status_set_elements(status, MPI_BYTE, many)
  call MPI_Get_elements(status, MPI_BYTE, count)
  call expect_true(count == many, 'a large count of a status')
  call MPI_Get_elements(status, MPI_BYTE, short)
  call expect_true(short == MPI_UNDEFINED, 'a large count as a default integer')
  do i = 0, 1
    call MPI_Status_set_elements(status, MPI_BYTE, 2_MPI_COUNT_KIND**31 - 1 + i)
    call MPI_Get_elements(status, MPI_BYTE, short)
    call expect_true(short == merge(huge(short), MPI_UNDEFINED, i == 0), 'the largest count of a default integer')
  end do
  allocate (a(200000), b(100000))
  a = [(int(mod(i, 97) + rank, 1), i=1, 200000)]
  b = -1
  count = 100000
  call MPI_Irecv(b, count, MPI_INTEGER1, 1 - rank, 0, MPI_COMM_WORLD, requests(1))
  call MPI_Isend(a(1:200000:2), count, MPI_INTEGER1, 1 - rank, 0, MPI_COMM_WORLD, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  call expect_true(all(b == a(1:200000:2) + 1 - 2 * rank), 'a section with a large kind of count')
  call MPI_Finalize()
end program
