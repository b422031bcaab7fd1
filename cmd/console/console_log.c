/* SPDX-License-Identifier: MIT */
#include "cmd/console/console_log.h"

#include "report/text/name_text.h"

#include <inttypes.h>
#include <stdio.h>

static const char *level_text(enum log_level level)
{
	switch (level) {
	case LOG_ERROR:
		return "";
	case LOG_WARNING:
		return "warning: ";
	case LOG_NOTE:
		return "note: ";
	}
	return "";
}

/* File names and messages contain names from the recording, so they are
 * escaped.
 */
static void write_message(void *ctx, enum log_level level, const char *file,
			  uint64_t offset, const char *text)
{
	(void)ctx;
	fprintf(stderr, "ktrace-hw: %s", level_text(level));
	if (file) {
		name_write(stderr, NAME_TEXT, file);
		fputs(": ", stderr);
	}
	if (offset != LOG_NO_OFFSET)
		fprintf(stderr, "byte %" PRIu64 ": ", offset);
	name_write(stderr, NAME_TEXT, text);
	fputc('\n', stderr);
}

const struct log console_log = { .write = write_message };
