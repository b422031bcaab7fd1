/* SPDX-License-Identifier: MIT */
#include "collector/records/start_records.h"
#include "collector/records/program_copies.h"

#include "collector/bytes/recording_files.h"
#include "collector/events/event_list.h"
#include "collector/kernel_code/kernel_copy.h"
#include "collector/kernel_code/modules.h"
#include "collector/records/record_bytes.h"
#include "collector/target/target.h"
#include "collector/trace_unit/tracer.h"
#include "common/error.h"
#include "common/formats/build_id_cache.h"
#include "common/formats/perf_data.h"
#include "common/log.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns the next numeric entry of @folder, 0 after the last. */
static pid_t next_number(DIR *folder)
{
	const struct dirent *entry;

	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]))
			return atoi(entry->d_name);
	return 0;
}

void task_walk(void (*thread)(void *ctx, pid_t process, pid_t thread),
	       void (*process)(void *ctx, pid_t process), void *ctx)
{
	DIR *processes = opendir("/proc");
	pid_t pid;

	while (processes && (pid = next_number(processes))) {
		char path[64];
		DIR *threads;
		pid_t tid;

		snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
		threads = opendir(path);
		/* The task may have ended since it was listed. */
		if (!threads)
			continue;
		while (thread && (tid = next_number(threads)))
			thread(ctx, pid, tid);
		closedir(threads);
		if (process)
			process(ctx, pid);
	}
	if (processes)
		closedir(processes);
}

/* Copies the lines that start with @start from a thread's @file_name in /proc: each
 * as @label, the thread, and the line from byte @from on.
 */
static void copy_lines(FILE *out, pid_t process, pid_t thread,
		       const char *file_name, const char *start,
		       const char *label, size_t from)
{
	char path[80];
	char *line = NULL;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", (int)process,
		 (int)thread, file_name);
	file = fopen(path, "re");
	/* The task may have ended since it was listed. */
	if (!file)
		return;
	while (getline(&line, &room, file) > 0)
		if (!strncmp(line, start, strlen(start)))
			fprintf(out, "%s%d %s", label, (int)thread,
				line + from);
	free(line);
	fclose(file);
}

/* The files of task_lists_write(). */
struct task_lists {
	FILE *cgroups;
	FILE *cpus;
};

/* Appends the cgroup of @thread and the CPUs on which it may run. */
static void add_lines(void *ctx, pid_t process, pid_t thread)
{
	static const char start[] = "Cpus_allowed_list:\t";
	const struct task_lists *lists = ctx;

	copy_lines(lists->cgroups, process, thread, "cgroup", "0::/", "",
		   strlen("0::"));
	copy_lines(lists->cpus, process, thread, "status", start, "allowed ",
		   strlen(start));
}

/* Appends the name of an idle state. Returns whether the state exists. */
static bool add_idle_state(FILE *out, long cpu, unsigned int state)
{
	char path[96];
	char name[64];
	FILE *file;
	bool has_name;

	snprintf(path, sizeof(path),
		 "/sys/devices/system/cpu/cpu%ld/cpuidle/state%u/name", cpu,
		 state);
	file = fopen(path, "re");
	if (!file)
		return false;
	has_name = fgets(name, sizeof(name), file);
	fclose(file);
	if (has_name)
		fprintf(out, "idle %ld %u %.*s\n", cpu, state,
			(int)strcspn(name, "\n"), name);
	return has_name;
}

static void write_lists(FILE *out, const void *ctx)
{
	struct task_lists lists = *(const struct task_lists *)ctx;
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);

	lists.cpus = out;
	for (long cpu = 0; cpu < cpus; cpu++) {
		unsigned int state = 0;

		while (add_idle_state(out, cpu, state))
			state++;
	}
	task_walk(add_lines, NULL, &lists);
}

static void write_text(FILE *out, const void *text)
{
	fputs(text, out);
}

int task_lists_write(const struct output_folder *recording, const char *cgroups,
		     const char *cpus, const struct log *log)
{
	char *text = NULL;
	size_t size;
	const struct task_lists lists = {
		.cgroups = open_memstream(&text, &size),
	};
	int error;

	if (!lists.cgroups)
		return -ERROR_MEMORY;
	error = kcore_folder_write(recording, cpus, write_lists, &lists, log);
	if (fclose(lists.cgroups) && !error)
		error = -ERROR_MEMORY;
	if (!error)
		error = kcore_folder_write(recording, cgroups, write_text, text,
					   log);
	free(text);
	return error;
}

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
	size_t position = record_begin(bytes, PERF_RECORD_FORK, 0);

	byte_buffer_u32(bytes, (uint32_t)task->process);
	byte_buffer_u32(bytes, (uint32_t)parent);
	byte_buffer_u32(bytes, (uint32_t)task->thread);
	byte_buffer_u32(bytes, (uint32_t)parent);
	byte_buffer_u64(bytes, 0);
	record_end_sample_id(bytes, position);
}

static void add_name(struct byte_buffer *bytes, const struct task *task)
{
	size_t position = record_begin(bytes, PERF_RECORD_COMM, 0);

	byte_buffer_u32(bytes, (uint32_t)task->process);
	byte_buffer_u32(bytes, (uint32_t)task->thread);
	byte_buffer_text(bytes, task->name);
	record_end_sample_id(bytes, position);
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
 * if it is not a code mapping.
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
	size_t position = record_begin(
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
	record_end_sample_id(bytes, position);
}

/* The destination of the records of tasks. */
struct task_records {
	struct byte_buffer *bytes;
	const struct target *target;
	struct build_id_cache *ids;	 /* or NULL, out of memory */
	struct program_copies *programs; /* or NULL */
};

/* Describes the mapping @map of process @pid, without the build id of its file.
 */
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

/* Reads the build id of the file that is mapped as @program. In another mount
 * namespace or root, its path may name a different file.
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

/* A record's size has 16 bits, so longer lists are split into several records.
 */
enum { ITEMS_A_RECORD = 2000, MOST_RECORD_BYTES = UINT16_MAX / 8 * 8 };

static size_t items_left(size_t count, size_t from)
{
	return count - from < ITEMS_A_RECORD ? count - from : ITEMS_A_RECORD;
}

static void add_clock(struct byte_buffer *bytes,
		      const struct perf_event_mmap_page *page)
{
	size_t position = record_begin(bytes, PERF_DATA_TIME_CONV, 0);

	byte_buffer_u64(bytes, page->time_shift);
	byte_buffer_u64(bytes, page->time_mult);
	byte_buffer_u64(bytes, page->time_zero);
	byte_buffer_u64(bytes, page->time_cycles);
	byte_buffer_u64(bytes, page->time_mask);
	byte_buffer_u64(bytes, page->cap_user_time_zero |
				       page->cap_user_time_short << 8);
	record_end(bytes, position);
}

static size_t index_of(const struct target *target, int cpu)
{
	const int *cpus = target->cpus.items;
	size_t index = 0;

	while (index < target->cpus.count && cpus[index] != cpu)
		index++;
	return index;
}

void start_records_ids(struct byte_buffer *bytes, const struct event_list *list,
		       size_t first, const struct target *target)
{
	const struct event *events = list->events.items;

	for (size_t from = first; from < list->events.count;
	     from += ITEMS_A_RECORD) {
		size_t position = record_begin(bytes, PERF_DATA_ID_INDEX, 0);
		size_t count = items_left(list->events.count, from);

		byte_buffer_u64(bytes, count);
		for (size_t i = from; i < from + count; i++) {
			byte_buffer_u64(bytes, events[i].id);
			byte_buffer_u64(bytes, index_of(target, events[i].cpu));
			byte_buffer_u64(bytes, (uint64_t)events[i].cpu);
			byte_buffer_u64(bytes, (uint64_t)events[i].thread);
		}
		record_end(bytes, position);
	}
}

/* Reads the kernel's name of @thread, padded with zeros. */
static void read_name(pid_t thread, char name[16])
{
	char path[64];
	FILE *file;

	memset(name, 0, 16);
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)thread);
	file = fopen(path, "re");
	if (!file)
		return;
	if (fgets(name, 16, file))
		memset(name + strcspn(name, "\n"), 0, 16 - strcspn(name, "\n"));
	fclose(file);
}

static void add_threads(struct byte_buffer *bytes, const struct target *target)
{
	const pid_t *threads = target->threads.items;

	for (size_t from = 0; from < target->threads.count;
	     from += ITEMS_A_RECORD) {
		size_t position = record_begin(bytes, PERF_DATA_THREAD_MAP, 0);
		size_t count = items_left(target->threads.count, from);
		char name[16];

		byte_buffer_u64(bytes, count);
		for (size_t i = from; i < from + count; i++) {
			read_name(threads[i], name);
			byte_buffer_u64(bytes, (uint64_t)threads[i]);
			byte_buffer_add(bytes, name, sizeof(name));
		}
		record_end(bytes, position);
	}
}

/* Uses the format that every perf version supports: 16-bit numbers, one by one.
 */
static void add_cpus(struct byte_buffer *bytes, const struct target *target)
{
	const uint16_t cpus_by_number = 0;
	const int *cpus = target->cpus.items;
	size_t position = record_begin(bytes, PERF_DATA_CPU_MAP, 0);
	uint16_t count = (uint16_t)target->cpus.count;

	byte_buffer_add(bytes, &cpus_by_number, sizeof(cpus_by_number));
	byte_buffer_add(bytes, &count, sizeof(count));
	for (size_t i = 0; i < target->cpus.count; i++) {
		uint16_t cpu = (uint16_t)cpus[i];

		byte_buffer_add(bytes, &cpu, sizeof(cpu));
	}
	record_end(bytes, position);
}

/* Adds the description of the trace units. CoreSight has up to 96 bytes for
 * each CPU, so those of more than about 680 CPUs exceed a record.
 */
static int add_metadata(struct byte_buffer *bytes, const struct tracer *tracer,
			const struct pmu *pmu, const struct tracer_facts *facts,
			const struct log *log)
{
	size_t position = record_begin(bytes, PERF_DATA_AUXTRACE_INFO, 0);

	tracer->metadata(pmu, facts, bytes);
	if (!bytes->failed && bytes->size - position > MOST_RECORD_BYTES) {
		log_message(log, LOG_ERROR, NULL, LOG_NO_OFFSET,
			    "the trace units of %zu CPUs are too many for one "
			    "recording: record fewer CPUs (-C)",
			    facts->cpu_count);
		return -ERROR_UNSUPPORTED;
	}
	record_end(bytes, position);
	return 0;
}

int start_records_setup(struct byte_buffer *bytes,
			const struct event_list *events,
			const struct target *target,
			const struct tracer *tracer, const struct pmu *pmu,
			const struct tracer_facts *facts, const struct log *log)
{
	int error;

	add_clock(bytes, facts->page);
	start_records_ids(bytes, events, 0, target);
	error = tracer->metadata ?
			add_metadata(bytes, tracer, pmu, facts, log) :
			0;
	if (error)
		return error;
	add_threads(bytes, target);
	add_cpus(bytes, target);
	return 0;
}

static void add_kernel_map(struct byte_buffer *bytes, uint64_t start,
			   uint64_t size, uint64_t offset, const char *name)
{
	size_t position =
		record_begin(bytes, PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL);

	byte_buffer_u32(bytes, UINT32_MAX);
	byte_buffer_u32(bytes, 0);
	byte_buffer_u64(bytes, start);
	byte_buffer_u64(bytes, size);
	byte_buffer_u64(bytes, offset);
	byte_buffer_text(bytes, name);
	record_end_sample_id(bytes, position);
}

void start_records_module(struct byte_buffer *bytes,
			  const struct module *module)
{
	char name[80];

	snprintf(name, sizeof(name), "[%s]", module->name);
	add_kernel_map(bytes, module->address, module->size_bytes, 0, name);
}

/* The offset of the kernel's map is the address of its reference symbol, from
 * which readers compute the kernel's relocation.
 */
void start_records_kernel(struct byte_buffer *bytes,
			  const struct kernel_copy *copy)
{
	const struct module *modules = copy->modules.items;

	add_kernel_map(bytes, copy->text.start,
		       copy->text.end - copy->text.start, copy->reference,
		       "[kernel.kallsyms]_text");
	for (size_t i = 0; i < copy->modules.count; i++)
		start_records_module(bytes, &modules[i]);
}

void start_records_end(struct byte_buffer *bytes)
{
	record_end(bytes, record_begin(bytes, PERF_DATA_FINISHED_INIT, 0));
}
