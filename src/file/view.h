/* view: what a process sees of a file (MPI-5.0 section 14.3).
 *
 * A view's data are the bytes of its filetype, repeated without end from the displacement on. A place in them is
 * counted in bytes of data, from 0; gaps do not count. An etype takes `etype_bytes` of them. view_at turns such a
 * place into a byte of the file in the depth of the filetype's layout, times the logarithm of its pieces. view_next
 * walks over runs of the file. Filetypes are never flattened.
 *
 * Representations. The types that the program gave are kept for MPI_File_get_view. Where the file's
 * representation has other sizes than memory, `filetype` is the same type built from values of the file's sizes
 * (datarep.h), so everything here counts bytes of the file.
 *
 * Order. A filetype's displacements do not decrease, but the next tile may begin before the last one has ended (a
 * resized type). So runs may go back where one tile follows another.
 */
#ifndef FILE_VIEW_H
#define FILE_VIEW_H

#include "datatype/datatype.h"

struct datarep;

struct view {
    MPI_Offset disp;
    struct datatype *etype_given, *filetype_given; /* the program's; referenced */
    struct datatype *filetype; /* in the file's representation; referenced; NULL: see view_scale */
    MPI_Count etype_bytes;     /* in the file's representation */
    const struct datarep *datarep;
    bool is_dense;   /* its data are one run, from disp on */
    bool is_ordered; /* runs never go back */
};

/* A stretch of the file. */
struct file_run {
    MPI_Offset at, bytes;
};

struct view_walk {
    const struct view *view;
    MPI_Offset from, left; /* of the view's data: where the next run begins, and how many bytes are left */
    struct runs runs;      /* runs of equal length that begin there; count 0: not known */
    struct file_run ahead; /* one more run that the last view_next has seen; bytes 0: none */
};

/* Checks the types, which are committed, and makes a view. It has references to the types. */
int view_make(MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
              const struct datarep *datarep, bool is_written, struct view *view);
/* Works out what depends on the file's representation. view_make does so unless that takes a callback of the
 * program, which the standard allows only later: call it before all below. */
int view_scale(struct view *view);
void view_release(struct view *view);

/* The byte of the file where this byte of the view's data lies. The caller has checked it. */
MPI_Offset view_at(const struct view *view, MPI_Offset from);
/* Whether all of [from, from + bytes) of the view's data lies where an offset can point to: MPI_ERR_ARG. */
int view_check_range(const struct view *view, MPI_Offset from, MPI_Offset bytes);
/* The same for so many etypes from this position on. */
int view_check_place(const struct view *view, MPI_Offset position, MPI_Offset etypes);
/* The position, in etypes, of the first etype that begins at or behind this byte of the file. */
int view_position_of(const struct view *view, MPI_Offset at, MPI_Offset *position);

/* Begins a walk over `bytes` bytes of the view's data; the range was checked. */
void view_walk_begin(struct view_walk *walk, const struct view *view, MPI_Offset from, MPI_Offset bytes);
/* The next run of the file, of at most `most` bytes. Adjacent runs are one. False: the walk is over. */
bool view_next(struct view_walk *walk, MPI_Offset most, struct file_run *run);

#endif
