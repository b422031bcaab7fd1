/* SPDX-License-Identifier: MIT */
#include "decoder/recording_open.h"
#include "common/error.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/snapshot/snapshot.h"
#include "decoder/trace_dat/trace_dat.h"

static int read_snapshot(struct recording *recording)
{
	int error = snapshot_read(recording);

	if (!error)
		error = stream_list_finish(&recording->streams,
					   &recording->events, false);
	return error ? error : coresight_streams_split(recording);
}

/* A recording of ours has function_graph's trace beside perf's records; one of
 * trace-cmd's has nothing else.
 */
static int read_recording(struct recording *recording)
{
	int error;

	if (recording->files.is_snapshot)
		return read_snapshot(recording);
	if (trace_dat_is(recording->files.data))
		return trace_dat_read(recording, recording->files.data, true);
	error = recording_data_read(recording);
	if (error || !recording->files.trace_dat ||
	    recording_trace(recording) != RECORDING_TRACE_NONE)
		return error;
	return trace_dat_read(recording, recording->files.trace_dat, false);
}

int recording_open(const char *path, const struct log *log,
		   struct recording **opened)
{
	struct recording *recording = recording_new(path, log);
	int error;

	if (!recording)
		return -ERROR_MEMORY;
	error = recording_files_find(&recording->files, recording->arena,
				     recording->log);
	if (!error)
		error = read_recording(recording);
	if (error)
		recording_close(recording);
	else
		*opened = recording;
	return error;
}
