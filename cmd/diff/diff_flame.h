/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_DIFF_FLAME_H
#define KT_CMD_DIFF_FLAME_H

struct report_options;

/* Draws the flame graph of the recordings in options->second, coloured by the
 * change since those in options->input. Returns the exit code.
 */
int diff_flame(const struct report_options *options);

#endif
