/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_TOP_TOP_LOOP_H
#define KT_CMD_TOP_TOP_LOOP_H

#include <sys/types.h>

struct top_options;

/* Runs rounds and shows them, as frames on a terminal, else as text or JSON,
 * until the requested number of rounds is reached, a key or signal ends it, or
 * the traced processes have ended.
 *
 * Returns the exit code: 0; 128+N for signal N; EXIT_FAILED, after a message on
 * standard error, if the first round could not be recorded or the last one not
 * reported.
 */
int top_loop(const struct top_options *options);

#endif
