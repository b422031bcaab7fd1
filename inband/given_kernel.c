/* SPDX-License-Identifier: MIT */
#include "inband/given_kernel.h"
#include "collector/kernel_code/kernel_copy.h"
#include "common/byte_buffer.h"
#include "common/error.h"
#include "common/log.h"
#include "inband/copied_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fail(const char *path, int error, const struct log *log)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error));
	return error;
}

/* They become the head of the recording, and need no file there. */
static int read_formats(const char *path, struct byte_buffer *formats,
			const struct log *log)
{
	int error = byte_buffer_file(formats, path);

	if (!error && formats->failed)
		error = -ERROR_MEMORY;
	unlink(path);
	return error ? fail(path, error, log) : 0;
}

int given_kernel_take(const int files[SERVE_FILES], const char *path,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log)
{
	char name[PATH_MAX];
	int error = 0;

	if (mkdir(path, 0700) < 0)
		return fail(path, -ERROR_SYSTEM, log);
	for (size_t i = 0; i < SERVE_FILES && !error; i++) {
		snprintf(name, sizeof(name), "%s/%s", path,
			 serve_file_name((enum serve_file)i));
		error = copied_file_of(files[i], name, log);
	}
	if (!error)
		error = read_formats(name, formats, log);
	return error ? error : kernel_copy_read(copy, path, log);
}
