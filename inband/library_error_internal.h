/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_LIBRARY_ERROR_INTERNAL_H
#define KT_INBAND_LIBRARY_ERROR_INTERNAL_H

#include "common/log.h"
#include "inband/ktrace_hw.h"

#include <stdbool.h>

/* The library's error, derived from the messages that its parts write to their
 * log.
 */
struct library_error {
	struct log log; /* stores the last error message */
	struct ktrace_hw_error said;
	int cause;	    /* errno at that time */
	bool has_unit;	    /* a trace unit was found */
	bool lacks_service; /* it has not answered yet, or has ended */
};

/* @error must stay where it is. */
void library_error_init(struct library_error *error);

/* Clears the message, at the start of a call. */
void library_error_begin(struct library_error *error);

/* Returns the library's status for the negative enum error @cause. */
enum ktrace_hw_status library_error_status(const struct library_error *error,
					   int cause);

/* Sets the status from @cause, 0 for success, and returns it. */
enum ktrace_hw_status library_error_conclude(struct library_error *error,
					     int cause);

/* Like library_error_conclude(), for a mistake of the program itself. */
enum ktrace_hw_status library_error_refuse(struct library_error *error,
					   enum ktrace_hw_status status,
					   const char *text);

/* Stores a message that @what failed because of errno. Returns -ERROR_SYSTEM.
 */
int library_error_system(struct library_error *error, const char *what);

/* Appends to the stored message. */
void library_error_add(struct library_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
