/* SPDX-License-Identifier: MIT */
#ifndef KT_INBAND_LIBRARY_ERROR_H
#define KT_INBAND_LIBRARY_ERROR_H

#include "common/log.h"
#include "inband/ktrace_hw.h"

#include <stdbool.h>

/* The library's error, as it comes of what its parts say to their log. */
struct library_error {
	struct log log; /* keeps the last error that is said */
	struct ktrace_hw_error said;
	int cause;	    /* errno when it was */
	bool has_unit;	    /* a trace unit was found */
	bool lacks_service; /* it has not answered yet, or has ended */
};

/* @error must stay where it is. */
void library_error_init(struct library_error *error);

/* Forgets what was said before: the next call begins. */
void library_error_begin(struct library_error *error);

/* Returns what the negative enum error @cause means for the program. */
enum ktrace_hw_status library_error_status(const struct library_error *error,
					   int cause);

/* Sets the status by @cause, 0 if all went well, and returns it. */
enum ktrace_hw_status library_error_conclude(struct library_error *error,
					     int cause);

/* The same where the program itself is wrong. */
enum ktrace_hw_status library_error_refuse(struct library_error *error,
					   enum ktrace_hw_status status,
					   const char *text);

/* Says that @what failed by errno.  Returns -ERROR_SYSTEM. */
int library_error_system(struct library_error *error, const char *what);

/* Adds to what was said. */
void library_error_add(struct library_error *error, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
