/* What leaves the library: the names that Fortran calls, and the COMMON blocks. */
#ifndef FORTRAN_VISIBLE_H
#define FORTRAN_VISIBLE_H

#define EXPORTED __attribute__((visibility("default")))

#endif
