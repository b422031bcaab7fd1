/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/problem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int problem_set(struct problem *problem, const char *format, ...)
{
	int error = errno;
	size_t length;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(problem->text, sizeof(problem->text), format, arguments);
	va_end(arguments);
	length = strlen(problem->text);
	if (error)
		snprintf(problem->text + length, sizeof(problem->text) - length,
			 ": %s", strerror(error));
	return -1;
}
