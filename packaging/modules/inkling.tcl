#%Module1.0
## The Tcl modulefile, for Environment Modules and Lmod. The RPM puts in its prefix; by hand: sed 's,@PREFIX@,...,;s,@VERSION@,...,'
proc ModulesHelp {} {
    puts stderr "Inkling @VERSION@, an MPI-5.0 library that takes hints: mpicc, mpiexec, inkling --help"
}
module-whatis "Inkling @VERSION@: MPI-5.0 with the standard ABI"
conflict mpi
set prefix "@PREFIX@"
setenv MPI_HOME $prefix
setenv MPI_BIN $prefix/bin
setenv MPI_LIB $prefix/lib
setenv MPI_INCLUDE $prefix/include
prepend-path PATH $prefix/bin
prepend-path LD_LIBRARY_PATH $prefix/lib
prepend-path MANPATH $prefix/share/man
prepend-path PKG_CONFIG_PATH $prefix/lib/pkgconfig
prepend-path CMAKE_PREFIX_PATH $prefix
