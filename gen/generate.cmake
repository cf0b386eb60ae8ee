# Runs gen/generate.py: the standard's tables in api/ become mpi.h, the entry points and the coverage table.
#   GENERATED_DIR       where they lie; include/mpi.h is below it
#   GENERATED_SOURCES   entry points and name tables of the library
#   target `generated`  makes them all; target `coverage` is the table behind `inkling status`, to link with
# gen/coverage.py looks into src as well, to say where each procedure is.
set(GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)

file(GLOB api_tables CONFIGURE_DEPENDS api/*.txt)
file(GLOB generator CONFIGURE_DEPENDS gen/*.py)

set(GENERATED_SOURCES ${GENERATED_DIR}/handle_names.c)
foreach(table ${api_tables})
  get_filename_component(chapter ${table} NAME_WE)
  if(NOT chapter MATCHES "^(constants|types|removed)$")
    list(APPEND GENERATED_SOURCES ${GENERATED_DIR}/entry_${chapter}.c)
  endif()
endforeach()

add_custom_command(
  OUTPUT ${GENERATED_SOURCES} ${GENERATED_DIR}/include/mpi.h
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/gen/generate.py ${CMAKE_SOURCE_DIR}/api ${GENERATED_DIR}
          ${PROJECT_VERSION}
  DEPENDS ${api_tables} ${generator}
  COMMENT "Making mpi.h and the entry points from api/"
  VERBATIM)

# The rows of the table of algorithms, which the commands have without the library.
set(collectives barrier bcast reduce allreduce allgather alltoall reduce_scatter gather scatter scan)
set(COLL_LISTS ${GENERATED_DIR}/coll_lists.c)
set(COLL_ROWS ${collectives})
list(TRANSFORM COLL_ROWS PREPEND ${GENERATED_DIR}/coll_)
list(TRANSFORM COLL_ROWS APPEND .c)
set(collective_files ${collectives})
list(TRANSFORM collective_files PREPEND ${CMAKE_SOURCE_DIR}/src/coll/)
list(TRANSFORM collective_files APPEND .c)
add_custom_command(
  OUTPUT ${COLL_ROWS} ${COLL_LISTS} ${GENERATED_DIR}/coll_words.h
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/gen/coll_rows.py ${CMAKE_SOURCE_DIR}/src/coll ${GENERATED_DIR} ${collectives}
  DEPENDS ${collective_files} ${CMAKE_SOURCE_DIR}/gen/coll_rows.py
  COMMENT "Copying the table of algorithms from src/coll"
  VERBATIM)

add_custom_target(generated DEPENDS ${GENERATED_SOURCES} ${GENERATED_DIR}/include/mpi.h ${COLL_ROWS} ${COLL_LISTS} ${GENERATED_DIR}/coll_words.h)

# The Fortran interfaces and the C behind them, from api/fortran: FORTRAN_SOURCES, FORTRAN_MODULES.
set(FORTRAN_SOURCES sizeof.c operators.c slots.c)
file(STRINGS api/fortran/forms.txt fortran_chapters REGEX "^chapter ")
list(TRANSFORM fortran_chapters REPLACE "^chapter (.*)$" "fortran_\\1.c")
list(APPEND FORTRAN_SOURCES ${fortran_chapters})
list(TRANSFORM FORTRAN_SOURCES PREPEND ${GENERATED_DIR}/fortran/)
set(FORTRAN_MODULES ${GENERATED_DIR}/fortran/mpi_abi_types.f90 ${GENERATED_DIR}/fortran/mpi.f90 ${GENERATED_DIR}/fortran/mpi_f08.f90)
add_custom_command(
  OUTPUT ${FORTRAN_SOURCES} ${FORTRAN_MODULES} ${GENERATED_DIR}/fortran/slots.h ${GENERATED_DIR}/include/mpif.h
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/gen/generate_fortran.py ${CMAKE_SOURCE_DIR}/api ${GENERATED_DIR}
  DEPENDS ${api_tables} ${CMAKE_SOURCE_DIR}/api/fortran/forms.txt ${generator}
  COMMENT "Making the Fortran interfaces from api/fortran"
  VERBATIM)
add_custom_target(fortran_generated DEPENDS ${FORTRAN_SOURCES} ${FORTRAN_MODULES})

# What the hints were worth when `make bench-hints` measured them: beside the commands, as where they are installed.
set(INKLING_GAINS ${CMAKE_BINARY_DIR}/share/inkling/gains.json)
configure_file(bench/results/gains.json ${INKLING_GAINS} COPYONLY)

# The page of all hints, which the command prints. Nothing may keep the command from running here, so leaks are not looked for. One of another
# processor runs by qemu; without that the page only says so.
set(PRINT_HINTS "\"$0\" hints --markdown >\"$1\"")
if(CMAKE_CROSSCOMPILING)
  set(PRINT_HINTS "\"$2\" ${CMAKE_SYSTEM_PROCESSOR} ${PRINT_HINTS} || echo 'The command inkling hints --markdown prints this page, and could not run here.' >\"$1\"")
endif()
add_custom_command(
  OUTPUT ${GENERATED_DIR}/HINTS.md
  COMMAND ${CMAKE_COMMAND} -E env ASAN_OPTIONS=detect_leaks=0 sh -c ${PRINT_HINTS} $<TARGET_FILE:inkling_command> ${GENERATED_DIR}/HINTS.md
          ${CMAKE_SOURCE_DIR}/tests/cross/emulated
  DEPENDS inkling_command ${INKLING_GAINS}
  COMMENT "Making the page of all hints from src/hint/table.c"
  VERBATIM)

# The manual pages of the procedures. Which there are the generator knows alone, so a stamp stands for them.
file(GLOB page_words CONFIGURE_DEPENDS api/man/*.txt)
set(INKLING_PROCEDURE_PAGES ${GENERATED_DIR}/man3)
add_custom_command(
  OUTPUT ${GENERATED_DIR}/man3.stamp
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/gen/man.py ${CMAKE_SOURCE_DIR}/api ${GENERATED_DIR}/HINTS.md
          ${INKLING_PROCEDURE_PAGES} ${PROJECT_VERSION}
  COMMAND ${CMAKE_COMMAND} -E touch ${GENERATED_DIR}/man3.stamp
  DEPENDS ${api_tables} ${CMAKE_SOURCE_DIR}/api/fortran/forms.txt ${page_words} ${GENERATED_DIR}/HINTS.md ${generator}
  COMMENT "Making the manual pages of the procedures from api/"
  VERBATIM)
add_custom_target(procedure_pages ALL DEPENDS ${GENERATED_DIR}/man3.stamp)

file(GLOB_RECURSE sources CONFIGURE_DEPENDS src/*.c src/*.h)
set(coverage_files ${GENERATED_DIR}/coverage.c ${GENERATED_DIR}/coverage.h ${GENERATED_DIR}/STATUS.md
                   ${GENERATED_DIR}/PROCEDURES.md)
add_custom_command(
  OUTPUT ${coverage_files}
  COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/gen/coverage.py ${CMAKE_SOURCE_DIR}/api ${CMAKE_SOURCE_DIR}/src
          ${GENERATED_DIR}
  DEPENDS ${api_tables} ${CMAKE_SOURCE_DIR}/api/fortran/forms.txt ${generator} ${sources}
  COMMENT "Making the table of procedures from api/ and src/"
  VERBATIM)
add_library(coverage STATIC ${GENERATED_DIR}/coverage.c)
target_include_directories(coverage PUBLIC ${GENERATED_DIR})
add_custom_target(coverage_pages DEPENDS ${coverage_files})
add_dependencies(coverage generated coverage_pages)
