/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_SIGNALS_H
#define KT_CMD_TOP_SIGNALS_H

/* Blocks the signals that end or stop top or tell it of the window's size; they
 * wait in the file that is returned.  Returns -1 with errno if there is none.
 */
int top_signals_open(void);

/* Returns the number of one that came, or 0. */
int top_signals_next(int fd);

#endif
