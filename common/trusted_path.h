/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TRUSTED_PATH_H
#define KT_COMMON_TRUSTED_PATH_H

/* Paths through folders that other users may write to.  Each is walked once,
 * name by name; a link on the way is followed only if root or the effective
 * user made it, as the kernel does in sticky folders (fs.protected_symlinks).
 *
 * All return a descriptor (O_PATH) that the caller closes, or -1 with errno:
 * EPERM means that another user made a link.
 */

/* Walks to the file or folder @path, seen from the folder @from or AT_FDCWD.
 * The last name may be a link, under the same rule.
 */
int trusted_path_open(int from, const char *path);

/* Walks to the folder that @path lies in, and returns the last name of @path in
 * *@name, to be freed: "." if @path ends with no name.
 */
int trusted_path_parent(const char *path, char **name);

#endif
