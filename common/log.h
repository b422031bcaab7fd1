/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_LOG_H
#define KT_COMMON_LOG_H

#include <stdint.h>

enum log_level {
	LOG_ERROR,   /* what was asked for cannot be done */
	LOG_WARNING, /* it goes on, but something is missing */
	LOG_NOTE,    /* worth knowing */
};

/* Where a message belongs when there is no offset to name. */
#define LOG_NO_OFFSET UINT64_MAX

/* Takes one message.  @file may be NULL; @offset counts bytes into @file. */
typedef void log_fn(void *ctx, enum log_level level, const char *file,
		    uint64_t offset, const char *text);

/* Where library code says what went wrong.  cmd/ decides what is printed.
 *
 * Borrowed by whatever it is passed to; may be used by several threads only
 * if @write may.
 */
struct log {
	log_fn *write;
	void *ctx;
};

/* Formats one message of at most 500 bytes and hands it to @log.
 *
 * @log may be NULL: the message is dropped.
 */
void log_message(const struct log *log, enum log_level level, const char *file,
		 uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

#endif
