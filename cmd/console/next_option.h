/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_NEXT_OPTION_H
#define KT_CMD_NEXT_OPTION_H

#include <getopt.h>

/* Works as getopt_long(), but writes no word of the command line that a terminal
 * would obey: the messages of getopt_long() have wrong options as they are.
 */
int next_option(int argc, char **argv, const char *letters,
		const struct option *list);

#endif
