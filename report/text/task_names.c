/* SPDX-License-Identifier: MIT */
#include "report/text/task_names.h"

#include "common/array.h"
#include "common/bytes.h"
#include "common/error.h"
#include "common/maps.h"
#include "common/name_choice.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/sideband.h"
#include "decoder/recording/tracepoint.h"
#include "report/text/name_text.h"
#include "symbolize/kernel/kernel_symbols.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Names of tasks by time, and their processes, parents and cgroups, from COMM
 * and FORK records; a list sorted by task and time, for binary searches.
 *
 * A child has its parent's name until it has one of its own. Before its first
 * name a task has that name. A thread whose process no record names is its own
 * process. Cgroups are from lists of the start and of the end (struct
 * task_cgroups).
 */

enum { KTHREADD = 2 };

/* From time_ns on, task tid of process pid has the name comm. A fork is an
 * entry too: the child inherits its parent's name.
 */
struct task_name {
	int32_t tid;
	int32_t pid;
	uint32_t order;
	uint64_t time_ns;
	const char *comm;
};

struct task_names {
	struct array names;	   /* struct task_name, by tid, time, order */
	struct number_map parents; /* pid of the last parent, by pid */
	/* index + 1 in names, by tid; used while reading */
	struct number_map newest;
	/* times are not in ns: only last names are used */
	bool knows_last_only;
};

struct task_names *task_names_empty(void)
{
	struct task_names *names = calloc(1, sizeof(*names));

	if (names)
		names->names = ARRAY_OF(struct task_name);
	return names;
}

void task_names_close(struct task_names *names)
{
	if (!names)
		return;
	array_free(&names->names);
	number_map_free(&names->parents);
	number_map_free(&names->newest);
	free(names);
}

/* Returns the newest name of @tid. The list must still be in order of time. */
static const char *newest_comm(const struct task_names *names, int32_t tid)
{
	const uint64_t *place = number_map_find(&names->newest, (uint32_t)tid);
	const struct task_name *list = names->names.items;

	return place ? list[*place - 1].comm : NULL;
}

static int add_name(struct task_names *names,
		    const struct sideband_record *record, const char *comm)
{
	struct task_name *name = array_add(&names->names);
	uint64_t *newest =
		number_map_add(&names->newest, (uint32_t)record->tid);

	if (!name || !newest)
		return -ERROR_MEMORY;
	*newest = names->names.count;
	*name = (struct task_name){
		.tid = record->tid,
		.pid = record->pid,
		.order = (uint32_t)names->names.count,
		.time_ns = names->knows_last_only ? 0 : record->time_ns,
		.comm = comm,
	};
	return 0;
}

int task_names_add(struct task_names *names, int32_t tid, const char *comm)
{
	const struct sideband_record record = { .tid = tid, .pid = tid };

	return add_name(names, &record, comm);
}

static int add_fork(struct task_names *names,
		    const struct sideband_record *record)
{
	const char *comm = newest_comm(names, record->fork.parent_tid);
	uint64_t *parent;

	if (add_name(names, record, comm ? comm : "?") < 0)
		return -ERROR_MEMORY;
	if (record->pid == record->fork.parent_pid)
		return 0;
	parent = number_map_add(&names->parents, (uint32_t)record->pid);
	if (!parent)
		return -ERROR_MEMORY;
	*parent = (uint32_t)record->fork.parent_pid;
	return 0;
}

/* Adds the names that trace-cmd saved without times. */
static int add_saved(struct task_names *names,
		     const struct recording *recording)
{
	size_t count;
	const struct saved_name *saved =
		recording_saved_names(recording, &count);
	int status = 0;

	for (size_t i = 0; i < count && !status; i++)
		status = task_names_add(names, saved[i].tid, saved[i].name);
	return status;
}

int task_names_open(const struct recording *recording,
		    struct task_names **names)
{
	struct sideband *sideband =
		sideband_open(recording, SIDEBAND_BIT(SIDEBAND_COMM) |
						 SIDEBAND_BIT(SIDEBAND_FORK));
	struct sideband_record record;
	int status = -ERROR_MEMORY;

	*names = task_names_empty();
	if (*names)
		(*names)->knows_last_only = recording_time(recording) !=
					    RECORDING_TIME_NANOSECONDS;
	while (*names && sideband &&
	       (status = sideband_next(sideband, &record)) > 0) {
		if (record.kind == SIDEBAND_COMM)
			status = add_name(*names, &record, record.comm.name);
		else
			status = add_fork(*names, &record);
		if (status < 0)
			break;
	}
	sideband_close(sideband);
	if (!status)
		status = add_saved(*names, recording);
	if (status < 0) {
		task_names_close(*names);
		*names = NULL;
		return status;
	}
	array_sort_by(&(*names)->names, KEYS(RISING(struct task_name, tid),
					     RISING(struct task_name, order)));
	number_map_free(&(*names)->newest);
	return 0;
}

static bool is_by(const void *item, const void *key)
{
	const struct task_name *name = item;
	const struct task_name *last = key;

	return name->tid < last->tid ||
	       (name->tid == last->tid && name->time_ns <= last->time_ns);
}

/* Returns the number of names that sort before those of @tid later than
 * @time_ns.
 */
static size_t end_of(const struct task_names *names, int32_t tid,
		     uint64_t time_ns)
{
	const struct task_name last = { .tid = tid, .time_ns = time_ns };

	return array_partition_point(&names->names, &last, is_by);
}

/* Returns the name of @tid at @time_ns; its first name before that; or NULL. */
static const struct task_name *find_name(const struct task_names *names,
					 int32_t tid, uint64_t time_ns)
{
	const struct task_name *list = names->names.items;
	size_t end = end_of(names, tid, time_ns);

	if (end && list[end - 1].tid == tid)
		return &list[end - 1];
	if (end < names->names.count && list[end].tid == tid)
		return &list[end];
	return NULL;
}

const char *task_names_comm(const struct task_names *names, int32_t tid,
			    uint64_t time_ns)
{
	const struct task_name *name = find_name(names, tid, time_ns);

	if (!tid)
		return "swapper";
	return name ? name->comm : "?";
}

struct task_name_time task_names_time(const struct task_names *names,
				      int32_t tid, uint64_t time_ns)
{
	const struct task_name *list = names->names.items;
	size_t end = end_of(names, tid, time_ns);
	struct task_name_time time = { 0, UINT64_MAX };

	if (end && list[end - 1].tid == tid)
		time.since_ns = list[end - 1].time_ns;
	if (end < names->names.count && list[end].tid == tid)
		time.until_ns = list[end].time_ns;
	return time;
}

const char *task_names_last(const struct task_names *names, int32_t tid)
{
	return task_names_comm(names, tid, UINT64_MAX);
}

bool task_names_ever(const struct task_names *names, int32_t tid,
		     const struct name_choice *comms)
{
	const struct task_name *list = names->names.items;

	if (!tid)
		return name_choice_has(comms, "swapper");
	for (size_t i = end_of(names, tid, UINT64_MAX);
	     i-- > 0 && list[i].tid == tid;)
		if (name_choice_has(comms, list[i].comm))
			return true;
	return false;
}

int32_t task_names_parent(const struct task_names *names, int32_t pid)
{
	const uint64_t *parent =
		number_map_find(&names->parents, (uint32_t)pid);

	return parent ? (int32_t)*parent : -1;
}

bool task_names_at(const struct task_names *names, size_t index, int32_t *tid,
		   int32_t *pid)
{
	const struct task_name *list = names->names.items;

	if (index >= names->names.count)
		return false;
	*tid = list[index].tid;
	*pid = list[index].pid;
	return true;
}

int32_t task_names_process(const struct task_names *names, int32_t tid)
{
	const struct task_name *name = find_name(names, tid, UINT64_MAX);

	return name ? name->pid : -1;
}

bool task_names_is_of_kernel(const struct task_names *names, int32_t pid)
{
	return pid == KTHREADD || task_names_parent(names, pid) == KTHREADD;
}

int task_names_list(const struct task_names *names, struct array *comms)
{
	const struct task_name *list = names->names.items;

	for (size_t i = 0; i < names->names.count; i++) {
		const char **comm;

		if (i + 1 < names->names.count &&
		    list[i + 1].tid == list[i].tid)
			continue;
		comm = array_add(comms);
		if (!comm)
			return -ERROR_MEMORY;
		*comm = list[i].comm;
	}
	return 0;
}

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

/* Sets the cgroup of task @tid to @path. Returns 0 or -ERROR_MEMORY. */
static int task_cgroups_add(struct task_cgroups *cgroups, int32_t tid,
			    const char *path, size_t length)
{
	uint32_t number = string_pool_add(cgroups->paths, path, length);
	uint64_t *slot = number_map_add(&cgroups->by_tid, (uint32_t)tid);

	if (number == STRING_POOL_NONE || !slot)
		return -ERROR_MEMORY;
	*slot = number + 1;
	return 0;
}

/* Parses a line "137 /system.slice/x.service". Returns 0 or -ERROR_MEMORY; a
 * malformed line is skipped.
 */
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
		const char *line = text;
		size_t length = text_skip_line(&text, &size);

		status = read_line(cgroups, line, length);
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

static int task_cgroups_add_fork(struct task_cgroups *cgroups,
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
			status = task_cgroups_add_fork(cgroups, &record);
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

struct task_label task_label_of(const struct task_names *names, int32_t tid,
				uint64_t time_ns)
{
	struct task_label label = { "?" };

	if (tid >= 0)
		snprintf(label.text, sizeof(label.text), "%s-%d",
			 task_names_comm(names, tid, time_ns), tid);
	return label;
}

struct task_label task_label_last(const struct task_names *names, int32_t tid)
{
	return task_label_of(names, tid, UINT64_MAX);
}

void task_label_write(const struct task_names *names, int32_t tid,
		      uint64_t time_ns, FILE *out)
{
	name_write(out, NAME_TEXT, task_label_of(names, tid, time_ns).text);
}

void task_label_write_last(const struct task_names *names, int32_t tid,
			   FILE *out)
{
	task_label_write(names, tid, UINT64_MAX, out);
}
