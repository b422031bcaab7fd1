/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_COPY_FILE_H
#define KT_MACHINE_GUEST_COPY_FILE_H

#include <sys/stat.h>

/* Copies the file or link @from, which lstat() describes by @info, to @to, with
 * its mode; holes stay holes.  It was changed when it is copied, by the host's
 * clock: the guest's has another date.  A link that is at @to is replaced, not
 * followed.
 * Returns 0, or -1 with errno.
 */
int copy_file(const char *from, const char *to, const struct stat *info);

/* Makes the folder @to, unless it is there; a link of that name is replaced.
 * Returns 0, or -1 with errno.
 */
int copy_folder(const char *to, const struct stat *info);

#endif
