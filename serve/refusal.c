/* SPDX-License-Identifier: MIT */
#include "serve/refusal.h"
#include "common/error.h"

#include <errno.h>
#include <stdio.h>

int refusal_set(struct serve_refused *refused, int cause, const char *text)
{
	refused->cause = cause;
	snprintf(refused->text, sizeof(refused->text), "%s", text);
	return -ERROR_SYSTEM;
}

void refusal_keep(void *ctx, enum log_level level, const char *file,
		  uint64_t offset, const char *text)
{
	struct serve_refused *refused = ctx;

	(void)offset;
	if (level != LOG_ERROR)
		return;
	refused->cause = errno;
	snprintf(refused->text, sizeof(refused->text), "%s%s%s",
		 file ? file : "", file ? ": " : "", text);
}
