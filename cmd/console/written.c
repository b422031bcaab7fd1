/* SPDX-License-Identifier: MIT */
#include "cmd/console/written.h"

#include "cmd/command.h"
#include "cmd/console/say.h"
#include "common/file_io.h"
#include "common/regular_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdio_ext.h>

int written_fail(const char *path)
{
	say("%s: not written: %s", path ? path : "standard output",
	    regular_file_error(errno));
	return EXIT_FAILED;
}

int written_flush(FILE *out)
{
	if (flush_written(out))
		return EXIT_OK;
	written_fail(NULL);
	__fpurge(out);
	clearerr(out);
	return EXIT_FAILED;
}

int written_stdout(void)
{
	return written_flush(stdout);
}
