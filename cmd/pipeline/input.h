/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_INPUT_H
#define KT_CMD_INPUT_H

#include "common/output_folder.h"

#include <stdbool.h>

struct log;

/* The recording that a command reads: as it is, or unpacked from an archive for
 * as long as it is open.
 */
struct input {
	char *path;  /* what to open */
	char *files; /* the traced programs' files in it, or NULL */
	struct output_folder unpacked;
};

/* Returns 0, or a negative enum error said to @log.  Close it if 0. */
int input_open(struct input *input, const char *path, const struct log *log);
void input_close(struct input *input);

/* Returns whether the file at @path is an archive, by its first bytes. */
bool input_is_archive(const char *path);

/* Returns whether @file is the recording at @path, or one of the files that it
 * consists of: what is written there would be lost as it is read.
 */
bool input_has(const char *path, const char *file);

#endif
