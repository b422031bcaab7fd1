/* SPDX-License-Identifier: MIT */
#include "report/text/task_cgroups.h"

#include "common/array.h"
#include "common/error.h"
#include "common/maps.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "symbolize/kernel/text_file.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct task_cgroups {
	struct string_pool *paths;
	struct number_map by_tid; /* number of the path, plus 1 */
};

struct task_cgroups *task_cgroups_empty(void)
{
	struct task_cgroups *cgroups = calloc(1, sizeof(*cgroups));

	if (!cgroups)
		return NULL;
	cgroups->paths = string_pool_new();
	if (cgroups->paths)
		return cgroups;
	task_cgroups_close(cgroups);
	return NULL;
}

void task_cgroups_close(struct task_cgroups *cgroups)
{
	if (!cgroups)
		return;
	string_pool_free(cgroups->paths);
	number_map_free(&cgroups->by_tid);
	free(cgroups);
}

int task_cgroups_add(struct task_cgroups *cgroups, int32_t tid,
		     const char *path, size_t length)
{
	uint32_t number = string_pool_add(cgroups->paths, path, length);
	uint64_t *slot = number_map_add(&cgroups->by_tid, (uint32_t)tid);

	if (number == STRING_POOL_NONE || !slot)
		return -ERROR_MEMORY;
	*slot = number + 1;
	return 0;
}

/* A line is "137 /system.slice/x.service". */
static int read_line(struct task_cgroups *cgroups, const char *line,
		     size_t length)
{
	size_t at = 0;
	int64_t tid = 0;

	while (at < length && line[at] >= '0' && line[at] <= '9' &&
	       tid <= INT32_MAX)
		tid = tid * 10 + (line[at++] - '0');
	if (!at || tid > INT32_MAX || length < at + 2 || line[at] != ' ' ||
	    line[at + 1] != '/' || memchr(line, '\0', length))
		return 0;
	return task_cgroups_add(cgroups, (int32_t)tid, line + at + 1,
				length - at - 1);
}

int task_cgroups_read(struct task_cgroups *cgroups, const char *text,
		      size_t size)
{
	int status = 0;

	while (size && !status) {
		const char *end = memchr(text, '\n', size);
		size_t length = end ? (size_t)(end - text) : size;

		status = read_line(cgroups, text, length);
		length += end != NULL;
		text += length;
		size -= length;
	}
	return status;
}

static int read_file(struct task_cgroups *cgroups, const char *path,
		     const struct log *log)
{
	struct text_file file;
	int status = path ? text_file_read(path, log, &file) : 0;

	if (status < 0 || !path)
		return status;
	status = task_cgroups_read(cgroups, file.text, file.size_bytes);
	text_file_free(&file);
	return status;
}

static int add_fork(struct task_cgroups *cgroups,
		    const struct sideband_record *record)
{
	const uint64_t *parent = number_map_find(
		&cgroups->by_tid, (uint32_t)record->fork.parent_tid);
	uint64_t number = parent ? *parent : 0;
	uint64_t *slot = NULL;

	/* The recorder's initial records have no time, and the files are
	 * correct for these tasks.
	 */
	if (!number || !record->time_ns)
		return 0;
	slot = number_map_add(&cgroups->by_tid, (uint32_t)record->tid);
	if (slot)
		*slot = number;
	return slot ? 0 : -ERROR_MEMORY;
}

/* Parses cgroup:cgroup_attach_task (include/trace/events/cgroup.h). The unified
 * hierarchy is number 0.
 */
static int add_move(struct task_cgroups *cgroups,
		    const struct tracepoint *tracepoint,
		    const struct sideband_sample *sample)
{
	const struct tracepoint_field *field =
		tracepoint_field(tracepoint, "pid");
	char path[PATH_MAX];
	int64_t tid = tracepoint_number(field, sample->raw, sample->raw_size);

	if (tracepoint_number(tracepoint_field(tracepoint, "dst_root"),
			      sample->raw, sample->raw_size))
		return 0;
	tracepoint_text(tracepoint_field(tracepoint, "dst_path"), sample->raw,
			sample->raw_size, path, sizeof(path));
	return *path == '/' ? task_cgroups_add(cgroups, (int32_t)tid, path,
					       strlen(path)) :
			      0;
}

static bool is_move(const struct recording_event *event)
{
	const struct tracepoint *tracepoint = event ? event->tracepoint : NULL;

	return tracepoint && !strcmp(tracepoint->system, "cgroup") &&
	       !strcmp(tracepoint->name, "cgroup_attach_task");
}

static int read_records(struct task_cgroups *cgroups,
			const struct recording *recording)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_FORK) |
						 SIDEBAND_BIT(SIDEBAND_SAMPLE));
	struct sideband_record record;
	int status = sideband ? 1 : -ERROR_MEMORY;

	while (status >= 0 && (status = sideband_next(sideband, &record)) > 0) {
		if (record.kind == SIDEBAND_FORK)
			status = add_fork(cgroups, &record);
		else if (is_move(record.event))
			status = add_move(cgroups, record.event->tracepoint,
					  &record.sample);
	}
	sideband_close(sideband);
	return status;
}

int task_cgroups_open(const struct recording *recording, const struct log *log,
		      struct task_cgroups **cgroups)
{
	int status;

	*cgroups = task_cgroups_empty();
	status = *cgroups ? 0 : -ERROR_MEMORY;
	if (!status)
		status = read_file(*cgroups, recording_cgroups_path(recording),
				   log);
	if (!status)
		status = read_records(*cgroups, recording);
	if (!status)
		status = read_file(*cgroups,
				   recording_cgroups_end_path(recording), log);
	if (!status && !number_map_count(&(*cgroups)->by_tid))
		status = -ERROR_NOT_FOUND;
	if (status < 0) {
		task_cgroups_close(*cgroups);
		*cgroups = NULL;
	}
	return status;
}

const char *task_cgroups_path(const struct task_cgroups *cgroups, int32_t tid)
{
	const uint64_t *number =
		number_map_find(&cgroups->by_tid, (uint32_t)tid);

	return number ?
		       string_pool_text(cgroups->paths, (uint32_t)*number - 1) :
		       NULL;
}

int task_cgroups_list(const struct task_cgroups *cgroups, struct array *paths)
{
	for (uint32_t i = 0; i < string_pool_count(cgroups->paths); i++) {
		const char **path = array_add(paths);

		if (!path)
			return -ERROR_MEMORY;
		*path = string_pool_text(cgroups->paths, i);
	}
	return 0;
}
