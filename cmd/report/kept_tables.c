/* SPDX-License-Identifier: MIT */
#include "cmd/report/kept_tables.h"

#include "cmd/pipeline/checkpoints.h"
#include "cmd/pipeline/choice_check.h"
#include "cmd/pipeline/pipeline.h"
#include "cmd/pipeline/session.h"
#include "cmd/report/table_pass.h"
#include "common/error.h"
#include "common/kept_file.h"
#include "common/pack.h"
#include "decoder/recording/recording.h"
#include "report/steps/checkpoint_index.h"
#include "report/steps/task_stacks.h"
#include "tables/table_records.h"

#include <stdio.h>
#include <stdlib.h>

struct kept_tables kept_tables_of(const struct session *session)
{
	struct kept_tables kept = { .session = session };

	for (size_t i = 0; i < 1 + MOST_TABLES; i++)
		kept.files[i] = KEPT_FILE_NONE;
	kept.can_be = checkpoints_find_key(session, &kept.key);
	return kept;
}

static const struct table_records *records_of(const struct table_run *run)
{
	return run->request->table->records;
}

static char *path_of(const struct kept_tables *kept,
		     const struct table_records *records)
{
	char name[64];

	snprintf(name, sizeof(name), "report_%s", records->name);
	return checkpoint_index_path(kept->session->recording, name);
}

/* Opens those records of the table that are wanted. */
static bool open_records(const struct kept_tables *kept,
			 const struct table_records *records,
			 struct kept_file *file)
{
	const struct kept_span wanted = records->wanted(kept->session->window);
	char *path = path_of(kept, records);
	bool is_open;

	*file = KEPT_FILE_NONE;
	is_open = path && kept_file_open(file, path, kept->key, &wanted);

	free(path);
	return is_open;
}

static bool are_there(const struct kept_tables *kept,
		      const struct table_records *records)
{
	struct kept_file file;
	bool is_open = open_records(kept, records, &file);

	kept_file_close(&file);
	return is_open;
}

static bool suffice(const struct table_records *records,
		    const struct attribution_input *input)
{
	return records && (!records->suffice || records->suffice(input));
}

bool kept_tables_find(struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count)
{
	if (!kept->can_be || time_window_is_all(kept->session->window) ||
	    !checkpoints_fit(kept->session, kept->key))
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct table_records *records = records_of(&runs[i]);

		if (!suffice(records, input) ||
		    !open_records(kept, records, &kept->files[i]))
			return false;
	}
	return true;
}

/* Makes no more of the steps than the stacks of the window. */
struct window_pass {
	struct step_callback callback;
	uint64_t until_ns;
};

static void take_nothing(struct step_callback *callback,
			 const struct call_step *step)
{
	(void)callback;
	(void)step;
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct window_pass *pass = (const struct window_pass *)callback;

	return time_ns >= pass->until_ns;
}

/* What was chosen may be there, but not in the window: all of the recording tells. */
static int run_window(const struct session *session,
		      struct task_stacks **stacks)
{
	struct window_pass pass = {
		.callback = { .take = take_nothing,
			      .is_done = is_done,
			      .ignores_bounds = true },
		.until_ns = session->window.until_ns,
	};
	struct choice_check check;
	int status = pipeline_run(
		session, choice_check_begin(&check, session, &pass.callback),
		stacks);

	return !status && !choice_check_holds(&check) ? -ERROR_FORMAT : status;
}

static bool read_chunk(const struct table_run *run,
		       const struct kept_file *file, size_t index)
{
	const struct kept_chunk *chunk = array_at(&file->chunks, index);
	const struct table_records *records = records_of(run);
	size_t size;
	void *bytes = kept_file_read(file, index, &size);
	struct pack pack = pack_to_read(bytes, bytes ? size : 0);

	pack_check(&pack, bytes);
	if (!chunk->records)
		records->pack_rest(run->handler, &pack);
	for (uint32_t i = 0; i < chunk->records && !pack.failed; i++)
		records->take(run->handler, &pack);
	free(bytes);
	return pack_is_whole(&pack);
}

/* What all refer to is the last one. */
static bool read_chunks(const struct table_run *run,
			const struct kept_file *file)
{
	size_t count = file->chunks.count;
	bool is_whole = count && read_chunk(run, file, count - 1);

	for (size_t i = 0; is_whole && i + 1 < count; i++)
		is_whole = read_chunk(run, file, i);
	return is_whole;
}

int kept_tables_read(struct kept_tables *kept, const struct table_run *runs,
		     size_t count, struct task_stacks **stacks)
{
	int status = run_window(kept->session, stacks);

	for (size_t i = 0; i < count && !status; i++)
		if (!read_chunks(&runs[i], &kept->files[i])) {
			kept->are_damaged = true;
			status = -ERROR_FORMAT;
		}
	return status;
}

/* Tables may be made of the same. */
static bool is_written(const struct table_run *runs, size_t index)
{
	for (size_t i = 0; i < index; i++)
		if (records_of(&runs[i]) == records_of(&runs[index]))
			return true;
	return false;
}

void kept_tables_keep(struct kept_tables *kept,
		      const struct attribution_input *input,
		      const struct table_run *runs, size_t count)
{
	for (size_t i = 0; i < count && kept->can_be; i++) {
		const struct table_records *records = records_of(&runs[i]);
		char *path;

		if (!suffice(records, input) || is_written(runs, i) ||
		    (!kept->are_damaged && are_there(kept, records)))
			continue;
		path = path_of(kept, records);
		if (path)
			kept->writers[i] =
				kept_file_writer_open(path, kept->key);
		if (kept->writers[i])
			records->keep(runs[i].handler, kept->writers[i]);
		free(path);
	}
}

void kept_tables_finish(struct kept_tables *kept, const struct table_run *runs,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct kept_file_writer *writer = kept->writers[i];

		if (!writer)
			continue;
		records_of(&runs[i])->pack_rest(runs[i].handler,
						kept_file_writer_rest(writer));
		kept_file_writer_finish(writer);
	}
}

void kept_tables_close(struct kept_tables *kept)
{
	for (size_t i = 0; i < 1 + MOST_TABLES; i++) {
		kept_file_close(&kept->files[i]);
		kept_file_writer_close(kept->writers[i]);
	}
}
