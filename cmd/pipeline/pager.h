/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_PAGER_H
#define KT_CMD_PAGER_H

#include <stdbool.h>
#include <stdio.h>

/* Text for a terminal goes through the user's pager, as git's does: that of
 * $KTRACE_PAGER, else of $PAGER, else less, which is told to end at once if
 * all fits ($LESS, if it is not set, is FRX).  A pager that is empty or "cat"
 * is none: the text goes to the terminal as it is.  Either begins with the
 * first text that is written, so that nothing covers what is said before.
 */
struct pager;

/* Returns NULL, which all functions here take, if standard output is no
 * terminal, or when out of memory.
 */
struct pager *pager_new(void);

/* Returns what to write to: standard output without a pager. */
FILE *pager_output(struct pager *pager);

/* Returns whether text is on the terminal, by now perhaps in the pager's
 * hands.
 */
bool pager_has_begun(const struct pager *pager);

/* Returns when the user has seen enough: 0, or -1 if the pager could not be
 * run, which the shell has said.
 */
int pager_close(struct pager *pager);

#endif
