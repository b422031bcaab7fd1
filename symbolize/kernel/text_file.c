/* SPDX-License-Identifier: MIT */
#include "symbolize/kernel/text_file.h"

#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int read_all(FILE *stream, struct text_file *file)
{
	size_t room = 0;

	do {
		char *text = file->text;

		if (file->size_bytes == room) {
			room = room ? room * 2 : 1 << 16;
			text = realloc(file->text, room);
		}
		if (!text)
			return -ERROR_MEMORY;
		file->text = text;
		file->size_bytes += fread(text + file->size_bytes, 1,
					  room - file->size_bytes, stream);
	} while (!feof(stream) && !ferror(stream) &&
		 file->size_bytes <= BUDGET_TEXT_BYTES);
	if (file->size_bytes > BUDGET_TEXT_BYTES)
		errno = EFBIG;
	return ferror(stream) || !feof(stream) ? -ERROR_SYSTEM : 0;
}

int text_file_read(const char *path, const struct log *log,
		   struct text_file *file)
{
	int fd = regular_file_open(path);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "re");
	int status = -ERROR_SYSTEM;

	*file = (struct text_file){ 0 };
	if (stream) {
		status = read_all(stream, file);
		fclose(stream);
	} else if (fd >= 0) {
		close(fd);
	}
	if (status == -ERROR_SYSTEM)
		log_message(log, LOG_ERROR, path, LOG_NO_OFFSET,
			    "cannot be read: %s", regular_file_error(errno));
	if (status)
		text_file_free(file);
	return status;
}

void text_file_free(struct text_file *file)
{
	free(file->text);
	*file = (struct text_file){ 0 };
}
