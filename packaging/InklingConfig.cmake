# find_package(Inkling [COMPONENTS C CXX Fortran]), from where this file lies, so that an installed tree may be moved:
#   Inkling::MPI       the library and mpi.h, for C and C++
#   Inkling::Fortran   with mpif.h and the modules mpi and mpi_f08, where they are installed
#   INKLING_MPIEXEC    the launcher
set(INKLING_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../..")
get_filename_component(INKLING_PREFIX "${INKLING_PREFIX}" REALPATH)
set(INKLING_MPIEXEC "${INKLING_PREFIX}/bin/mpiexec")
set(Inkling_C_FOUND TRUE)
set(Inkling_CXX_FOUND TRUE)
set(Inkling_Fortran_FOUND FALSE)
if(EXISTS "${INKLING_PREFIX}/include/mpi_f08.mod")
  set(Inkling_Fortran_FOUND TRUE)
endif()

# inkling_import(target library): of the installed tree
function(inkling_import target library)
  if(NOT TARGET ${target})
    add_library(${target} SHARED IMPORTED)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${INKLING_PREFIX}/lib/${library}"
                                               INTERFACE_INCLUDE_DIRECTORIES "${INKLING_PREFIX}/include")
  endif()
endfunction()
inkling_import(Inkling::MPI libmpi_abi.so)
if(Inkling_Fortran_FOUND)
  inkling_import(Inkling::Fortran libmpifort_abi.so)
  set_target_properties(Inkling::Fortran PROPERTIES INTERFACE_LINK_LIBRARIES Inkling::MPI)
endif()

foreach(component ${Inkling_FIND_COMPONENTS})
  if(Inkling_FIND_REQUIRED_${component} AND NOT Inkling_${component}_FOUND)
    set(Inkling_FOUND FALSE)
    set(Inkling_NOT_FOUND_MESSAGE "the Inkling in ${INKLING_PREFIX} has no ${component}")
  endif()
endforeach()
