/* SPDX-License-Identifier: MIT */
#include "collector/function_graph/graph_file.h"
#include "collector/bytes/byte_buffer.h"
#include "collector/function_graph/graph_instance.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

int graph_file_put(const struct graph_instance *instance, const char *file,
		   const char *text, int mode)
{
	char path[256];
	int fd;
	ssize_t done;
	int cause;

	snprintf(path, sizeof(path), "%s/%s", instance->folder, file);
	fd = open(path, O_WRONLY | O_CLOEXEC | mode);
	if (fd < 0)
		return -ERROR_SYSTEM;
	done = write(fd, text, strlen(text));
	cause = errno;
	if (close(fd) < 0 && done >= 0) {
		done = -1;
		cause = errno;
	}
	errno = cause;
	return done < 0 ? -ERROR_SYSTEM : 0;
}

int graph_file_set(const struct graph_instance *instance, const char *file,
		   const char *text)
{
	int error = graph_file_put(instance, file, text, O_TRUNC);

	if (error)
		log_message(instance->log, LOG_ERROR, instance->folder,
			    LOG_NO_OFFSET, "%s: '%s' is not taken: %s", file,
			    text, strerror(errno));
	return error;
}
