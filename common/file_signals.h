/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_FILE_SIGNALS_H
#define KT_COMMON_FILE_SIGNALS_H

/* Turns what signals report of files into errors, for a program: a library leaves
 * signals alone.
 *
 * SIGBUS: a file became shorter while it was mapped, or the disk that a mapped
 * file would grow on is full.  The program names the file and exits with code 1.
 *
 * SIGXFSZ: a write went beyond the limit of file sizes.  The write fails with
 * EFBIG, which its caller reports as it does a full disk.
 *
 * Programs that are executed have the default actions again.
 */
void file_signals_handle(void);

#endif
