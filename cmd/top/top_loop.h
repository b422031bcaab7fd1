/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_LOOP_H
#define KT_CMD_TOP_LOOP_H

struct top_options;

/* Runs rounds and shows them, on a terminal as a picture, else as text or JSON,
 * until there were as many as wanted, a key or signal ends it, or what it looks
 * at is gone.
 *
 * Returns the exit code: 0; 128+N for signal N; EXIT_FAILED if the first round
 * could not be recorded, or the last one not reported: said to standard error.
 */
int top_loop(const struct top_options *options);

#endif
