/* read_write: bodies of the data access procedures (MPI-5.0 section 14.4). `offset` counts only for FILE_EXPLICIT. */
#ifndef FILE_READ_WRITE_H
#define FILE_READ_WRITE_H

#include "file/pointer.h"

int file_read(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
              struct datatype *type, struct status *status);
int file_write(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
               MPI_Count count, struct datatype *type, struct status *status);
int file_iread(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
               struct datatype *type, struct request **request);
int file_iwrite(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                MPI_Count count, struct datatype *type, struct request **request);

/* Collective. */
int file_read_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf, MPI_Count count,
                  struct datatype *type, struct status *status);
int file_write_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                   MPI_Count count, struct datatype *type, struct status *status);
int file_iread_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                   MPI_Count count, struct datatype *type, struct request **request);
int file_iwrite_all(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                    MPI_Count count, struct datatype *type, struct request **request);

/* Split collectives. */
int file_read_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, void *buf,
                    MPI_Count count, struct datatype *type);
int file_read_end(struct file *file, enum file_pointer pointer, void *buf, struct status *status);
int file_write_begin(struct file *file, enum file_pointer pointer, MPI_Offset offset, const void *buf,
                     MPI_Count count, struct datatype *type);
int file_write_end(struct file *file, enum file_pointer pointer, const void *buf, struct status *status);

#endif
