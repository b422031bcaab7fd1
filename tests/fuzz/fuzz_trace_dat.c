/* SPDX-License-Identifier: MIT */
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "symbolize/events/graph_events.h"
#include "symbolize/events/graph_tasks.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static void read_stream(const struct recording *recording,
			const struct symbols *symbols, size_t index)
{
	const struct aux_stream *stream = recording_stream(recording, index);
	struct graph_tasks *tasks = graph_tasks_new(recording, symbols);
	struct graph_events *events = NULL;
	const struct function_event *batch;

	if (tasks &&
	    !graph_events_open(recording, stream, symbols, tasks, &events))
		while (graph_events_next(events, &batch) > 0)
			;
	graph_events_close(events);
	graph_tasks_free(tasks);
}

static void read_recording(const char *path)
{
	struct recording *recording;
	struct symbols *symbols;

	if (recording_open(path, NULL, &recording))
		return;
	if (recording_trace(recording) == RECORDING_TRACE_FUNCTION_GRAPH &&
	    !symbols_open(recording, NULL, 1, &symbols)) {
		for (size_t i = 0; i < recording_stream_count(recording); i++)
			read_stream(recording, symbols, i);
		symbols_close(symbols);
	}
	recording_close(recording);
}

/* A trace.dat of either version, as function events. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	char path[64];

	if (fd < 0)
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, bytes, size) == (ssize_t)size)
		read_recording(path);
	close(fd);
	return 0;
}
