/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_NEXT_OPTION_H
#define KT_CMD_NEXT_OPTION_H

#include <getopt.h>

/* Like getopt_long(), but its messages escape control characters in wrong
 * options, so that a terminal does not interpret them.
 */
int next_option(int argc, char **argv, const char *letters,
		const struct option *list);

#endif
