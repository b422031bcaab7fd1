/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_ERROR_H
#define KT_COMMON_ERROR_H

/* Causes of failures outside the program. Functions return them negated, after
 * logging the details to the log that the caller passed in.
 */
enum error {
	ERROR_NONE,
	ERROR_MEMORY,	   /* out of memory */
	ERROR_SYSTEM,	   /* a system call failed */
	ERROR_NOT_FOUND,   /* no such file, stream, field, address */
	ERROR_FORMAT,	   /* bytes that break their format's rules */
	ERROR_TRUNCATED,   /* the file ends too early */
	ERROR_UNSUPPORTED, /* valid, but not supported */
	ERROR_LOCKED,	   /* more locked memory than this user may have */
};

/* Returns a short text for @error, an enum error negated or not. */
const char *error_text(int error);

#endif
