# Part of check.sh, where the build has Fortran: the wrappers, pkg-config and CMake's FindMPI, in the installed tree.
cat >hello_f08.f90 <<'END'
program hello
  use mpi_f08
  integer :: rank, size
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  print '(a, i0, a, i0)', 'hello from ', rank, ' of ', size
  call MPI_Finalize()
end program
END
cat >hello_mpi.f90 <<'END'
program hello
  use mpi
  integer :: rank, size, ierror
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  print '(a, i0, a, i0)', 'hello from ', rank, ' of ', size
  call MPI_Finalize(ierror)
end program
END
sed -e '/use mpi/d' -e "s/^  integer ::/  include 'mpif.h'\n&/" hello_mpi.f90 >hello_f77.f90

step "mpifort, mpif90 and mpif77"
for wrapper in mpifort mpif90 mpif77; do
    for form in f08 mpi f77; do
        "$bin/$wrapper" -o "hello_$form" "hello_$form.f90"
        says "$hello" "$bin/mpiexec" -n 2 "./hello_$form"
    done
done
ldd ./hello_f08 | grep -q "$second/.*libmpifort_abi.so.1" || die "hello_f08 uses another libmpifort_abi: $(ldd ./hello_f08)"

step "pkg-config for Fortran"
pkg-config --validate inkling-fortran
eval "$("$bin/mpifort" -show:command) hello_f08.f90 -o hello.pc $(pkg-config --cflags --libs inkling-fortran)"
says "$hello" env -u LD_LIBRARY_PATH "$bin/mpiexec" -n 2 ./hello.pc

step "CMake's FindMPI for Fortran, in its three forms"
mkdir fortran
cp hello_f08.f90 hello_mpi.f90 hello_f77.f90 fortran
cat >fortran/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello C Fortran)
find_package(MPI REQUIRED COMPONENTS C Fortran)
foreach(form f08 mpi f77)
  add_executable(hello_${form} hello_${form}.f90)
  target_link_libraries(hello_${form} PRIVATE MPI::MPI_Fortran)
endforeach()
message(STATUS "forms: ${MPI_Fortran_HAVE_F77_HEADER} ${MPI_Fortran_HAVE_F90_MODULE} ${MPI_Fortran_HAVE_F08_MODULE}")
message(STATUS "version: ${MPI_Fortran_VERSION}")
END
"$cmake" -DMPI_HOME="$second" -S fortran -B fortran/told >fortran.log || die "$(cat fortran.log)"
grep -q "forms: TRUE TRUE TRUE" fortran.log || die "FindMPI lacks a form: $(cat fortran.log)"
grep -q "version: 5.0" fortran.log || die "FindMPI found another version: $(cat fortran.log)"
"$cmake" --build fortran/told >>fortran.log || die "$(cat fortran.log)"
for form in f08 mpi f77; do
    says "$hello" "$bin/mpiexec" -n 2 "fortran/told/hello_$form"
done

step "find_package(Inkling COMPONENTS Fortran)"
sed -i -e 's/find_package(MPI .*/find_package(Inkling REQUIRED COMPONENTS Fortran)/' -e 's/MPI::MPI_Fortran/Inkling::Fortran/' -e '/message/d' fortran/CMakeLists.txt
"$cmake" -DInkling_ROOT="$second" -S fortran -B fortran/config >fortran.log || die "$(cat fortran.log)"
"$cmake" --build fortran/config >>fortran.log || die "$(cat fortran.log)"
for form in f08 mpi f77; do
    says "$hello" "$bin/mpiexec" -n 2 "fortran/config/hello_$form"
done
