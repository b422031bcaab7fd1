/* SPDX-License-Identifier: MIT */
#include "common/kept_log.h"

#include "common/arena.h"
#include "common/array.h"

#include <stdlib.h>
#include <string.h>

struct message {
	enum log_level level;
	const char *file;
	uint64_t offset;
	const char *text;
};

struct kept_log {
	struct log log;
	struct array messages; /* struct message */
	struct arena *texts;
};

static void keep(void *ctx, enum log_level level, const char *file,
		 uint64_t offset, const char *text)
{
	struct kept_log *kept = ctx;
	const char *file_copy =
		file ? arena_text(kept->texts, file, strlen(file)) : NULL;
	const char *text_copy = arena_text(kept->texts, text, strlen(text));
	struct message *message = text_copy ? array_add(&kept->messages) : NULL;

	if (message)
		*message = (struct message){
			.level = level,
			.file = file_copy,
			.offset = offset,
			.text = text_copy,
		};
}

struct kept_log *kept_log_new(void)
{
	struct kept_log *kept = calloc(1, sizeof(*kept));

	if (!kept)
		return NULL;
	kept->log = (struct log){ .write = keep, .ctx = kept };
	kept->messages = ARRAY_OF(struct message);
	kept->texts = arena_new();
	if (kept->texts)
		return kept;
	kept_log_free(kept);
	return NULL;
}

void kept_log_free(struct kept_log *kept)
{
	if (!kept)
		return;
	array_free(&kept->messages);
	arena_free(kept->texts);
	free(kept);
}

const struct log *kept_log_log(struct kept_log *kept)
{
	return &kept->log;
}

void kept_log_hand_on(const struct kept_log *kept, const struct log *log)
{
	for (size_t i = 0; i < kept->messages.count; i++) {
		const struct message *message = array_at(&kept->messages, i);

		log_message(log, message->level, message->file, message->offset,
			    "%s", message->text);
	}
}
