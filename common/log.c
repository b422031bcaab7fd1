/* SPDX-License-Identifier: MIT */
#include "common/log.h"

#include "common/array.h"
#include "common/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

struct message {
	enum log_level level;
	const char *file;
	uint64_t offset;
	const char *text;
};

struct log_buffer {
	struct log log;
	struct array messages; /* struct message */
	struct arena *texts;
};

static void buffer_message(void *ctx, enum log_level level, const char *file,
			   uint64_t offset, const char *text)
{
	struct log_buffer *buffer = ctx;
	const char *file_copy =
		file ? arena_text(buffer->texts, file, strlen(file)) : NULL;
	const char *text_copy = arena_text(buffer->texts, text, strlen(text));
	struct message *message = text_copy ? array_add(&buffer->messages) :
					      NULL;

	if (message)
		*message = (struct message){
			.level = level,
			.file = file_copy,
			.offset = offset,
			.text = text_copy,
		};
}

struct log_buffer *log_buffer_new(void)
{
	struct log_buffer *buffer = calloc(1, sizeof(*buffer));

	if (!buffer)
		return NULL;
	buffer->log = (struct log){ .write = buffer_message, .ctx = buffer };
	buffer->messages = ARRAY_OF(struct message);
	buffer->texts = arena_new();
	if (buffer->texts)
		return buffer;
	log_buffer_free(buffer);
	return NULL;
}

void log_buffer_free(struct log_buffer *buffer)
{
	if (!buffer)
		return;
	array_free(&buffer->messages);
	arena_free(buffer->texts);
	free(buffer);
}

const struct log *log_buffer_log(struct log_buffer *buffer)
{
	return &buffer->log;
}

void log_buffer_pass_on(const struct log_buffer *buffer, const struct log *log)
{
	for (size_t i = 0; i < buffer->messages.count; i++) {
		const struct message *message = array_at(&buffer->messages, i);

		log_message(log, message->level, message->file, message->offset,
			    "%s", message->text);
	}
}
