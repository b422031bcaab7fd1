/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_FOLDER_H
#define KT_CMD_RECORD_FOLDER_H

struct output_folder;

/* Opens an empty folder at @path for a recording, and locks it: creates it, or
 * uses an empty one.  An older recording at @path becomes @path.old, in place
 * of an even older one.
 *
 * Returns 0, or -1 with the reason on standard error: something else has the
 * name, it belongs to another user, others may write to it, another process
 * records to it, or it cannot be created.  @folder is zero then.
 */
int record_folder_make(struct output_folder *folder, const char *path);

/* Removes the recording in @folder, and the folder if it is empty then; leaves
 * all files that are not part of a recording.
 */
void record_folder_remove(const struct output_folder *folder);

/* Returns 0 if the recording still has the name under which it was made, or -1
 * with a message on standard error.
 */
int record_folder_check(const struct output_folder *folder);

#endif
