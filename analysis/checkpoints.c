/* SPDX-License-Identifier: MIT */
#include "analysis/checkpoints.h"

#include "analysis/cpu_pipeline.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/log.h"
#include "decoder/recording/recording.h"
#include "execution/stream/execution_stream.h"
#include "execution/stream/stream_checkpoint.h"
#include "report/steps/call_step.h"
#include "report/steps/checkpoint_index.h"
#include "report/steps/event_merge.h"
#include "report/steps/task_stacks.h"
#include "symbolize/symbols/symbols.h"

#include <stdlib.h>

/* Bytes of trace from one checkpoint to the next. On average, half of that is
 * decoded before a window in vain. PACKED_DISTANCE is larger because a
 * callback's packed state is some fifty times as large as the rest of a
 * checkpoint.
 */
#define DISTANCE ((uint64_t)256 << 10)
#define PACKED_DISTANCE ((uint64_t)1 << 20)

/* A file of checkpoints. */
struct checkpoint_file {
	uint64_t distance; /* from one checkpoint to the next, bytes of trace */
	/* bytes of trace before the last written checkpoint */
	uint64_t last;
	struct checkpoint_index *old; /* NULL: none with the same key */
	struct index_writer *writer;  /* NULL: not being written */
};

struct checkpoints {
	const struct pass_input *pass;
	struct step_callback *callback;
	size_t streams;
	uint32_t functions;
	uint64_t key;
	struct checkpoint_file index;
	struct checkpoint_file packed; /* with the callback's packed state */
};

/* Returns whether this pass may use or write checkpoints. A recording has none
 * if its times are not nanoseconds; nor if only selected calls were traced,
 * because it is then short. Only ENGINE_GRAPH can resume from a checkpoint.
 */
static bool can_have(const struct pass_input *pass)
{
	const struct recording *recording = pass->recording;

	return pass->engine == ENGINE_GRAPH &&
	       recording_time(recording) == RECORDING_TIME_NANOSECONDS &&
	       !recording_is_gated(recording) && !pass->decodes_all &&
	       !pass->uses_points;
}

bool checkpoints_find_key(const struct pass_input *pass, uint64_t *key)
{
	return can_have(pass) &&
	       checkpoint_index_key(pass->recording,
				    symbols_functions(pass->symbols), key);
}

bool checkpoints_fit(const struct pass_input *pass, uint64_t key)
{
	char *path = checkpoint_index_path(pass->recording, "index");
	struct checkpoint_index *index =
		path ? checkpoint_index_open(path, key) : NULL;

	checkpoint_index_close(index);
	free(path);
	return index;
}

/* Returns whether the pass decodes the recording to its end, because the
 * callback cannot end it early.
 */
static bool sees_all(const struct pass_input *pass,
		     const struct step_callback *callback)
{
	return !callback->is_done || pass->done_ns == UINT64_MAX;
}

/* Opens the file, or starts to write it if the pass decodes to the end. Returns
 * whether it did either.
 */
static bool open_file(const struct checkpoints *checkpoints, const char *name,
		      struct checkpoint_file *file)
{
	const struct pass_input *pass = checkpoints->pass;

	char *path = checkpoint_index_path(pass->recording, name);

	if (!path)
		return false;
	file->old = checkpoint_index_open(path, checkpoints->key);
	if (!file->old && sees_all(pass, checkpoints->callback))
		file->writer = index_writer_open(path, checkpoints->key);
	free(path);
	return file->old || file->writer;
}

static int open_files(struct checkpoints *checkpoints)
{
	bool has_any;

	if (!checkpoints_find_key(checkpoints->pass, &checkpoints->key))
		return -ERROR_NOT_FOUND;
	has_any = open_file(checkpoints, "index", &checkpoints->index);
	if (checkpoints->callback->pack)
		has_any |= open_file(checkpoints,
				     checkpoints->callback->packed_as,
				     &checkpoints->packed);
	return has_any ? 0 : -ERROR_NOT_FOUND;
}

struct checkpoints *checkpoints_open(const struct pass_input *pass,
				     struct step_callback *callback)
{
	struct checkpoints *checkpoints;

	if (!can_have(pass))
		return NULL;
	checkpoints = calloc(1, sizeof(*checkpoints));
	if (!checkpoints)
		return NULL;
	checkpoints->pass = pass;
	checkpoints->callback = callback;
	checkpoints->index.distance = DISTANCE;
	checkpoints->packed.distance = PACKED_DISTANCE;
	checkpoints->streams = recording_stream_count(pass->recording);
	checkpoints->functions =
		function_count(symbols_functions(pass->symbols));
	if (open_files(checkpoints) < 0) {
		checkpoints_close(checkpoints);
		return NULL;
	}
	return checkpoints;
}

static void close_file(struct checkpoint_file *file)
{
	index_writer_free(file->writer);
	checkpoint_index_close(file->old);
}

void checkpoints_close(struct checkpoints *checkpoints)
{
	if (!checkpoints)
		return;
	close_file(&checkpoints->index);
	close_file(&checkpoints->packed);
	free(checkpoints);
}

/* Returns the file from which decoding resumes. */
static const struct checkpoint_file *
file_of(const struct checkpoints *checkpoints)
{
	return checkpoints->callback->pack ? &checkpoints->packed :
					     &checkpoints->index;
}

bool checkpoints_are_there(const struct checkpoints *checkpoints)
{
	return checkpoints && file_of(checkpoints)->old;
}

static void pack_places(const struct checkpoints *checkpoints,
			struct pack *pack, struct stream_checkpoint *places)
{
	const struct recording *recording = checkpoints->pass->recording;

	for (size_t i = 0; i < checkpoints->streams; i++)
		stream_checkpoint_pack(
			&places[i], pack, checkpoints->functions,
			recording_stream(recording, i)->size_bytes);
}

static void pack_all(const struct checkpoints *checkpoints, struct pack *pack,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places)
{
	pack_places(checkpoints, pack, places);
	task_stacks_pack(stacks, pack, checkpoints->functions);
}

static const struct task *find_task(const void *tasks, size_t index)
{
	return task_stacks_task(tasks, index);
}

/* The callback's state is read last, and only if everything before it is valid.
 */
static void pack_callback(const struct checkpoints *checkpoints,
			  struct pack *pack, const struct task_stacks *stacks)
{
	struct step_callback *callback = checkpoints->callback;
	const struct task_pack tasks = { pack, find_task, stacks };

	if (callback->pack && !pack->failed)
		callback->pack(callback, &tasks);
}

/* Replaces the damaged file from which decoding should have resumed. */
static void discard_file(const struct checkpoints *checkpoints)
{
	const struct pass_input *pass = checkpoints->pass;
	const struct step_callback *callback = checkpoints->callback;
	char *path = checkpoint_index_path(
		pass->recording,
		callback->pack ? callback->packed_as : "index");

	if (!path)
		return;
	log_message(pass->log, LOG_WARNING, path, LOG_NO_OFFSET,
		    checkpoint_index_discard(path, checkpoints->key) ?
			    "damaged checkpoints: decoded from the start; the "
			    "next decode of the whole recording writes them "
			    "again" :
			    "damaged checkpoints: decoded from the start; "
			    "delete this file, which cannot be replaced");
	free(path);
}

int checkpoints_load(const struct checkpoints *checkpoints,
		     struct task_stacks *stacks,
		     struct stream_checkpoint *places)
{
	struct pack pack;
	uint8_t *bytes;
	size_t size;

	if (!checkpoints_are_there(checkpoints))
		return 0;
	bytes = checkpoint_index_find(file_of(checkpoints)->old,
				      CHECKPOINT_BEFORE,
				      checkpoints->pass->window.since_ns,
				      &size);
	if (!bytes && size)
		discard_file(checkpoints);
	if (!bytes)
		return 0;
	pack = pack_to_read(bytes, size);
	pack_all(checkpoints, &pack, stacks, places);
	pack_callback(checkpoints, &pack, stacks);
	free(bytes);
	if (pack_is_whole(&pack))
		return 1;
	discard_file(checkpoints);
	return -ERROR_FORMAT;
}

/* Returns the sum of the streams' distances from @from to @to. */
static uint64_t bytes_between(const struct stream_checkpoint *from,
			      const struct stream_checkpoint *to, size_t count)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < count; i++)
		if (to[i].state.position > from[i].state.position)
			bytes += to[i].state.position - from[i].state.position;
	return bytes;
}

uint64_t checkpoints_bytes_to_end(const struct checkpoints *checkpoints,
				  const struct stream_checkpoint *places)
{
	struct stream_checkpoint *ends;
	uint64_t left = UINT64_MAX;
	struct pack pack;
	uint8_t *bytes;
	size_t size;

	if (!checkpoints || !checkpoints->index.old ||
	    sees_all(checkpoints->pass, checkpoints->callback))
		return UINT64_MAX;
	ends = calloc(checkpoints->streams, sizeof(*ends));
	bytes = checkpoint_index_find(checkpoints->index.old, CHECKPOINT_FROM,
				      checkpoints->pass->done_ns, &size);
	if (ends && bytes) {
		pack = pack_to_read(bytes, size);
		pack_places(checkpoints, &pack, ends);
		if (!pack.failed)
			left = bytes_between(places, ends,
					     checkpoints->streams);
	}
	free(bytes);
	free(ends);
	return left;
}

bool checkpoints_are_kept(const struct checkpoints *checkpoints)
{
	return checkpoints &&
	       (checkpoints->index.writer || checkpoints->packed.writer);
}

/* Returns whether @file is due for a checkpoint after @bytes of trace. */
static bool is_due(const struct checkpoint_file *file, uint64_t bytes)
{
	return file->writer && bytes - file->last >= file->distance;
}

/* Adds @pack to @file if that is due after @bytes of trace. */
static void add_to(struct checkpoint_file *file, struct pack *pack,
		   uint64_t time_ns, uint64_t bytes)
{
	if (!is_due(file, bytes) || !pack_is_whole(pack))
		return;
	file->last = bytes;
	index_writer_add(file->writer, time_ns, pack->out.bytes,
			 pack->out.size);
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
		      const struct event_merge *merge, uint64_t bytes)
{
	uint64_t time_ns = task_stacks_last_ns(stacks);
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
	add_to(&checkpoints->index, &pack, time_ns, bytes);
	if (is_due(&checkpoints->packed, bytes)) {
		pack_callback(checkpoints, &pack, stacks);
		add_to(&checkpoints->packed, &pack, time_ns, bytes);
	}
	pack_free(&pack);
	free(places);
}

void checkpoints_pass(struct checkpoints *checkpoints,
		      struct task_stacks *stacks,
		      const struct cpu_pipeline *cpus,
		      const struct event_merge *merge, uint8_t kind)
{
	uint64_t bytes;

	/* Right after a switch, the choice of the next stream by the merge does
	 * not depend on earlier events, which are not in a checkpoint.
	 */
	if (checkpoints->streams > 1 && kind != FUNCTION_SWITCH)
		return;
	bytes = bytes_before(checkpoints, cpus);
	if (is_due(&checkpoints->index, bytes) ||
	    is_due(&checkpoints->packed, bytes))
		write_one(checkpoints, stacks, cpus, merge, bytes);
}

void checkpoints_finish(struct checkpoints *checkpoints)
{
	if (!checkpoints_are_kept(checkpoints))
		return;
	if (checkpoints->index.writer)
		index_writer_finish(checkpoints->index.writer);
	if (checkpoints->packed.writer)
		index_writer_finish(checkpoints->packed.writer);
}
