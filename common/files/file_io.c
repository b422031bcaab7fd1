/* SPDX-License-Identifier: MIT */
#include "common/files/file_io.h"

#include "common/error.h"

#include <errno.h>
#include <unistd.h>

int read_at(int fd, void *buffer, size_t size, uint64_t offset)
{
	uint8_t *at = buffer;

	while (size) {
		ssize_t got = pread(fd, at, size, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -ERROR_SYSTEM;
		if (!got)
			return -ERROR_NOT_FOUND;
		at += got;
		offset += (uint64_t)got;
		size -= (size_t)got;
	}
	return 0;
}

int write_at(int fd, const void *bytes, size_t size, uint64_t offset)
{
	const uint8_t *at = bytes;

	while (size) {
		ssize_t done = pwrite(fd, at, size, (off_t)offset);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -ERROR_SYSTEM;
		at += done;
		offset += (uint64_t)done;
		size -= (size_t)done;
	}
	return 0;
}

/* Sets errno to the cause of an earlier failed write to @out, which stdio does
 * not keep. Writes one more byte to the file, which is incomplete anyway: that
 * usually fails for the same reason. If it does not, sets EIO.
 */
static void find_cause(FILE *out)
{
	int fd = fileno(out);

	if (fd < 0 || write(fd, "\n", 1) >= 0)
		errno = EIO;
}

bool flush_written(FILE *out)
{
	if (fflush(out) == EOF)
		return false;
	if (!ferror(out))
		return true;
	find_cause(out);
	return false;
}

bool close_written(FILE *out)
{
	bool is_written = flush_written(out);
	int cause = errno;

	if (fclose(out) == EOF && is_written)
		return false;
	errno = cause;
	return is_written;
}
