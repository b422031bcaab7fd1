/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_REGULAR_FILE_H
#define KT_COMMON_FILES_REGULAR_FILE_H

#include <stdbool.h>

/* Opens paths that other users may have made: of the command
 * line in shared folders (trusted_path_*), and of recordings (regular_file_*).
 *
 * Each path of the former is walked once, name by name; a link on the way is
 * followed only if root or the effective user made it, like the kernel's rule
 * for sticky folders (fs.protected_symlinks).
 *
 * trusted_path_*() return a descriptor (O_PATH) that the caller closes, or -1
 * with errno: EPERM means that another user made a link.
 */

/* Walks to the file or folder @path, relative to the folder @from or AT_FDCWD.
 * The last name may be a link, under the same rule.
 */
int trusted_path_open(int from, const char *path);

/* Walks to the folder that contains @path, and returns the last name of @path
 * in *@name; the caller frees it. *@name is "." if @path ends with no name.
 */
int trusted_path_parent(const char *path, char **name);

/* Open a file for reading. No other functions open files that belong to a
 * recording, or are named in one. They open only regular files on disk: opening
 * a pipe would block, opening a device may have any effect, and some files in
 * /proc lose the data that is read from them.
 *
 * They return a descriptor to read from; or -1 with errno, which
 * regular_file_error() explains.
 */
int regular_file_open(const char *path);

/* Opens @name, which must not itself lead out of @folder. A link in the folder,
 * as in a copy made of links, is followed only if root or the effective user
 * made it (trusted_path_open()), so that another user's recording cannot
 * refer to files outside of it.
 */
int regular_file_open_beneath(const char *folder, const char *name);

/* Opens the file @path of a process whose root is open as @root: links are
 * resolved as that process would, and never lead out of its root (openat2(2)).
 * With @flags O_NOFOLLOW, the last name must not be a link.
 */
int regular_file_open_in_root(int root, const char *path, int flags);

/* Opens a file cached by reports in a recording's folder. The last name of
 * @path may be a link under the same rule.
 */
int regular_file_open_cached(const char *path);

/* Returns a text for @error, an errno set by one of these functions. */
const char *regular_file_error(int error);

/* Returns whether @name has ".." as a component. No kernel writes such names.
 */
bool regular_file_goes_up(const char *name);

#endif
