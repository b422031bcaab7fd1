/* SPDX-License-Identifier: MIT */
#ifndef KT_SYMBOLIZE_TEXT_FILE_H
#define KT_SYMBOLIZE_TEXT_FILE_H

#include <stddef.h>

struct log;

/* A whole file in memory. */
struct text_file {
	const char *text; /* not NUL-terminated */
	size_t size_bytes;
};

/* Reads @path. Returns 0 and sets @file, which the caller frees with
 * text_file_free(); or -ERROR_SYSTEM, which it logs to @log.
 */
int text_file_read(const char *path, const struct log *log,
		   struct text_file *file);
void text_file_free(struct text_file *file);

#endif
