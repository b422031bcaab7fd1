/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_LOG_H
#define KT_COMMON_LOG_H

#include <stdint.h>

/* Messages of library code. A function that may fail or warn gets a struct log
 * from its caller. It passes each message to that log, with a level and, if the
 * message is about a file, with the file and a byte offset. Nothing is printed
 * here: cmd/ makes the log and decides by the level which messages are shown. A
 * log_buffer keeps messages until its user passes them on.
 */

enum log_level {
	LOG_ERROR,   /* the requested operation failed */
	LOG_WARNING, /* it continues, but something is missing */
	LOG_NOTE,    /* information for the user; not printed with -q */
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

/* Formats one message, truncated to 499 bytes, and passes it to @log.
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

/* Returns an empty buffer; NULL when out of memory. */
struct log_buffer *log_buffer_new(void);

void log_buffer_free(struct log_buffer *buffer);

/* Returns the log that buffers messages. Owner: @buffer. */
const struct log *log_buffer_log(struct log_buffer *buffer);

/* Passes all buffered messages to @log, in order, and keeps them in the buffer.
 * Messages for which there was no memory are lost.
 */
void log_buffer_pass_on(const struct log_buffer *buffer, const struct log *log);

#endif
