/* SPDX-License-Identifier: MIT */
#include "cmd/report/kept_tables.h"

#include "cmd/pipeline/checkpoints.h"
#include "cmd/pipeline/choice_check.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/table_pass.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "decoder/recording/recording.h"
#include "report/steps/checkpoint_index.h"
#include "report/steps/task_pack.h"
#include "report/steps/task_stacks.h"
#include "tables/table_records.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether another table of the pass already reads these records on
 * behalf of all.
 */
static bool are_others(const struct kept_tables *kept,
		       const struct table_records *records)
{
	for (size_t i = 0; i < kept->count; i++)
		if (!strcmp(kept->parts[i].records->name, records->name))
			return records->is_shared;
	return false;
}

static void add_parts(struct kept_tables *kept, const struct table_run *run,
		      bool is_alone)
{
	const struct table_records *records = run->request->table->records;
	bool has_any = false;

	for (; records; records = records->more) {
		if (records->are_needed && !records->are_needed(&run->input))
			continue;
		has_any = true;
		kept->are_all &= !records->checkpoints || is_alone;
		if (are_others(kept, records))
			continue;
		assert(kept->count < MOST_PARTS);
		kept->parts[kept->count++] = (struct kept_part){ run, records,
								 KEPT_FILE_NONE,
								 NULL };
	}
	kept->are_all &= has_any;
}

struct kept_tables kept_tables_of(const struct session *session,
				  const struct table_run *runs, size_t count)
{
	struct kept_tables kept = { .session = session, .are_all = true };

	kept.can_be = checkpoints_find_key(session, &kept.key);
	for (size_t i = 0; i < count; i++)
		add_parts(&kept, &runs[i], count == 1);
	return kept;
}

const char *kept_tables_checkpoints(const struct kept_tables *kept)
{
	return kept->are_all && kept->count ?
		       kept->parts->records->checkpoints :
		       NULL;
}

static char *path_of(const struct kept_tables *kept,
		     const struct table_records *records)
{
	char name[64];

	snprintf(name, sizeof(name), "report_%s", records->name);
	return checkpoint_index_path(kept->session->recording, name);
}

/* Opens the cached records that the window needs. */
static bool open_records(const struct kept_tables *kept, struct kept_part *part)
{
	const struct kept_span wanted =
		part->records->wanted(kept->session->window);
	char *path = path_of(kept, part->records);
	bool is_open = path &&
		       kept_file_open(&part->file, path, kept->key, &wanted);

	free(path);
	return is_open;
}

static void close_records(struct kept_part *part)
{
	kept_file_close(&part->file);
	part->file = KEPT_FILE_NONE;
}

bool kept_tables_find(struct kept_tables *kept)
{
	bool are_there = kept->can_be && kept->are_all &&
			 !time_window_is_all(kept->session->window) &&
			 checkpoints_fit(kept->session, kept->key);

	for (size_t i = 0; i < kept->count && are_there; i++)
		are_there = open_records(kept, &kept->parts[i]);
	return are_there;
}

/* Passes on the steps of the window, if a callback needs them beside the
 * stacks.
 */
struct window_pass {
	struct step_callback callback;
	struct step_callback *next; /* or NULL */
	uint64_t until_ns;
	bool has_failed; /* the state it should resume from is unusable */
};

static void take(struct step_callback *callback, const struct call_step *step)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	if (pass->next && !pass->has_failed)
		pass->next->take(pass->next, step);
}

static void take_open(struct step_callback *callback,
		      const struct call_step *step)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	pass->next->open(pass->next, step);
}

static void read_state(struct step_callback *callback,
		       const struct task_pack *tasks)
{
	struct window_pass *pass = (struct window_pass *)callback;

	pass->next->pack(pass->next, tasks);
	pass->has_failed = !pack_is_whole(tasks->pack);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	return pass->has_failed || time_ns >= pass->until_ns;
}

static struct window_pass window_pass_of(struct step_callback *next,
					 uint64_t until_ns)
{
	struct window_pass pass = {
		.callback = { .take = take,
			      .is_done = is_done,
			      .ignores_bounds = !next },
		.next = next,
		.until_ns = until_ns,
	};

	if (!next)
		return pass;
	pass.callback.needs_begin = next->needs_begin;
	pass.callback.pack = read_state;
	pass.callback.packed_as = next->packed_as;
	pass.callback.open = take_open;
	return pass;
}

/* The selection may match nothing in the window but something elsewhere; then
 * fall back to decoding the whole recording.
 */
static int run_window(const struct session *session,
		      struct step_callback *callback,
		      struct task_stacks **stacks)
{
	struct window_pass pass =
		window_pass_of(callback, session->window.until_ns);
	struct choice_check check;
	int status = pipeline_run(
		session, choice_check_begin(&check, session, &pass.callback),
		stacks);

	return !status && (pass.has_failed || !choice_check_holds(&check)) ?
		       -ERROR_FORMAT :
		       status;
}

static bool read_chunk(const struct kept_part *part, size_t index)
{
	const struct kept_chunk *chunk = array_at(&part->file.chunks, index);
	struct event_handler *handler = part->run->handler;
	size_t size;
	void *bytes = kept_file_read(&part->file, index, &size);
	struct pack pack = pack_to_read(bytes, bytes ? size : 0);

	pack_check(&pack, bytes);
	if (!chunk->records)
		part->records->pack_rest(handler, &pack);
	for (uint32_t i = 0; i < chunk->records && !pack.failed; i++)
		part->records->take(handler, &pack);
	free(bytes);
	return pack_is_whole(&pack);
}

/* The last chunk holds the data that all others refer to, so it is read first.
 */
static bool read_chunks(const struct kept_part *part)
{
	size_t count = part->file.chunks.count;
	bool is_whole = count && read_chunk(part, count - 1);

	for (size_t i = 0; is_whole && i + 1 < count; i++)
		is_whole = read_chunk(part, i);
	return is_whole;
}

int kept_tables_read(struct kept_tables *kept, struct step_callback *callback,
		     struct task_stacks **stacks)
{
	int status;

	if (callback)
		kept->parts->records->begin_window(kept->parts->run->handler);
	status = run_window(kept->session, callback, stacks);
	for (size_t i = 0; i < kept->count && !status; i++)
		if (!read_chunks(&kept->parts[i])) {
			kept->are_damaged = true;
			status = -ERROR_FORMAT;
		}
	return status;
}

/* Several tables may share the same records. */
static bool is_written(const struct kept_tables *kept,
		       const struct table_records *records)
{
	for (size_t i = 0; i < kept->count; i++)
		if (kept->parts[i].writer &&
		    !strcmp(kept->parts[i].records->name, records->name))
			return true;
	return false;
}

static void keep(const struct kept_tables *kept, struct kept_part *part)
{
	char *path = path_of(kept, part->records);

	if (path)
		part->writer = kept_file_writer_open(path, kept->key);
	if (part->writer)
		part->records->keep(part->run->handler, part->writer);
	free(path);
}

void kept_tables_keep(struct kept_tables *kept)
{
	for (size_t i = 0; i < kept->count && kept->can_be; i++) {
		struct kept_part *part = &kept->parts[i];
		bool is_there;

		close_records(part);
		is_there = open_records(kept, part) && !kept->are_damaged;
		close_records(part);
		if (!is_there && !is_written(kept, part->records))
			keep(kept, part);
	}
}

void kept_tables_finish(struct kept_tables *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		struct kept_part *part = &kept->parts[i];

		if (!part->writer)
			continue;
		if (part->records->keep_at_end)
			part->records->keep_at_end(part->run->handler);
		part->records->pack_rest(part->run->handler,
					 kept_file_writer_rest(part->writer));
		kept_file_writer_finish(part->writer);
	}
}

void kept_tables_close(struct kept_tables *kept)
{
	for (size_t i = 0; i < kept->count; i++) {
		kept_file_close(&kept->parts[i].file);
		kept_file_writer_close(kept->parts[i].writer);
	}
}
