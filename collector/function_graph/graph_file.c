/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_file.h"
#include "collector/events/tracefs.h"
#include "collector/function_graph/graph_instance.h"
#include "common/bytes.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

bool graph_file_has(const char *folder, const char *file, const char *word)
{
	struct byte_buffer text = { 0 };
	char path[256];
	bool found;

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	byte_buffer_file(&text, path);
	byte_buffer_zeros(&text, 1);
	found = !text.failed && strstr((const char *)text.bytes, word);
	byte_buffer_free(&text);
	return found;
}

int graph_file_set(const struct graph_instance *instance, const char *file,
		   const char *text)
{
	int error = tracefs_write(instance->folder, file, text, O_TRUNC);

	if (error)
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET, "%s: '%s' was refused: %s", file,
			    text, strerror(errno));
	return error;
}
