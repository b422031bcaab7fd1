/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SIGNALS_H
#define KT_CMD_TOP_SIGNALS_H

/* Blocks the signals that end or stop top or report a new window size. Returns
 * a descriptor from which they can be read, or -1 with errno.
 */
int top_signals_open(void);

/* Returns the number of a pending signal, or 0. */
int top_signals_next(int fd);

#endif
