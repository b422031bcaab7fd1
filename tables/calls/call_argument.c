/* SPDX-License-Identifier: MIT */
#include "tables/calls/call_argument.h"

#include "attribution/calls/system_calls.h"
#include "tables/calls/call_flags.h"
#include "tables/calls/call_signature.h"
#include "tables/calls/call_values.h"

#include <inttypes.h>
#include <string.h>

enum { MAX_ERRNO = 4095 };

/* For calls of other kernels' headers: six numbers, the maximum. */
static const char unknown[] = "lxxxxxx";

static const char *signature_of(const char *name)
{
	const char *signature = call_signature(name);

	return signature ? signature : unknown;
}

/* Returns whether the call may create a file: with O_CREAT or O_TMPFILE, which
 * includes O_DIRECTORY.
 */
static bool makes_file(const struct system_call *call, const char *letters)
{
	const char *flags = strchr(letters, CALL_OPEN_FLAGS);

	return !flags || call->arguments[flags - letters] &
				 (CALL_O_CREAT | CALL_O_TMPFILE);
}

void call_arguments_write(const struct system_call *call, const char *name,
			  bool is_arm, FILE *out)
{
	const char *letters = signature_of(name) + 1;

	if (!call->has_enter) {
		fputs(letters[0] ? "(...)" : "()", out);
		return;
	}
	fputc('(', out);
	for (int i = 0; letters[i] && i < SYSTEM_CALL_ARGUMENTS; i++) {
		if (letters[i] == CALL_NEW_MODE && !makes_file(call, letters))
			continue;
		fputs(i ? ", " : "", out);
		call_value_write(out, letters[i], call->arguments[i], is_arm);
	}
	fputc(')', out);
}

static void write_error(int error, FILE *out)
{
	const char *name = strerrorname_np(error);

	if (name)
		fprintf(out, " = -1 %s (%s)", name, strerrordesc_np(error));
	else
		fprintf(out, " = -1 (error %d)", error);
}

void call_result_write(const struct system_call *call, const char *name,
		       FILE *out)
{
	if (!call->has_exit) {
		fputs(" = ?", out);
	} else if (system_call_is_restart(call->result)) {
		fputs(" = ? (made again)", out);
	} else if (call->result < 0 && call->result >= -MAX_ERRNO) {
		write_error((int)-call->result, out);
	} else {
		fputs(" = ", out);
		call_value_write(out, *signature_of(name),
				 (uint64_t)call->result, false);
	}
}
