/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_WRITTEN_H
#define KT_CMD_WRITTEN_H

#include <stdio.h>

/* Reports that @path (NULL: standard output) could not be written: errno.
 * Returns EXIT_FAILED.
 */
int written_fail(const char *path);

/* Flushes @out, which is standard output or leads to it by a pager.
 *
 * Returns EXIT_OK, or EXIT_FAILED after a message. What could not be written is
 * then discarded, so that later calls do not report it again.
 */
int written_flush(FILE *out);

/* Like written_flush(), for standard output. */
int written_stdout(void);

#endif
