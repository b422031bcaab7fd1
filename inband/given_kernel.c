/* SPDX-License-Identifier: MIT */
#include "inband/given_kernel.h"
#include "collector/kernel_code/kernel_copy.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"
#include "inband/copied_file.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static int fail(const char *path, int error, const struct log *log)
{
	log_message(log, LOG_ERROR, path, LOG_NO_OFFSET, "%s",
		    error == -ERROR_SYSTEM ? strerror(errno) :
					     error_text(error));
	return error;
}

/* The formats are stored in the recording's header, and need no file there. */
static int read_formats(const struct output_folder *folder, const char *name,
			struct byte_buffer *formats, const struct log *log)
{
	char path[PATH_MAX];
	int error;

	snprintf(path, sizeof(path), "%s/%s", folder->path, name);
	error = byte_buffer_file(formats, path);
	if (!error && formats->failed)
		error = -ERROR_MEMORY;
	output_folder_remove(folder, name);
	return error ? fail(path, error, log) : 0;
}

/* The service withdraws copies that have been replaced several times: it
 * truncates their files, this one first.
 */
static int check_kept(const int files[SERVE_FILES], const struct log *log)
{
	struct stat stat;

	if (fstat(files[SERVE_KCORE], &stat))
		return fail(serve_file_name(SERVE_KCORE), -ERROR_SYSTEM, log);
	if (stat.st_size)
		return 0;
	errno = ESTALE;
	log_message(log, LOG_ERROR, serve_file_name(SERVE_KCORE), LOG_NO_OFFSET,
		    "the service has withdrawn this copy of the kernel while "
		    "it was read, since the kernel's code has changed several "
		    "times: open anew");
	return -ERROR_SYSTEM;
}

int given_kernel_take(const int files[SERVE_FILES],
		      const struct output_folder *folder,
		      struct kernel_copy *copy, struct byte_buffer *formats,
		      const struct log *log)
{
	const char *name = NULL;
	int error = 0;

	for (size_t i = 0; i < SERVE_FILES && !error; i++) {
		name = serve_file_name((enum serve_file)i);
		error = copied_file_of(files[i], folder, name, log);
	}
	if (!error)
		error = check_kept(files, log);
	if (!error)
		error = read_formats(folder, name, formats, log);
	return error ? error : kernel_copy_read(copy, folder->path, log);
}
