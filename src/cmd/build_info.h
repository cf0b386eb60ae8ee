/* build_info: `inkling info`: how this library was built, and where its parts are. */
#ifndef CMD_BUILD_INFO_H
#define CMD_BUILD_INFO_H

#include <stdbool.h>

/* 1: the library or mpi.h is not in its place. */
int build_info_print(bool as_json);

#endif
