/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_RECORDING_FILES_H
#define KT_DECODER_RECORDING_FILES_H

struct recording;

/* Finds the files of @recording, whose path is known, and whether it is a
 * snapshot.  Returns 0, or -ERROR_NOT_FOUND said to its log when it is a
 * directory of neither kind.
 */
int recording_files_find(struct recording *recording);

#endif
