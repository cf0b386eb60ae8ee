/* file_check: collective calls on one file handle are the same on all ranks, in one order (MPI-5.0 section 14.6.4), and what
 * must be equal on all ranks is. Also what the file's info asserts (kind_check.h, style_check.h).
 *
 * The library below tells the program of unequal arguments, as MPI_ERR_NOT_SAME, but files begin with MPI_ERRORS_RETURN, so that
 * programs that ignore what calls return never hear of it.
 */
#ifndef INSIGHT_FILE_CHECK_H
#define INSIGHT_FILE_CHECK_H

#endif
