/* SPDX-License-Identifier: MIT */
#include "inband/copied_file.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"
#include "common/output_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* Copies from the start of the file, independent of the descriptor's position.
 */
static ssize_t send_all(int in, int out)
{
	uint64_t left = BUDGET_CODE_BYTES;
	off_t offset = 0;
	ssize_t done;

	do {
		done = sendfile(out, in, &offset, left);
		left -= done > 0 ? (uint64_t)done : 0;
	} while (done > 0 && left);
	return done;
}

int copied_file_of(int in, const struct output_folder *to, const char *name,
		   const struct log *log)
{
	int out = output_folder_create(to, name);
	ssize_t done = out < 0 ? -1 : send_all(in, out);

	if (done < 0)
		output_folder_fail(to, name, log);
	if (out >= 0)
		close(out);
	return done < 0 ? -ERROR_SYSTEM : 0;
}

int copied_file(const struct output_folder *from, const char *name,
		const struct output_folder *to, const struct log *log)
{
	int in = output_folder_reopen(from, name, O_RDONLY);
	int error;

	/* Not every kernel has all files. */
	if (in < 0 && errno == ENOENT)
		return 0;
	if (in < 0) {
		log_message(log, LOG_ERROR, from->path, LOG_NO_OFFSET,
			    "%s cannot be read: %s", name, strerror(errno));
		return -ERROR_SYSTEM;
	}
	error = copied_file_of(in, to, name, log);
	close(in);
	return error;
}
