/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_INPUT_H
#define KT_CMD_INPUT_H

#include "common/temporary_folder.h"

struct log;

/* The recording that a command reads: as it is, or unpacked from an archive for
 * as long as it is open.
 */
struct input {
	char *path;  /* what to open */
	char *files; /* the traced programs' files in it, or NULL */
	struct temporary_folder unpacked;
};

/* Returns 0, or a negative enum error said to @log.  Close it if 0. */
int input_open(struct input *input, const char *path, const struct log *log);
void input_close(struct input *input);

#endif
