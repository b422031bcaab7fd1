/* SPDX-License-Identifier: MIT */
#include "collector/events/event_spec.h"
#include "collector/records/record_bytes.h"
#include "collector/records/start_records.h"
#include "collector/records/task_walk.h"
#include "collector/target/target.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct task {
	pid_t process;
	pid_t thread;
	pid_t parent; /* of the process */
	char name[16];
};

/* Reads /proc/<process>/task/<thread>/stat: "pid (name) state parent ..."; a
 * name may hold anything, brackets too.
 */
static bool read_task(struct task *task)
{
	char path[80];
	char text[512];
	char *close;
	FILE *file;
	size_t size;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/stat",
		 (int)task->process, (int)task->thread);
	file = fopen(path, "re");
	if (!file)
		return false;
	size = fread(text, 1, sizeof(text) - 1, file);
	fclose(file);
	text[size] = '\0';
	close = strrchr(text, ')');
	if (!close || !strchr(text, '('))
		return false;
	*close = '\0';
	memset(task->name, 0, sizeof(task->name));
	snprintf(task->name, sizeof(task->name), "%s", strchr(text, '(') + 1);
	return sscanf(close + 1, " %*c %d", &task->parent) == 1;
}

static void add_fork(struct byte_buffer *bytes, const struct task *task)
{
	bool is_leader = task->thread == task->process;
	pid_t parent = is_leader ? task->parent : task->process;
	size_t place = record_begin(bytes, PERF_RECORD_FORK, 0);

	byte_buffer_u32(bytes, (uint32_t)task->process);
	byte_buffer_u32(bytes, (uint32_t)parent);
	byte_buffer_u32(bytes, (uint32_t)task->thread);
	byte_buffer_u32(bytes, (uint32_t)parent);
	byte_buffer_u64(bytes, 0);
	record_end_sample_id(bytes, place);
}

static void add_name(struct byte_buffer *bytes, const struct task *task)
{
	size_t place = record_begin(bytes, PERF_RECORD_COMM, 0);

	byte_buffer_u32(bytes, (uint32_t)task->process);
	byte_buffer_u32(bytes, (uint32_t)task->thread);
	byte_buffer_text(bytes, task->name);
	record_end_sample_id(bytes, place);
}

/* A line is "start-end perms offset major:minor inode   path". */
static void add_map(struct byte_buffer *bytes, pid_t pid, char *line)
{
	uint64_t start, end, offset, inode;
	unsigned int major, minor;
	char permissions[8];
	int path = 0;
	size_t place;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &start, &end, permissions, &offset, &major, &minor, &inode,
		   &path) < 7 ||
	    permissions[2] != 'x')
		return;
	line[strcspn(line, "\n")] = '\0';
	place = record_begin(bytes, PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER);
	byte_buffer_u32(bytes, (uint32_t)pid);
	byte_buffer_u32(bytes, (uint32_t)pid);
	byte_buffer_u64(bytes, start);
	byte_buffer_u64(bytes, end - start);
	byte_buffer_u64(bytes, offset);
	byte_buffer_u32(bytes, major);
	byte_buffer_u32(bytes, minor);
	byte_buffer_u64(bytes, inode);
	byte_buffer_u64(bytes, 0);
	byte_buffer_u32(bytes, PROT_EXEC | PROT_READ);
	byte_buffer_u32(bytes,
			permissions[3] == 's' ? MAP_SHARED : MAP_PRIVATE);
	byte_buffer_text(bytes, line[path] ? line + path : "//anon");
	record_end_sample_id(bytes, place);
}

static void add_maps(struct byte_buffer *bytes, pid_t pid)
{
	char path[64];
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (getline(&line, &room, file) > 0)
		add_map(bytes, pid, line);
	free(line);
	fclose(file);
}

static bool is_target(const struct target *target, pid_t pid)
{
	const pid_t *threads = target->threads.items;

	for (size_t i = 0; i < target->threads.count; i++)
		if (threads[i] == pid)
			return true;
	return target->whole_cpus;
}

/* Where the records of tasks go. */
struct task_records {
	struct byte_buffer *bytes;
	const struct target *target;
};

static void add_thread(void *ctx, pid_t process, pid_t thread)
{
	const struct task_records *records = ctx;
	struct task task = { .process = process, .thread = thread };

	if (!read_task(&task))
		return;
	add_fork(records->bytes, &task);
	add_name(records->bytes, &task);
}

static void add_process(void *ctx, pid_t process)
{
	const struct task_records *records = ctx;

	if (is_target(records->target, process))
		add_maps(records->bytes, process);
}

void start_records_tasks(struct byte_buffer *bytes, const struct target *target)
{
	struct task_records records = { bytes, target };

	task_walk(add_thread, add_process, &records);
}
