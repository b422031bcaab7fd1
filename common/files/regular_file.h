/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_REGULAR_FILE_H
#define KT_COMMON_FILES_REGULAR_FILE_H

#include <stdbool.h>

/* Opens paths that other users may have made: paths from the command line, in
 * folders that users share (trusted_path_*), and files of recordings
 * (regular_file_*).
 *
 * trusted_path_*() walk a path once, name by name. They follow a link only if
 * root or the effective user made it, like the kernel's rule for sticky folders
 * (fs.protected_symlinks). They return a descriptor (O_PATH) that the caller
 * closes, or -1 with errno: EPERM means that another user made a link.
 */

/* Walks to the file or folder @path, relative to the folder @from or AT_FDCWD.
 * The last name may be a link, under the same rule.
 */
int trusted_path_open(int from, const char *path);

/* Walks to the folder that contains @path, and returns the last name of @path
 * in *@name; the caller frees it. *@name is "." if @path ends with no name.
 */
int trusted_path_parent(const char *path, char **name);

/* The regular_file_open*() functions open a file for reading. All files that
 * belong to a recording, or are named in one, are opened by them. They open
 * only regular files on disk: opening a pipe would block, opening a device may
 * have any effect, and some files in /proc lose the data that is read from
 * them.
 *
 * They return a descriptor to read from, which the caller closes; or -1 with
 * errno, which regular_file_error() explains.
 */
int regular_file_open(const char *path);

/* Opens @name below @folder. A name that is absolute or has a component ".." is
 * an error (EXDEV). A link in the folder, as in a copy made of links, is
 * followed only if root or the effective user made it (trusted_path_open()), so
 * that another user's recording cannot refer to files outside of it.
 */
int regular_file_open_beneath(const char *folder, const char *name);

/* Opens the file @path of a process whose root is open as @root: links are
 * resolved as they would be in that process, and never lead out of its root
 * (openat2(2)). With @flags O_NOFOLLOW, the last name must not be a link.
 */
int regular_file_open_in_root(int root, const char *path, int flags);

/* Opens the file @path that reports cached in a recording's folder. Its last
 * name may be a link under the rule of regular_file_open_beneath().
 */
int regular_file_open_cached(const char *path);

/* Returns a text for @error, an errno set by one of these functions. */
const char *regular_file_error(int error);

/* Returns whether @name has ".." as a component. No kernel writes such names.
 */
bool regular_file_goes_up(const char *name);

#endif
