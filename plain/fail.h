/* fail: the error note.
 *
 * Every function returns an int MPI error class; 0 is success. The function that first detects an error
 * writes the note:
 *
 *     return fail(MPI_ERR_TAG, "tag %d is above MPI_TAG_UB %d", tag, ub);
 *
 * Callers pass the class on unchanged. The note belongs to the calling thread and stays until the thread's
 * next fail(). The api layer puts it into the message of the error handler, and MPI_Error_string() appends it
 * to the text of its class. Outputs are written only on success.
 */
#ifndef PLAIN_FAIL_H
#define PLAIN_FAIL_H

enum {
    FAIL_NOTE_SIZE = 384
};

/* Records the note and returns error_class. */
int fail(int error_class, const char *format, ...) __attribute__((format(printf, 2, 3), cold));

/* The calling thread's last note ("" if none) and its class (0 if none). */
const char *fail_note(void);
int fail_class(void);

#endif
