/* SPDX-License-Identifier: MIT */
#include "common/text_file.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

int text_file_write(const char *path, void (*write)(FILE *out, const void *ctx),
		    const void *ctx, const struct log *log)
{
	FILE *out = fopen(path, "we");
	bool is_written = out;

	if (out) {
		write(out, ctx);
		is_written = !ferror(out);
		is_written &= !fclose(out);
	}
	if (is_written)
		return 0;
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s", strerror(errno));
	return -ERROR_SYSTEM;
}
