/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PIPELINE_PAGER_INTERNAL_H
#define KT_CMD_PIPELINE_PAGER_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>

/* Sends text for a terminal through the user's pager, as git does:
 * $KTRACE_PAGER, else $PAGER, else less, which exits at once if everything fits
 * on the screen ($LESS defaults to FRX). If the variable is empty or "cat",
 * text goes to the terminal directly. The pager starts when the first text is
 * written, so that it does not cover earlier messages.
 */
struct pager;

/* Prepares the pager. Returns NULL if standard output is not a terminal, or
 * when out of memory. All functions here accept NULL.
 */
struct pager *pager_new(void);

/* Returns the stream to write to: standard output if there is no pager. */
FILE *pager_output(struct pager *pager);

/* Returns whether text was written to the terminal or passed to the pager. */
bool pager_has_begun(const struct pager *pager);

/* Waits until the user leaves the pager. Returns 0, or -1 if the pager could
 * not be run; the shell has then printed a message.
 */
int pager_close(struct pager *pager);

#endif
