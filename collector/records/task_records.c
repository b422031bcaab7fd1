/* SPDX-License-Identifier: MIT */
#include "collector/events/event_spec.h"
#include "collector/records/program_copies.h"
#include "collector/records/record_bytes.h"
#include "collector/records/start_records.h"
#include "collector/records/task_walk.h"
#include "collector/target/target.h"
#include "common/build_id_cache.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct task {
	pid_t process;
	pid_t thread;
	pid_t parent; /* of its process */
	char name[16];
};

/* Reads /proc/<process>/task/<thread>/stat: "pid (name) state parent ..."; a
 * name may contain any characters, including brackets.
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

/* A code mapping, from a line of /proc/<pid>/maps. */
struct code_map {
	uint64_t start;
	uint64_t end;
	uint64_t file_offset;
	uint32_t device[2];
	uint64_t inode;
	bool is_shared;
	const char *path;
};

/* Parses a line "start-end perms offset major:minor inode path". Returns false
 * if it is no code mapping.
 */
static bool read_map(char *line, struct code_map *map)
{
	char permissions[8];
	int path = 0;

	if (sscanf(line,
		   "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %x:%x %" SCNu64
		   " %n",
		   &map->start, &map->end, permissions, &map->file_offset,
		   &map->device[0], &map->device[1], &map->inode, &path) < 7 ||
	    permissions[2] != 'x')
		return false;
	line[strcspn(line, "\n")] = '\0';
	map->is_shared = permissions[3] == 's';
	map->path = line[path] ? line + path : "//anon";
	return true;
}

/* Adds the identity of the file: its build id, or its device and inode. */
static void add_file(struct byte_buffer *bytes, const struct code_map *map,
		     const struct elf_build_id *id)
{
	if (id->size) {
		byte_buffer_u32(bytes, (uint32_t)id->size);
		byte_buffer_add(bytes, id->bytes, sizeof(id->bytes));
		return;
	}
	byte_buffer_u32(bytes, map->device[0]);
	byte_buffer_u32(bytes, map->device[1]);
	byte_buffer_u64(bytes, map->inode);
	byte_buffer_u64(bytes, 0);
}

static void add_map(struct byte_buffer *bytes, pid_t pid,
		    const struct code_map *map, const struct elf_build_id *id)
{
	size_t place = record_begin(
		bytes, PERF_RECORD_MMAP2,
		PERF_RECORD_MISC_USER |
			(id->size ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0));

	byte_buffer_u32(bytes, (uint32_t)pid);
	byte_buffer_u32(bytes, (uint32_t)pid);
	byte_buffer_u64(bytes, map->start);
	byte_buffer_u64(bytes, map->end - map->start);
	byte_buffer_u64(bytes, map->file_offset);
	add_file(bytes, map, id);
	byte_buffer_u32(bytes, PROT_EXEC | PROT_READ);
	byte_buffer_u32(bytes, map->is_shared ? MAP_SHARED : MAP_PRIVATE);
	byte_buffer_text(bytes, map->path);
	record_end_sample_id(bytes, place);
}

/* The destination of the records of tasks. */
struct task_records {
	struct byte_buffer *bytes;
	const struct target *target;
	struct build_id_cache *ids;	 /* or NULL, out of memory */
	struct program_copies *programs; /* or NULL */
};

/* Returns the identity of the file of @map of process @pid. */
static struct mapped_program program_of(pid_t pid, const struct code_map *map)
{
	struct mapped_program program = {
		.pid = pid,
		.start = map->start,
		.end = map->end,
		.path = map->path,
	};

	memcpy(program.inode, map->device, sizeof(map->device));
	memcpy(program.inode + sizeof(map->device), &map->inode,
	       sizeof(map->inode));
	return program;
}

/* Reads the build id of the file that @program has open: another mount namespace
 * or root may have another file at its path.
 */
static struct elf_build_id read_id(const struct mapped_program *program)
{
	int fd = program_copies_open_file(program);
	struct elf_build_id id;
	char path[64];

	if (fd < 0)
		return elf_build_id_of_file(program->path);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	id = elf_build_id_of_file(path);
	close(fd);
	return id;
}

static struct elf_build_id id_of(const struct task_records *records,
				 const struct mapped_program *program)
{
	const struct program_key key = program_key_of_inode(program->inode);
	char name[sizeof(key.text) + PATH_MAX + 1];
	bool is_new = false;
	struct elf_build_id *id = NULL;

	snprintf(name, sizeof(name), "%s %s", key.text, program->path);
	if (records->ids)
		id = build_id_cache_at(records->ids, name, &is_new);
	if (id && is_new)
		*id = read_id(program);
	return id ? *id : (struct elf_build_id){ 0 };
}

static void add_maps(const struct task_records *records, pid_t pid)
{
	char path[64];
	char *line = NULL;
	size_t room = 0;
	struct code_map map;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	if (!file)
		return;
	while (getline(&line, &room, file) > 0) {
		struct mapped_program program;

		if (!read_map(line, &map))
			continue;
		program = program_of(pid, &map);
		if (map.path[0] == '/' && map.path[1] != '/')
			program.id = id_of(records, &program);
		add_map(records->bytes, pid, &map, &program.id);
		if (records->programs)
			program_copies_add(records->programs, &program);
	}
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
		add_maps(records, process);
}

void start_records_tasks(struct byte_buffer *bytes, const struct target *target,
			 struct program_copies *programs)
{
	struct task_records records = {
		.bytes = bytes,
		.target = target,
		.ids = build_id_cache_new(),
		.programs = programs,
	};

	task_walk(add_thread, add_process, &records);
	build_id_cache_free(records.ids);
}
