! expect_true(holds, what): ends the job unless it holds. Without MPI's interfaces, for programs of each of them.
subroutine expect_true(holds, what)
  implicit none
  logical, intent(in) :: holds
  character(len=*), intent(in) :: what
  if (.not. holds) then
    print '(2a)', 'FAILED: ', what
    error stop 1
  end if
end subroutine
