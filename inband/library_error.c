/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "inband/library_error_internal.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Warnings are ignored, since records report gaps themselves. */
static void keep_error(void *ctx, enum log_level level, const char *file,
		       uint64_t offset, const char *text)
{
	struct library_error *error = ctx;

	(void)offset;
	if (level != LOG_ERROR)
		return;
	error->cause = errno;
	snprintf(error->said.text, sizeof(error->said.text), "%s%s%s",
		 file ? file : "", file ? ": " : "", text);
}

void library_error_init(struct library_error *error)
{
	*error = (struct library_error){ .log = { keep_error, error } };
}

void library_error_begin(struct library_error *error)
{
	error->said.text[0] = '\0';
	error->cause = 0;
}

/* Returns the status for a failure. It is attributed to the service, unless the
 * service reports a cause.
 */
static enum ktrace_hw_status status_of_cause(const struct library_error *error,
					     int cause)
{
	if (error->lacks_service && cause != -ERROR_SYSTEM)
		return KTRACE_HW_NO_SERVICE;
	if (error->cause == EBUSY)
		return KTRACE_HW_BUSY;
	if (error->cause == EACCES || error->cause == EPERM)
		return KTRACE_HW_NOT_PERMITTED;
	return error->lacks_service ? KTRACE_HW_NO_SERVICE : KTRACE_HW_SYSTEM;
}

enum ktrace_hw_status library_error_status(const struct library_error *error,
					   int cause)
{
	switch ((enum error) - cause) {
	case ERROR_NONE:
		return KTRACE_HW_OK;
	case ERROR_MEMORY:
		return KTRACE_HW_NO_MEMORY;
	case ERROR_SYSTEM:
	case ERROR_NOT_FOUND:
	case ERROR_FORMAT:
	case ERROR_TRUNCATED:
	case ERROR_UNSUPPORTED:
	case ERROR_LOCKED:
		break;
	}
	return error->has_unit ? status_of_cause(error, cause) :
				 KTRACE_HW_NO_UNIT;
}

enum ktrace_hw_status library_error_conclude(struct library_error *error,
					     int cause)
{
	error->said.status = library_error_status(error, cause);
	if (!cause)
		error->said.text[0] = '\0';
	else if (!error->said.text[0])
		library_error_add(error, "%s", error_text(cause));
	return error->said.status;
}

enum ktrace_hw_status library_error_refuse(struct library_error *error,
					   enum ktrace_hw_status status,
					   const char *text)
{
	error->said.status = status;
	snprintf(error->said.text, sizeof(error->said.text), "%s", text);
	return status;
}

int library_error_system(struct library_error *error, const char *what)
{
	log_message(&error->log, LOG_ERROR, NULL, LOG_NO_OFFSET, "%s: %s", what,
		    strerror(errno));
	return -ERROR_SYSTEM;
}

void library_error_add(struct library_error *error, const char *format, ...)
{
	size_t said = strlen(error->said.text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(error->said.text + said, sizeof(error->said.text) - said,
		  format, arguments);
	va_end(arguments);
}
