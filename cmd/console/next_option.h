/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_NEXT_OPTION_H
#define KT_CMD_NEXT_OPTION_H

#include <getopt.h>

/* Is getopt_long(), but for what it says: that has the words as they were written,
 * which may be a terminal's commands.
 */
int next_option(int argc, char **argv, const char *letters,
		const struct option *list);

#endif
