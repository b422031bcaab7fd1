/* SPDX-License-Identifier: MIT */
#include "report/steps/first_task.h"

#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"

#include <stdbool.h>

/* Returns whether @record names the task that ran before it. */
static bool read_record(const struct sideband_record *record, int32_t *pid,
			int32_t *tid)
{
	bool came_in = record->kind == SIDEBAND_SWITCH && !record->change.out;

	if (came_in && !record->change.cpu_wide)
		return false;
	*pid = came_in ? record->change.other_pid : record->pid;
	*tid = came_in ? record->change.other_tid : record->tid;
	return true;
}

int first_task(const struct recording *recording,
	       const struct aux_stream *stream, int32_t *pid, int32_t *tid)
{
	struct sideband *sideband;
	struct sideband_record record;
	int status;

	*pid = stream->pid;
	*tid = stream->tid;
	if (stream->tid >= 0)
		return 0;
	sideband = sideband_open_stream(
		recording,
		SIDEBAND_BIT(SIDEBAND_SWITCH) |
			SIDEBAND_BIT(SIDEBAND_ITRACE_START),
		stream);
	if (!sideband)
		return -ERROR_MEMORY;
	while ((status = sideband_next(sideband, &record)) > 0)
		if (record.cpu == stream->cpu && read_record(&record, pid, tid))
			break;
	sideband_close(sideband);
	return status < 0 ? status : 0;
}
