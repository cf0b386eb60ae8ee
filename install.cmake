# make install. Everything finds its neighbours from where it lies (mpicc from its own path, the .pc file from
# pcfiledir), so that an installed tree may be moved. Paths below the prefix are therefore fixed.
install(TARGETS mpi_abi LIBRARY DESTINATION lib)
if(INKLING_INSIGHT)
  install(TARGETS inkling_insight LIBRARY DESTINATION lib)
endif()
foreach(name ${OTHER_NAMES})
  install(FILES ${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/${name} DESTINATION lib) # a link, copied as one
endforeach()
install(FILES ${GENERATED_DIR}/include/mpi.h DESTINATION include)
if(FORTRAN_FOUND)
  install(TARGETS mpifort_abi LIBRARY DESTINATION lib)
  install(TARGETS mpifort_removed ARCHIVE DESTINATION lib)
  install(DIRECTORY ${GENERATED_DIR}/include/ DESTINATION include FILES_MATCHING PATTERN "mpif.h" PATTERN "*.mod")
  install(FILES ${FORTRAN_MODULES} DESTINATION share/inkling/fortran) # for the modules of another compiler
endif()
# The commands and their other names (mpirun, mpic++), which are links beside them; mpiCC where that is not mpicc.
install(DIRECTORY ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/ DESTINATION bin USE_SOURCE_PERMISSIONS PATTERN mpiCC EXCLUDE)
install(CODE "set(bin \$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/bin)
if(NOT EXISTS \"\${bin}/MPICC\")
  file(CREATE_LINK mpicc \"\${bin}/mpiCC\" SYMBOLIC)
endif()")
install(TARGETS simulate_helper tune_helper tune_rank RUNTIME DESTINATION libexec/inkling)
install(PROGRAMS cmd/new/new-program DESTINATION libexec/inkling)
install(DIRECTORY cmd/new DESTINATION share/inkling PATTERN new-program EXCLUDE)
file(GLOB INKLING_PAGES CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${INKLING_PAGES} DESTINATION share/man/man1)
install(DIRECTORY ${INKLING_PROCEDURE_PAGES}/ DESTINATION share/man/man3 MESSAGE_NEVER)
foreach(command mpiexec mpirun inkling) # bash looks for them by the command's name
  install(FILES cmd/completion.bash DESTINATION share/bash-completion/completions RENAME ${command})
endforeach()
install(FILES ${INKLING_GAINS} DESTINATION share/inkling) # inkling hints and --advise read it
install(FILES LICENSE README.md DESTINATION share/doc/inkling)
install(FILES ${GENERATED_DIR}/HINTS.md ${GENERATED_DIR}/STATUS.md ${GENERATED_DIR}/PROCEDURES.md docs/TOLERANCES.md
        DESTINATION share/doc/inkling/docs)
install(FILES cmd/inkling.supp DESTINATION share/inkling) # for valgrind

# Under its own name, and under those by which others look for an MPI library.
function(install_pc name libraries)
  file(WRITE ${CMAKE_BINARY_DIR}/${name}.pc
"prefix=\${pcfiledir}/../..
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: ${name}
Description: Inkling, an MPI-5.0 library that takes your hints
Version: ${PROJECT_VERSION}
Cflags: -I\${includedir}
Libs: -L\${libdir} -Wl,-rpath,\${libdir} ${libraries}
")
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION lib/pkgconfig)
endfunction()
foreach(name inkling mpi mpi-c mpi-cxx)
  install_pc(${name} -lmpi_abi)
endforeach()
if(FORTRAN_FOUND)
  install_pc(inkling-fortran "-lmpifort_abi -lmpi_abi")
  install_pc(mpi-fort "-lmpifort_abi -lmpi_abi")
endif()

# find_package(Inkling)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/InklingConfigVersion.cmake COMPATIBILITY SameMajorVersion)
install(FILES packaging/InklingConfig.cmake ${CMAKE_BINARY_DIR}/InklingConfigVersion.cmake DESTINATION lib/cmake/Inkling)
