/* SPDX-License-Identifier: MIT */
#include "collector/events/event_refusal.h"
#include "collector/events/event_spec.h"
#include "common/error.h"
#include "common/log.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int paranoia(void)
{
	FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
	int level = 2;

	if (file) {
		if (fscanf(file, "%d", &level) != 1)
			level = 2;
		fclose(file);
	}
	return level;
}

int event_refusal_say(const struct event_spec *spec, size_t buffer_bytes,
		      int error, const struct log *log)
{
	if (error == -ERROR_MEMORY)
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "out of memory");
	else if (errno == EACCES || errno == EPERM)
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "not permitted (kernel.perf_event_paranoid is "
			    "%d): record as root, or give the program "
			    "CAP_PERFMON and CAP_SYS_RAWIO",
			    paranoia());
	else if (errno == EMFILE)
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "too many open files: raise `ulimit -Hn`, or "
			    "record fewer threads or CPUs (-C)");
	else if (errno == EBUSY)
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "the trace unit is in use (another recording, "
			    "or a virtual machine)");
	else if (errno == ENOMEM)
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "no memory for a buffer of %zu KiB per CPU: use a "
			    "smaller --buffer",
			    buffer_bytes >> 10);
	else
		log_message(log, LOG_ERROR, spec->name, LOG_NO_OFFSET,
			    "the kernel refuses: %s", strerror(errno));
	return error;
}
