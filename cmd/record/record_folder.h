/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_RECORD_FOLDER_H
#define KT_CMD_RECORD_FOLDER_H

struct output_folder;

/* Creates an empty folder at @path for a recording, or uses an existing empty
 * one, and locks it. An older recording at @path is renamed to @path.old and
 * replaces an even older one.
 *
 * Returns 0, or -1 after a message on standard error: the name is in use by
 * something else, the folder belongs to another user, is writable by others or
 * is in use by another recorder, or it cannot be created. @folder is zero then.
 */
int record_folder_make(struct output_folder *folder, const char *path);

/* Removes the recording in @folder, and the folder itself if it is then empty.
 * Files that are not part of a recording stay.
 */
void record_folder_remove(const struct output_folder *folder);

/* Checks that the path at which the recording was made still refers to it.
 * Returns 0, or -1 after a message on standard error.
 */
int record_folder_check(const struct output_folder *folder);

#endif
