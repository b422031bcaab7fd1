/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/stderr_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { TEXT_MAX = 4096 };

/* Replaces descriptor 2 itself, so that no state must be saved meanwhile. */
void stderr_text_begin(void)
{
	FILE *file = tmpfile();

	if (!file || dup2(fileno(file), STDERR_FILENO) < 0)
		abort();
	fclose(file);
}

char *stderr_text_end(void)
{
	char *text = calloc(1, TEXT_MAX);

	fflush(stderr);
	if (!text || pread(STDERR_FILENO, text, TEXT_MAX - 1, 0) < 0)
		abort();
	return text;
}
