/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/checkpoints.h"

#include "cmd/pipeline/cpu_pipeline.h"
#include "cmd/pipeline/session.h"
#include "common/error.h"
#include "common/pack.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "execution/stream/stream_checkpoint.h"
#include "report/steps/checkpoint_index.h"
#include "report/steps/event_merge.h"
#include "report/steps/stacks_checkpoint.h"
#include "report/steps/task_stacks.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* Bytes of trace from one checkpoint to the next: a window decodes half of that
 * too much.
 */
#define DISTANCE ((uint64_t)1 << 20)

struct checkpoints {
	const struct session *session;
	size_t streams;
	uint32_t functions;
	char *path;
	uint64_t key;
	struct index_writer *writer; /* NULL: there is an index */
	uint64_t last;		     /* bytes before the last checkpoint */
};

/* Of other trace and without times there are none; and none are left or used by
 * other engines, which cannot go on from one, nor where the trace was paused
 * outside of chosen calls: such recordings are short.
 */
static bool can_have(const struct session *session)
{
	const struct recording *recording = session->recording;

	return session->engine == ENGINE_GRAPH &&
	       recording_trace(recording) == RECORDING_TRACE_INTEL_PT &&
	       recording_time(recording) == RECORDING_TIME_NANOSECONDS &&
	       !recording_is_gated(recording) && !session->decodes_all &&
	       !session->uses_points;
}

/* Where nothing ends it early, a decode sees all. */
static bool sees_all(const struct session *session,
		     const struct step_callback *callback)
{
	return !callback->is_done || session->done_ns == UINT64_MAX;
}

static int open_index(struct checkpoints *checkpoints,
		      const struct step_callback *callback)
{
	const struct session *session = checkpoints->session;
	const struct recording *recording = session->recording;

	checkpoints->path = checkpoint_index_path(recording);
	if (!checkpoints->path ||
	    !checkpoint_index_key(recording,
				  symbols_functions(session->symbols),
				  &checkpoints->key))
		return -ERROR_NOT_FOUND;
	if (checkpoint_index_fits(checkpoints->path, checkpoints->key))
		return 0;
	if (sees_all(session, callback))
		checkpoints->writer =
			index_writer_open(checkpoints->path, checkpoints->key);
	return checkpoints->writer ? 0 : -ERROR_NOT_FOUND;
}

struct checkpoints *checkpoints_open(const struct session *session,
				     const struct step_callback *callback)
{
	struct checkpoints *checkpoints;

	if (!can_have(session))
		return NULL;
	checkpoints = calloc(1, sizeof(*checkpoints));
	if (!checkpoints)
		return NULL;
	checkpoints->session = session;
	checkpoints->streams = recording_stream_count(session->recording);
	checkpoints->functions =
		function_count(symbols_functions(session->symbols));
	if (open_index(checkpoints, callback) < 0) {
		checkpoints_close(checkpoints);
		return NULL;
	}
	return checkpoints;
}

void checkpoints_close(struct checkpoints *checkpoints)
{
	if (!checkpoints)
		return;
	index_writer_free(checkpoints->writer);
	free(checkpoints->path);
	free(checkpoints);
}

static void pack_all(const struct checkpoints *checkpoints, struct pack *pack,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places)
{
	const struct recording *recording = checkpoints->session->recording;

	for (size_t i = 0; i < checkpoints->streams; i++)
		stream_checkpoint_pack(
			&places[i], pack, checkpoints->functions,
			recording_stream(recording, i)->size_bytes);
	stacks_checkpoint_pack(stacks, pack, checkpoints->functions);
}

int checkpoints_load(const struct checkpoints *checkpoints,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places)
{
	struct pack pack;
	uint8_t *bytes;
	size_t size;

	if (!checkpoints || checkpoints->writer)
		return 0;
	bytes = checkpoint_index_find(checkpoints->path, checkpoints->key,
				      checkpoints->session->window.since_ns,
				      &size);
	if (!bytes)
		return 0;
	pack = pack_to_read(bytes, size);
	pack_all(checkpoints, &pack, stacks, places);
	free(bytes);
	return pack_is_whole(&pack) ? 1 : -ERROR_FORMAT;
}

bool checkpoints_are_kept(const struct checkpoints *checkpoints)
{
	return checkpoints && checkpoints->writer;
}

static uint64_t bytes_before(const struct checkpoints *checkpoints,
			     const struct cpu_pipeline *cpus)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < checkpoints->streams; i++)
		bytes += execution_stream_position(cpus[i].execution);
	return bytes;
}

static void write_one(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge)
{
	struct pack pack = pack_to_write();
	struct stream_checkpoint *places =
		calloc(checkpoints->streams, sizeof(*places));

	if (!places)
		return;
	for (size_t i = 0; i < checkpoints->streams; i++)
		execution_stream_checkpoint(
			cpus[i].execution, event_merge_left(merge, (uint32_t)i),
			&places[i]);
	pack_all(checkpoints, &pack, stacks, places);
	if (pack_is_whole(&pack))
		index_writer_add(checkpoints->writer,
				 task_stacks_last_ns(stacks), pack.out.bytes,
				 pack.out.size);
	pack_free(&pack);
	free(places);
}

void checkpoints_pass(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge, uint8_t kind)
{
	uint64_t bytes;

	/* Behind a switch the merge chooses anew, whatever was before. */
	if (checkpoints->streams > 1 && kind != FUNCTION_SWITCH)
		return;
	bytes = bytes_before(checkpoints, cpus);
	if (bytes - checkpoints->last < DISTANCE)
		return;
	checkpoints->last = bytes;
	write_one(checkpoints, stacks, cpus, merge);
}

void checkpoints_finish(struct checkpoints *checkpoints)
{
	if (checkpoints_are_kept(checkpoints))
		index_writer_finish(checkpoints->writer);
}
