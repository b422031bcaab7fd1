/* SPDX-License-Identifier: MIT */
#include "common/error.h"

const char *error_text(int error)
{
	switch ((enum error)(error < 0 ? -error : error)) {
	case ERROR_NONE:
		return "no error";
	case ERROR_MEMORY:
		return "out of memory";
	case ERROR_SYSTEM:
		return "system call failed";
	case ERROR_NOT_FOUND:
		return "not found";
	case ERROR_FORMAT:
		return "malformed data";
	case ERROR_TRUNCATED:
		return "data ends too early";
	case ERROR_UNSUPPORTED:
		return "not supported";
	case ERROR_LOCKED:
		return "more locked memory than permitted";
	}
	return "unknown error";
}
