/* style_check: accesses to files are as access_style says (MPI-5.0 section 15.2.8).
 *
 * Four of its words can be broken by a call: read_once and write_once (this rank does so with a byte twice), sequential and
 * reverse_sequential (an access of one kind goes the other way; to begin anew, from the start of the view or once it has been reached, is none). A program
 * that says random as well has no order. The others say what is done mostly. Not looked at: shared file pointers, for "once" views with
 * gaps, and what goes beyond STYLE_RUNS pieces that have gaps between them.
 */
#ifndef INSIGHT_CHECKS_FILE_STYLE_CHECK_H
#define INSIGHT_CHECKS_FILE_STYLE_CHECK_H

#include "insight/call/intercept.h"
#include "insight/objects/file_record.h"

void style_check_opened(struct file_style *style);
/* What the file's info says from now on. */
void style_check_learn(const struct intercept *call, struct file_style *style, MPI_Info info);
/* MPI_File_set_view has set another view. */
void style_check_view(const struct intercept *call, struct file_style *style);
void style_check_before(struct intercept *call);
void style_check_after(struct intercept *call);

#endif
