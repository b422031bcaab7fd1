/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TRUSTED_PATH_H
#define KT_COMMON_TRUSTED_PATH_H

/* Paths through folders that other users may write to. Each path is walked
 * once, name by name; a link on the way is followed only if root or the
 * effective user made it, like the kernel's rule for sticky folders
 * (fs.protected_symlinks).
 *
 * All functions return a descriptor (O_PATH) that the caller closes, or -1 with
 * errno: EPERM means that another user made a link.
 */

/* Walks to the file or folder @path, relative to the folder @from or AT_FDCWD.
 * The last name may be a link, under the same rule.
 */
int trusted_path_open(int from, const char *path);

/* Walks to the folder that contains @path, and returns the last name of @path
 * in *@name; the caller frees it. *@name is "." if @path ends with no name.
 */
int trusted_path_parent(const char *path, char **name);

#endif
