/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_FLAME_H
#define KT_CMD_DIFF_FLAME_H

struct report_options;

/* Draws the flame graph of options->second's recordings in colours of what
 * changed since those of options->input.  Returns the exit code.
 */
int diff_flame(const struct report_options *options);

#endif
