/* SPDX-License-Identifier: MIT */
#ifndef KT_COLLECTOR_VDSO_COPY_H
#define KT_COLLECTOR_VDSO_COPY_H

struct log;

/* Copies the vdso, which is code that the kernel maps into every 64-bit process
 * and no file has, to code/vdso in the folder @path of a recording.  Without
 * it user code is unknown from each call of clock_gettime() on, which is said
 * to @log; that is no error.
 */
void vdso_copy_make(const char *path, const struct log *log);

#endif
