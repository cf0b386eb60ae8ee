/* set_view: bodies of MPI_File_set_view, _get_view, _set_info and _get_type_extent (MPI-5.0 sections 14.2.8, 14.3).
 * The two that set are collective. */
#ifndef FILE_SET_VIEW_H
#define FILE_SET_VIEW_H

#include "file/file.h"

int file_set_view(struct file *file, MPI_Offset disp, struct datatype *etype, struct datatype *filetype,
                  const char *datarep, struct info *info);
int file_get_view(struct file *file, MPI_Offset *disp, struct datatype **etype, struct datatype **filetype,
                  char *datarep);
int file_set_info(struct file *file, struct info *info);
int file_get_type_extent(struct file *file, struct datatype *type, MPI_Count *extent);

#endif
