/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_ARCHIVE_OPTIONS_H
#define KT_CMD_ARCHIVE_OPTIONS_H

#include <stdbool.h>

/* The command line of `ktrace-hw archive`. Strings point into argv. */
struct archive_options {
	const char *input;    /* NULL: the last recording made here */
	const char *output;   /* NULL: named after the input */
	const char *symfs;    /* NULL: this machine's files */
	const char *unpacked; /* archive to unpack; NULL: make one */
	bool keeps_stacks;
	bool without_files;
};

/* Returns 0 to continue, or the exit code plus one. */
int archive_options_read(struct archive_options *options, int argc,
			 char **argv);

#endif
