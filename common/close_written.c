/* SPDX-License-Identifier: MIT */
#include "common/close_written.h"

#include <errno.h>
#include <unistd.h>

/* Sets errno to why an earlier write to @out failed. stdio forgets that, and may
 * have discarded what could not be written: another byte fails for the same
 * reason, and does no more harm if it does not.
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
