/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_OUTPUT_PATH_H
#define KT_COMMON_OUTPUT_PATH_H

/* Walks to the folder that @path lies in, name by name.  A link on the way is
 * followed only if root or the effective user made it (invariant 1 of
 * common/output_folder.h); ".." is what the kernel makes of it.
 *
 * Returns a descriptor (O_PATH) that the caller closes, and the last name of
 * @path in *@name, to be freed: "." if @path ends with no name.  Returns -1
 * with errno otherwise; EPERM means that another user made a link.
 */
int output_path_parent(const char *path, char **name);

/* Walks to the folder @path itself, in the same way. */
int output_path_folder(const char *path);

#endif
