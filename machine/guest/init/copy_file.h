/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_GUEST_COPY_FILE_H
#define KT_MACHINE_GUEST_COPY_FILE_H

#include <sys/stat.h>

/* Copies the file or link @from, described by @info from lstat(), to @to with
 * its mode. Holes are preserved. The modification time is the current time of
 * the host, because the guest's clock has another date. A link at @to is
 * replaced, not followed. Returns 0, or -1 with errno.
 */
int copy_file(const char *from, const char *to, const struct stat *info);

/* Creates the folder @to unless it exists; a link with that name is replaced.
 * Returns 0, or -1 with errno.
 */
int copy_folder(const char *to, const struct stat *info);

#endif
