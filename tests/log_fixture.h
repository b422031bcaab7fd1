/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_LOG_FIXTURE_H
#define KT_TESTS_LOG_FIXTURE_H

#include "common/log.h"

#include <stdint.h>

/* Size of the buffer for a log message. */
enum { LOG_FIXTURE_TEXT = 512 };

/* Stores the last message as "file: text" in @said, of LOG_FIXTURE_TEXT bytes:
 * 	static char said[LOG_FIXTURE_TEXT];
 * 	static const struct log log_said = { log_fixture_keep, said };
 */
void log_fixture_keep(void *said, enum log_level level, const char *file,
		      uint64_t offset, const char *text);

#endif
