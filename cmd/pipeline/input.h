/* SPDX-License-Identifier: MIT */
#ifndef KT_CMD_INPUT_H
#define KT_CMD_INPUT_H

#include "common/output_folder.h"

#include <stdbool.h>

struct log;

/* The recording that a command reads: a folder or file, or an archive that is
 * unpacked while it is open.
 */
struct input {
	char *path;  /* path to open */
	char *files; /* folder of the traced programs' files, or NULL */
	struct output_folder unpacked;
};

/* Returns 0, or a negative enum error after a message to @log. Close it only
 * after success.
 */
int input_open(struct input *input, const char *path, const struct log *log);
void input_close(struct input *input);

/* Returns whether the file at @path starts like an archive. */
bool input_is_archive(const char *path);

/* Returns whether @file is the recording at @path or one of its files. Writing
 * to it while reading the recording would lose the output.
 */
bool input_has(const char *path, const char *file);

#endif
