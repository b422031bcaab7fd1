/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_REGULAR_FILE_H
#define KT_COMMON_REGULAR_FILE_H

#include <stdbool.h>

/* The only ways in which a file that a recording consists of, or names, is
 * opened.  Regular files of a disk are, nothing else: a pipe would be waited
 * for, a device may do anything when it is opened, and some in /proc lose what
 * is read from them.
 *
 * They return a descriptor to read from; or -1 with errno, about which
 * regular_file_error() says more.
 */
int regular_file_open(const char *path);

/* Opens @name, which must not lead out of @folder by itself.  A link in there,
 * as in a copy made of links, is followed only if root or the effective user
 * made it (common/trusted_path.h): another user's recording leads to no file
 * outside of it.
 */
int regular_file_open_beneath(const char *folder, const char *name);

/* Opens a file that reports cache in a recording's folder, by the same rule for
 * the last name of @path.
 */
int regular_file_open_cached(const char *path);

/* Returns a text about @error, an errno that one of these set. */
const char *regular_file_error(int error);

/* Returns whether @name goes up anywhere ("..").  No kernel writes such names. */
bool regular_file_goes_up(const char *name);

#endif
