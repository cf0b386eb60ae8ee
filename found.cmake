# What a build takes when it is there and does without when not: headers of libraries that are loaded when needed.
#
# Each configure looks again, in both directions. `make` has tests/provide write into found.build what is here, each time, and
# touches that file only when something changed: then Ninja configures again.
#   without.txt   a line for each thing that was not there, the last that `make` prints
file(WRITE ${CMAKE_BINARY_DIR}/without.txt "")
if(NOT EXISTS ${CMAKE_BINARY_DIR}/found.build)
  file(TOUCH ${CMAKE_BINARY_DIR}/found.build)
endif()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_BINARY_DIR}/found.build)

# look_for(prefix module version package purpose): sets <prefix>_FOUND, <prefix>_VERSION, <prefix>_INCLUDE_DIRS
macro(look_for prefix module version package purpose)
  unset(__pkg_config_checked_${prefix} CACHE) # which keeps what was found once
  pkg_check_modules(${prefix} ${module}>=${version})
  if(NOT ${prefix}_FOUND)
    file(APPEND ${CMAKE_BINARY_DIR}/without.txt
         "Built without ${module} (${version} or later), so not for ${purpose}: apt install ${package}; make\n")
  endif()
endmacro()

# look_for_network(name prefix module version package library): adds the name to NETWORKS, and NETWORK_<name> is the prefix
macro(look_for_network name prefix module version package library)
  look_for(${prefix} ${module} ${version} ${package} "jobs on several hosts (transport ${name})")
  list(APPEND NETWORKS ${name})
  set(NETWORK_${name} ${prefix})
  set(headers)
  string(REPLACE "-dev" "" package_name ${package})
  if(${prefix}_FOUND)
    set(headers ${${prefix}_VERSION})
  endif()
  string(APPEND NETWORK_ROWS " \\\n    NETWORK(${name}, \"${package_name}\", \"${headers}\", \"${library}\")")
endmacro()

# write_networks(header): the list of them for C
function(write_networks header)
  file(CONFIGURE OUTPUT ${header} @ONLY CONTENT
"/* NETWORK(name, library, version, file): the networks there are (CMakeLists.txt): their libraries, the versions of the headers that
 * the build found, \"\" where there were none, and the file that is loaded. */
#define NETWORKS(NETWORK)@NETWORK_ROWS@
")
endfunction()

# look_for_fortran(purpose): enables Fortran, unless INKLING_FORTRAN is OFF; with ON there must be a compiler
set(INKLING_FORTRAN AUTO CACHE STRING "the Fortran interfaces: AUTO (where there is a compiler), ON, OFF")
macro(look_for_fortran purpose)
  set(FORTRAN_FOUND OFF)
  if(INKLING_FORTRAN STREQUAL AUTO)
    set(learnt ${CMAKE_PLATFORM_INFO_DIR}/CMakeFortranCompiler.cmake) # of the compiler that was there
    if(NOT CMAKE_Fortran_COMPILER OR (EXISTS ${learnt} AND NOT EXISTS "${CMAKE_Fortran_COMPILER}"))
      unset(CMAKE_Fortran_COMPILER CACHE) # which keeps that there was none, or one that is gone
      file(REMOVE ${learnt})
    endif()
    include(CheckLanguage)
    check_language(Fortran)
    set(FORTRAN_FOUND ${CMAKE_Fortran_COMPILER})
    if(NOT FORTRAN_FOUND)
      file(APPEND ${CMAKE_BINARY_DIR}/without.txt "Built without a Fortran compiler, so not for ${purpose}: apt install gfortran; make\n")
    endif()
  elseif(INKLING_FORTRAN)
    set(FORTRAN_FOUND ON)
  endif()
  if(FORTRAN_FOUND)
    enable_language(Fortran)
  endif()
endmacro()
