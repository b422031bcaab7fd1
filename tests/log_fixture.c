/* SPDX-License-Identifier: MIT */
#include "tests/log_fixture.h"

#include <stdio.h>

void log_fixture_keep(void *said, enum log_level level, const char *file,
		      uint64_t offset, const char *text)
{
	(void)level;
	(void)offset;
	snprintf(said, LOG_FIXTURE_TEXT, "%s: %s", file ? file : "", text);
}
