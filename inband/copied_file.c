/* SPDX-License-Identifier: MIT */
#include "inband/copied_file.h"
#include "common/budget.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* From the beginning, wherever the descriptor is in its file. */
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

int copied_file_of(int in, const char *to, const struct log *log)
{
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	ssize_t done = out < 0 ? -1 : send_all(in, out);

	if (done < 0)
		log_message(log, LOG_ERROR, to, LOG_NO_OFFSET,
			    "cannot be written: %s", strerror(errno));
	if (out >= 0)
		close(out);
	return done < 0 ? -ERROR_SYSTEM : 0;
}

int copied_file(const char *from, const char *to, const struct log *log)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int error;

	if (in < 0) {
		log_message(log, LOG_ERROR, from, LOG_NO_OFFSET,
			    "cannot be read: %s", strerror(errno));
		return -ERROR_SYSTEM;
	}
	error = copied_file_of(in, to, log);
	close(in);
	return error;
}
