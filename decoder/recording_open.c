/* SPDX-License-Identifier: MIT */
#include "decoder/recording_open.h"
#include "common/error.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_facts.h"
#include "decoder/snapshot/snapshot.h"
#include "decoder/trace_dat/trace_dat.h"

static int read_snapshot(struct recording *recording)
{
	int error = snapshot_read(recording);

	return error ? error : coresight_streams_split(recording);
}

/* Reads a recording of any kind. A recording of ours has function_graph's trace
 * beside perf's records; one of trace-cmd's has nothing else.
 */
static int read_recording(struct recording *recording)
{
	const struct recording_files *files = recording_files(recording);
	int error;

	if (files->is_snapshot)
		return read_snapshot(recording);
	if (trace_dat_is(files->data))
		return trace_dat_read(recording, files->data, true);
	error = recording_data_read(recording);
	if (error || !files->trace_dat ||
	    recording_trace(recording) != RECORDING_TRACE_NONE)
		return error;
	return trace_dat_read(recording, files->trace_dat, false);
}

int recording_open(const char *path, const struct log *log,
		   struct recording **opened)
{
	struct recording *recording = recording_new(path, log);
	struct recording_facts *facts;
	int error;

	if (!recording)
		return -ERROR_MEMORY;
	facts = recording_facts_to_fill(recording);
	error = recording_files_find(&facts->files, facts->arena, log);
	if (!error)
		error = read_recording(recording);
	if (error)
		recording_close(recording);
	else
		*opened = recording;
	return error;
}
