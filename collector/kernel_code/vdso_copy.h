/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_VDSO_COPY_H
#define KT_COLLECTOR_VDSO_COPY_H

struct log;
struct output_folder;

/* Writes the kernel's code for user space, the vdso of this process, to the
 * file vdso in @folder, because no file on disk contains it. (32-bit programs
 * have a different vdso.)
 *
 * Returns 0, also for a kernel without one; -ERROR_SYSTEM, logged to @log.
 */
int vdso_copy_make(const struct output_folder *folder, const struct log *log);

#endif
