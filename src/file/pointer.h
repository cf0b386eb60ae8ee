/* pointer: the individual and the shared file pointer (MPI-5.0 sections 14.4.3 and 14.4.4). Both count etypes.
 *
 * The shared pointer is a word of the window at rank 0, to which all ranks add atomically. It belongs to no rank
 * for longer than one addition, so a rank that is killed leaves it as it is. There are two words: a new view begins
 * with the other one, which rank 0 has set to 0 before the ranks meet; no rank has used it since the view before.
 *
 * An access that would end beyond the largest offset does not move it. So a rank that knows the pointer to be far from there
 * adds at once, and another one first reads it, and stores its sum only where the pointer has not moved since.
 */
#ifndef FILE_POINTER_H
#define FILE_POINTER_H

#include "file/file.h"

enum file_pointer {
    FILE_EXPLICIT,   /* the offset of the call */
    FILE_INDIVIDUAL, /* MPI_File_read ... */
    FILE_SHARED,     /* MPI_File_read_shared ... */
    FILE_ORDERED     /* MPI_File_read_ordered ...: collective */
};

/* The position of an access to so many etypes, which all have a place in the file; moves the pointer behind it, and on an
 * error leaves it where it was. For FILE_ORDERED all ranks call it; `error`: of this rank so far, which then takes no part of
 * the file. All ranks have a place there, or those without an error of their own get MPI_ERR_ARG. */
int file_place(struct file *file, enum file_pointer pointer, MPI_Offset offset, MPI_Offset etypes, int error,
               MPI_Offset *position);
/* Takes back a part of what file_place moved the individual pointer; no effect on others. */
void file_place_back(struct file *file, enum file_pointer pointer, MPI_Offset etypes);

int pointer_read_shared(struct file *file, MPI_Offset *position);
/* Sets the word that will be the shared pointer of the next view. Rank 0 calls it before the ranks meet. */
int pointer_prepare_next(struct file *file, MPI_Offset position);
/* Makes that word the shared pointer. All ranks call it after they have met. */
void pointer_take_next(struct file *file);

/* Bodies of MPI_File_X. */
int file_seek(struct file *file, MPI_Offset offset, int whence);
int file_seek_shared(struct file *file, MPI_Offset offset, int whence);
int file_get_position(struct file *file, MPI_Offset *offset);
int file_get_position_shared(struct file *file, MPI_Offset *offset);
int file_get_byte_offset(struct file *file, MPI_Offset offset, MPI_Offset *disp);

#endif
