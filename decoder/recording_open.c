/* SPDX-License-Identifier: MIT */
#include "decoder/recording_open.h"
#include "common/error.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/recording_files.h"
#include "decoder/recording/recording_parts.h"
#include "decoder/snapshot/snapshot.h"

static int read_snapshot(struct recording *recording)
{
	int error = snapshot_read(recording);

	if (!error)
		error = stream_list_finish(&recording->streams,
					   &recording->events, false);
	return error ? error : coresight_streams_split(recording);
}

int recording_open(const char *path, const struct log *log,
		   struct recording **opened)
{
	struct recording *recording = recording_new(path, log);
	int error;

	if (!recording)
		return -ERROR_MEMORY;
	error = recording_files_find(recording);
	if (!error)
		error = recording->is_snapshot ? read_snapshot(recording) :
						 recording_data_read(recording);
	if (error)
		recording_close(recording);
	else
		*opened = recording;
	return error;
}
