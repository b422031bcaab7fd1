/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILES_FILE_SIGNALS_H
#define KT_COMMON_FILES_FILE_SIGNALS_H

/* Turns signals about files into errors. For programs only: a library must not
 * change signal handlers.
 *
 * SIGBUS: a file became shorter while it was mapped, or the disk is full while
 * a mapped file grows. The program names the file and exits with code 1.
 *
 * SIGXFSZ: a write exceeded the limit of file sizes. The write fails with
 * EFBIG, which its caller reports like a full disk.
 *
 * Executed programs get the default actions again.
 */
void file_signals_handle(void);

#endif
