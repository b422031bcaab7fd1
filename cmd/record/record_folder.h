/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_FOLDER_H
#define KT_CMD_RECORD_FOLDER_H

/* Makes an empty folder for a recording at @path.  A recording that is there
 * already is kept as @path.old, in place of an older one.
 *
 * Returns 0, or -1 with the reason on standard error: something else is
 * there, or it cannot be created.
 */
int record_folder_make(const char *path);

/* Removes the recording at @path, and nothing that is not part of one. */
void record_folder_remove(const char *path);

#endif
