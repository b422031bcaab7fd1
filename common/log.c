/* SPDX-License-Identifier: MIT */
#include "common/log.h"

#include <stdarg.h>
#include <stdio.h>

void log_message(const struct log *log, enum log_level level, const char *file,
		 uint64_t offset, const char *format, ...)
{
	char text[500];
	va_list args;

	if (!log)
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	log->write(log->ctx, level, file, offset, text);
}
