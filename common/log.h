/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_LOG_H
#define KT_COMMON_LOG_H

#include <stdint.h>

enum log_level {
	LOG_ERROR,   /* the requested operation failed */
	LOG_WARNING, /* it continues, but something is missing */
	LOG_NOTE,    /* worth knowing */
	LOG_DETAIL,  /* the items that a warning counts; printed only with -v */
};

/* The offset of a message that has no position in a file. */
#define LOG_NO_OFFSET UINT64_MAX

/* Receives one message. @file may be NULL; @offset counts bytes in @file. */
typedef void log_fn(void *ctx, enum log_level level, const char *file,
		    uint64_t offset, const char *text);

/* The destination of library code's messages. cmd/ decides which are printed.
 *
 * Borrowed by every function that receives it; may be used by several threads
 * only if @write may.
 */
struct log {
	log_fn *write;
	void *ctx;
};

/* Formats one message of at most 500 bytes and passes it to @log.
 *
 * @log may be NULL: the message is dropped.
 */
void log_message(const struct log *log, enum log_level level, const char *file,
		 uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 5, 6)));

/* A log that buffers its messages, for a thread whose messages must appear
 * after those of another thread.
 */
struct log_buffer;

/* Returns NULL when out of memory. */
struct log_buffer *log_buffer_new(void);

void log_buffer_free(struct log_buffer *buffer);

/* Returns the log that buffers messages. Owner: @buffer. */
const struct log *log_buffer_log(struct log_buffer *buffer);

/* Passes all buffered messages to @log, in order, and keeps them in the buffer.
 * Messages for which there was no memory are lost.
 */
void log_buffer_pass_on(const struct log_buffer *buffer, const struct log *log);

#endif
