/* SPDX-License-Identifier: MIT */
#include "collector/generated_code_internal.h"

#include "collector/events/event_spec.h"
#include "collector/process_memory_internal.h"
#include "collector/recording_setup_internal.h"
#include "collector/records/record_watch.h"
#include "collector/records/start_records.h"
#include "collector/target/target.h"
#include "collector/trigger/code_watch.h"
#include "common/clocks.h"
#include "common/error.h"
#include "common/files/file_map.h"
#include "common/files/output_folder.h"
#include "common/files/regular_file.h"
#include "common/formats/generated_chunk.h"
#include "common/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A thread with one loop: it waits for records of its own rings, for timers and
 * for the ends of processes (pidfds), and reads the memory of a process when it
 * is due.
 *
 *	record of a mapping ─► add() a generator ─► read_generator()
 *	2 ms later, then by a timer that slows down ─► read_generator()
 *	exec, end ─► the last reading, remove_generator()
 *
 * A reading adds new or changed pages (process_memory), then what is new in the
 * perf map and the jitdump, if the process owns these files (is_trusted()).
 */

#define GENERATED_MOST_BYTES (UINT64_C(512) << 20)

enum {
	GENERATED_MOST_PROCESSES = 256,
	MOST_NICE = -20,
};

struct generated_code {
	struct trace_clock clock;
	const struct target *target;
	const struct log *log;
	struct output_folder folder;
	struct event_rings events;
	struct memory_pins *pins;
	struct code_watch *watch; /* NULL: not tried (has_watch), or refused */
	bool has_watch;
	struct array generators; /* struct generator */
	struct array polled;	 /* struct pollfd: the end, rings, processes */
	uint64_t left;		 /* bytes that may still be written */
	int stop;		 /* an eventfd */
	pthread_t thread;
	bool has_failed;
	bool is_full;	  /* @left is used up */
	bool is_left_out; /* a process, because of too many */
};

enum { COPY_BYTES = 64 << 10 };

/* Reads the process's PID in its own namespace and its effective user ID. The
 * owner of /proc/PID is not that user if the process is not dumpable.
 */
static void read_status(struct generated_files *names)
{
	char path[64];
	char line[256];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)names->pid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file)) {
		const char *last = strrchr(line, '\t');

		if (!strncmp(line, "NSpid:", 6) && last)
			sscanf(last, "%d", &names->inner);
		else if (sscanf(line, "Uid: %*u %u", &names->owner) == 1)
			names->has_owner = true;
	}
	if (file)
		fclose(file);
}

void generated_files_open(struct generated_files *names, pid_t pid)
{
	char path[64];

	*names = (struct generated_files){
		.pid = pid,
		.inner = pid,
		.dump = -1,
	};
	read_status(names);
	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	names->root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

void generated_files_close(struct generated_files *names)
{
	if (names->root >= 0)
		close(names->root);
	if (names->dump >= 0)
		close(names->dump);
	names->root = -1;
	names->dump = -1;
}

/* Returns whether the process's user made @file. A user may give any file such
 * a path, by a link or, in a namespace of its own, by a mount: a file of root
 * must not get into the recording that way.
 */
static bool is_trusted(const struct generated_files *names,
		       const struct stat *file)
{
	return names->has_owner && file->st_uid == names->owner &&
	       file->st_nlink <= 1;
}

/* Returns a descriptor of the file @path of the process, or -1. */
static int open_inside(const struct generated_files *names, const char *path,
		       struct stat *file)
{
	int fd = names->root < 0 ? -1 :
				   regular_file_open_in_root(names->root, path,
							     O_NOFOLLOW);

	if (fd < 0 || (!fstat(fd, file) && is_trusted(names, file)))
		return fd;
	close(fd);
	return -1;
}

/* Opens the jitdump @path, from the record of its mapping. Paths that are no
 * jitdump are ignored.
 */
static void generated_files_add(struct generated_files *names, const char *path)
{
	struct stat file;

	if (names->dump < 0 && generated_dump_path(path))
		names->dump = open_inside(names, path, &file);
}

/* Opens the file <pid>.@suffix of @folder at its end, and creates it if it does
 * not exist. Returns -1 with errno on failure.
 */
static int open_copy(const struct output_folder *folder, pid_t pid,
		     const char *suffix)
{
	char name[64];
	int fd;

	snprintf(name, sizeof(name), "%d.%s", (int)pid, suffix);
	fd = output_folder_create(folder, name);
	return fd >= 0 || errno != EEXIST ?
		       fd :
		       output_folder_reopen(folder, name, O_WRONLY | O_APPEND);
}

/* Copies the bytes of @from from *@offset to @end to @to, and advances
 * *@offset. With @heading, which is written first if there is anything to copy,
 * only whole lines are copied. Stops and sets *@left to 0 where the bytes exceed
 * *@left.
 */
static int copy_bytes(int from, int to, uint64_t *offset, uint64_t end,
		      const char *heading, uint64_t *left)
{
	uint8_t bytes[COPY_BYTES];
	size_t heading_size = heading ? strlen(heading) : 0;

	while (*offset < end) {
		size_t most = end - *offset < sizeof(bytes) ?
				      (size_t)(end - *offset) :
				      sizeof(bytes);
		ssize_t size = pread(from, bytes, most, (off_t)*offset);

		while (heading && size > 0 && bytes[size - 1] != '\n')
			size--;
		if (size <= 0)
			return 0;
		if ((uint64_t)size > *left) {
			*left = 0;
			return 0;
		}
		if (file_map_put(to, (const uint8_t *)heading, heading_size) <
			    0 ||
		    file_map_put(to, bytes, (size_t)size) < 0)
			return -ERROR_SYSTEM;
		heading_size = 0;
		*offset += (uint64_t)size;
		*left -= (uint64_t)size;
	}
	return 0;
}

static int copy_map(struct generated_files *names,
		    const struct output_folder *folder, uint64_t now_ns,
		    uint64_t *left)
{
	char text[64];
	struct stat file;
	int error = -ERROR_SYSTEM;
	int from;
	int to;

	snprintf(text, sizeof(text), "tmp/perf-%d.map", (int)names->inner);
	from = open_inside(names, text, &file);
	if (from < 0)
		return 0;
	if (file.st_ino != names->map_inode ||
	    (uint64_t)file.st_size < names->map_size)
		names->map_size = 0;
	names->map_inode = file.st_ino;
	if ((uint64_t)file.st_size == names->map_size) {
		close(from);
		return 0;
	}
	to = open_copy(folder, names->pid, "map");
	snprintf(text, sizeof(text), "# %" PRIu64 " %" PRIu64 "\n",
		 names->looked_ns, now_ns);
	if (to >= 0)
		error = copy_bytes(from, to, &names->map_size,
				   (uint64_t)file.st_size, text, left);
	if (to >= 0)
		close(to);
	close(from);
	return error;
}

/* Writes the file <pid>.dump_clock. An interrupt between the readings makes
 * them less precise: uses the closest of several.
 */
static int write_clock(const struct generated_files *names,
		       const struct output_folder *folder,
		       const struct trace_clock *clock)
{
	enum { TRIES = 16 };
	uint64_t bracket_ns = UINT64_MAX;
	char text[64] = "";
	int error = -ERROR_SYSTEM;
	int fd;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = trace_clock_ns(clock);
		uint64_t between = monotonic_ns();
		uint64_t after = trace_clock_ns(clock);

		if (after - before >= bracket_ns)
			continue;
		bracket_ns = after - before;
		snprintf(text, sizeof(text), "%" PRIu64 " %" PRIu64 "\n",
			 between, before + bracket_ns / 2);
	}
	fd = open_copy(folder, names->pid, "dump_clock");
	if (fd >= 0) {
		error = file_map_put(fd, (const uint8_t *)text, strlen(text));
		close(fd);
	}
	return error;
}

static int copy_dump(struct generated_files *names,
		     const struct output_folder *folder,
		     const struct trace_clock *clock, uint64_t *left)
{
	struct stat file;
	uint64_t offset = 0;
	int error;
	int to;

	if (names->dump < 0 || names->is_dump_copied ||
	    fstat(names->dump, &file) < 0)
		return 0;
	names->is_dump_copied = true;
	if (write_clock(names, folder, clock) < 0)
		return -ERROR_SYSTEM;
	to = open_copy(folder, names->pid, "dump");
	if (to < 0)
		return -ERROR_SYSTEM;
	error = copy_bytes(names->dump, to, &offset, (uint64_t)file.st_size,
			   NULL, left);
	close(to);
	return error;
}

int generated_files_copy(struct generated_files *names,
			 const struct output_folder *folder,
			 const struct trace_clock *clock, bool is_last,
			 uint64_t *left)
{
	uint64_t now_ns = trace_clock_ns(clock);
	int error = copy_map(names, folder, now_ns, left);

	names->looked_ns = now_ns;
	if (!error && is_last)
		error = copy_dump(names, folder, clock, left);
	return error;
}

#define LEAST_PERIOD_NS UINT64_C(10000000)
#define MOST_PERIOD_NS UINT64_C(100000000)
/* Period of looks: LEAST_LOOK_NS and half of the time since the last change. */
#define LEAST_LOOK_NS UINT64_C(100000)
#define LOOK_PERIOD_NS UINT64_C(1000000)
#define CALM_PERIOD_NS UINT64_C(5000000)
/* For this long after a change, a page is read at each look. */
#define RECENT_NS UINT64_C(20000000)
/* A program adds a function to its perf map shortly after the kernel records
 * the mapping; the second reading waits this long.
 */
#define LIST_DELAY_NS UINT64_C(2000000)

enum {
	/* minimum of period / CPU time of a reading that finds no change: such
	 * readings take at most 1 % of a CPU
	 */
	PERIODS = 100,
	/* like PERIODS, but for readings that find new code: READING_ALL and
	 * READING_LOOK may take 5 % of a CPU each
	 */
	AT_ONCE = 20,
};

/* A compiler makes much code at the start: readings may take this much CPU time
 * before AT_ONCE limits them.
 */
#define BURST_NS UINT64_C(20000000)

/* The CPU time that readings of one kind may take. */
struct pace {
	/* the CPU time of readings until end_ns; the share of time that they
	 * are allowed to take is subtracted as time passes
	 */
	uint64_t taken_ns;
	uint64_t end_ns;
	uint64_t rested_ns; /* earliest start of the next reading */
};

/* A process that generates code. */
struct generator {
	pid_t pid;
	int end; /* its pidfd: readable when it has ended */
	struct process_memory *memory;
	struct generated_files names;
	uint64_t due_ns;  /* the next reading of all pages, CLOCK_MONOTONIC */
	uint64_t look_ns; /* the next look, READING_LOOK */
	/* end of the last reading that found new or changed pages; 0: none */
	uint64_t news_ns;
	uint64_t period_ns;
	struct pace pace; /* of readings of all pages */
	struct pace look_pace;
	/* a mapping changed since the last reading of all pages */
	bool is_remapped;
};

static uint64_t now_ns(const struct generated_code *code)
{
	return trace_clock_ns(&code->clock);
}

/* Logs the first error: later ones have the same cause. */
static void fail(struct generated_code *code, int error)
{
	if (!error || code->has_failed)
		return;
	code->has_failed = true;
	log_message(code->log, LOG_WARNING, code->folder.path, LOG_NO_OFFSET,
		    "cannot copy the code that programs generate: %s",
		    error == -ERROR_MEMORY ? "out of memory" : strerror(errno));
}

static struct generator *find(const struct generated_code *code, pid_t pid)
{
	struct generator *generators = code->generators.items;

	for (size_t i = 0; i < code->generators.count; i++)
		if (generators[i].pid == pid)
			return &generators[i];
	return NULL;
}

static void close_generator(struct generator *generator)
{
	process_memory_close(generator->memory);
	generated_files_close(&generator->names);
	if (generator->end >= 0)
		close(generator->end);
}

/* Logs the first process that is left out. */
static void note_left_out(struct generated_code *code)
{
	if (code->is_left_out)
		return;
	code->is_left_out = true;
	log_message(code->log, LOG_WARNING, code->folder.path, LOG_NO_OFFSET,
		    "more than %d processes generate code at once: the code "
		    "of further ones is not copied",
		    GENERATED_MOST_PROCESSES);
}

/* Returns the process @pid, which is added if it is new; NULL if it has ended
 * or may not be read, or if there are too many.
 */
static struct generator *add(struct generated_code *code, pid_t pid)
{
	struct generator *generator = find(code, pid);

	if (generator)
		return generator;
	if (code->generators.count == GENERATED_MOST_PROCESSES) {
		note_left_out(code);
		return NULL;
	}
	generator = array_add(&code->generators);
	if (!generator) {
		fail(code, -ERROR_MEMORY);
		return NULL;
	}
	*generator = (struct generator){
		.pid = pid,
		.period_ns = LEAST_PERIOD_NS,
		.end = (int)syscall(SYS_pidfd_open, pid, 0),
	};
	generated_files_open(&generator->names, pid);
	generator->memory = process_memory_open(pid, now_ns(code), code->pins);
	if (generator->memory && generator->end >= 0)
		return generator;
	close_generator(generator);
	code->generators.count--;
	return NULL;
}

/* Opens the process's file of copies at its end; a new one gets its first
 * bytes. Returns -1 with errno on failure.
 */
static int open_copies(const struct generated_code *code, pid_t pid)
{
	int fd = open_copy(&code->folder, pid, "generated");

	if (fd < 0 || lseek(fd, 0, SEEK_END) > 0 ||
	    !file_map_put(fd, (const uint8_t *)GENERATED_MAGIC,
			  strlen(GENERATED_MAGIC)))
		return fd;
	close(fd);
	return -1;
}

/* Logs once that there will be no more copies. */
static void note_limit(struct generated_code *code)
{
	if (code->is_full || code->left >= PROCESS_MEMORY_LEAST)
		return;
	code->is_full = true;
	log_message(code->log, LOG_WARNING, code->folder.path, LOG_NO_OFFSET,
		    "programs generated more than %" PRIu64
		    " MiB of code: what is new from now on is not copied",
		    GENERATED_MOST_BYTES >> 20);
}

/* Plans a second reading at @time_ns, or as soon after as the pace permits. The
 * first reading, caused by the record of a mapping, is too early to find the
 * new code's line in the perf map.
 */
static void plan_second_reading(struct generator *generator, uint64_t time_ns)
{
	if (time_ns < generator->pace.rested_ns)
		time_ns = generator->pace.rested_ns;
	if (time_ns < generator->due_ns)
		generator->due_ns = time_ns;
	generator->is_remapped = false;
}

/* Plans the look after a reading that ended at @end_ns. */
static void plan_look(struct generator *generator, uint64_t end_ns,
		      uint64_t cost_ns)
{
	uint64_t rest_ns = end_ns - generator->news_ns;
	uint64_t period_ns = LEAST_LOOK_NS + rest_ns / 2;

	if (period_ns > LOOK_PERIOD_NS)
		period_ns = LOOK_PERIOD_NS;
	if (!generator->news_ns || rest_ns >= RECENT_NS)
		period_ns = cost_ns * PERIODS > CALM_PERIOD_NS ?
				    cost_ns * PERIODS :
				    CALM_PERIOD_NS;
	generator->look_ns = end_ns + period_ns;
	if (generator->look_ns < generator->look_pace.rested_ns)
		generator->look_ns = generator->look_pace.rested_ns;
}

/* Charges a reading, which took @cost_ns of a CPU, to @pace. */
static void charge(struct pace *pace, uint64_t begin_ns, uint64_t end_ns,
		   uint64_t cost_ns)
{
	uint64_t earned_ns = (begin_ns - pace->end_ns) / AT_ONCE;

	if (earned_ns > pace->taken_ns)
		earned_ns = pace->taken_ns;
	pace->taken_ns += cost_ns - earned_ns;
	pace->end_ns = end_ns;
	pace->rested_ns = end_ns;
	if (pace->taken_ns > BURST_NS)
		pace->rested_ns += (pace->taken_ns - BURST_NS) * AT_ONCE;
}

/* Plans the reading after the one that ended at @end_ns. As long as there is
 * new code, the next reading follows as soon as the pace permits; otherwise
 * the periods become longer.
 */
static void plan_reading(struct generator *generator, bool is_news,
			 uint64_t end_ns, uint64_t cost_ns)
{
	uint64_t period_ns = is_news ? LEAST_PERIOD_NS :
				       generator->period_ns * 2;

	if (period_ns > MOST_PERIOD_NS)
		period_ns = MOST_PERIOD_NS;
	if (!is_news && period_ns < cost_ns * PERIODS)
		period_ns = cost_ns * PERIODS;
	generator->period_ns = period_ns;
	generator->due_ns = end_ns + period_ns;
	if (generator->due_ns < generator->pace.rested_ns)
		generator->due_ns = generator->pace.rested_ns;
}

enum reading_kind {
	READING_LOOK, /* of new and of recently changed pages */
	READING_ALL,
	READING_LAST,
};

/* Returns the time, by the recording's clock, since which a page must have
 * changed to be read; 0: all pages are read.
 */
static uint64_t recent_ns(const struct generated_code *code,
			  enum reading_kind kind)
{
	uint64_t time_ns = now_ns(code);

	if (kind != READING_LOOK)
		return 0;
	return time_ns > RECENT_NS ? time_ns - RECENT_NS : 1;
}

/* The watch runs at each switch: the first process that needs it starts it. */
static void watch_generator(struct generated_code *code,
			    const struct generator *generator)
{
	uint64_t next[CODE_WATCH_WORDS];

	process_memory_next(generator->memory, next, CODE_WATCH_WORDS);
	if (!next[0])
		return;
	if (!code->has_watch)
		code->watch = code_watch_new();
	code->has_watch = true;
	code_watch_set(code->watch, generator->pid, next);
}

/* Reads the process's memory and names, and plans the next reading. */
static void read_generator(struct generated_code *code,
			   struct generator *generator, enum reading_kind kind)
{
	bool is_last = kind == READING_LAST;
	uint64_t begin_ns = monotonic_ns();
	uint64_t cost_ns = thread_cpu_ns();
	uint64_t end_ns;
	int fd = open_copies(code, generator->pid);
	int status = fd < 0 ?
			     -ERROR_SYSTEM :
			     process_memory_read(generator->memory,
						 recent_ns(code, kind),
						 &code->clock, fd, &code->left);

	fail(code, status < 0 ? status : 0);
	if (fd >= 0 && is_last)
		fail(code,
		     process_memory_finish(generator->memory, fd, &code->left));
	if (fd >= 0)
		close(fd);
	fail(code, generated_files_copy(&generator->names, &code->folder,
					&code->clock, is_last, &code->left));
	note_limit(code);
	end_ns = monotonic_ns();
	cost_ns = thread_cpu_ns() - cost_ns;
	if (status)
		generator->news_ns = end_ns;
	charge(kind == READING_LOOK ? &generator->look_pace : &generator->pace,
	       begin_ns, end_ns, cost_ns);
	if (kind != READING_LOOK)
		plan_reading(generator, status != 0, end_ns, cost_ns);
	if (kind != READING_LOOK && generator->is_remapped)
		plan_second_reading(generator, end_ns + LIST_DELAY_NS);
	plan_look(generator, end_ns, cost_ns);
	if (!is_last)
		watch_generator(code, generator);
}

static void remove_generator(struct generated_code *code,
			     struct generator *generator)
{
	code_watch_forget(code->watch, generator->pid);
	close_generator(generator);
	array_remove(&code->generators,
		     (size_t)(generator -
			      (struct generator *)code->generators.items),
		     1);
}

/* Handles an executable mapping that appeared, or whose protection changed. */
static void take_map(struct generated_code *code, pid_t pid, uint64_t start,
		     uint64_t end, bool is_writable, const char *path)
{
	struct generator *generator;

	if (!generated_path(path)) {
		generator = generated_dump_path(path) ? add(code, pid) : NULL;
		if (generator)
			generated_files_add(&generator->names, path);
		return;
	}
	generator = add(code, pid);
	if (!generator)
		return;
	fail(code,
	     process_memory_add(generator->memory, start, end, is_writable));
	generator->period_ns = LEAST_PERIOD_NS;
	generator->is_remapped = true;
	if (generator->due_ns > generator->pace.rested_ns)
		generator->due_ns = generator->pace.rested_ns;
}

static void take_mmap2(struct generated_code *code,
		       const struct ring_bytes *records, size_t place,
		       size_t size)
{
	struct mapping_record record;
	const struct mapping_fields *fields = &record.fields;

	if (mapping_record_read(records, place, size, &record))
		take_map(code, (pid_t)fields->pid, fields->address,
			 fields->address + fields->size_bytes,
			 fields->protection & PROT_WRITE, record.path);
}

/* Handles a fork: the child has the generated code of its parent. It is read
 * after a while, because most children call exec first.
 */
static void take_fork(struct generated_code *code, pid_t pid, pid_t parent)
{
	struct generator *child;

	if (pid == parent || !find(code, parent))
		return;
	child = add(code, pid);
	if (!child)
		return;
	fail(code,
	     process_memory_inherit(child->memory, find(code, parent)->memory));
	child->due_ns = monotonic_ns() + LEAST_PERIOD_NS;
	child->pace.rested_ns = child->due_ns;
}

/* Handles an exec: reads the process's old memory, which is pinned, for the
 * last time.
 */
static void take_exec(struct generated_code *code, pid_t pid)
{
	struct generator *generator = find(code, pid);

	if (!generator)
		return;
	read_generator(code, generator, READING_LAST);
	remove_generator(code, generator);
}

static void take_record(struct generated_code *code,
			const struct ring_bytes *records, size_t place,
			const struct perf_event_header *header)
{
	size_t size = header->size - sizeof(*header);
	uint32_t ids[2];

	if (size < sizeof(ids))
		return;
	ring_copy(records, place, ids, sizeof(ids));
	switch (header->type) {
	case PERF_RECORD_MMAP2:
		take_mmap2(code, records, place, size);
		break;
	case PERF_RECORD_FORK:
		take_fork(code, (pid_t)ids[0], (pid_t)ids[1]);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			take_exec(code, (pid_t)ids[0]);
		break;
	default:
		break;
	}
}

static void take_ring(struct generated_code *code, struct ring *ring)
{
	struct perf_event_header header;
	struct ring_bytes records;

	if (!ring->page)
		return;
	records = ring_read(ring);
	for (size_t place = 0; place + sizeof(header) <= records.size;
	     place += header.size) {
		ring_copy(&records, place, &header, sizeof(header));
		if (header.size < sizeof(header))
			break;
		take_record(code, &records, place + sizeof(header), &header);
	}
	ring_release(ring, &records);
}

static void take_rings(struct generated_code *code)
{
	struct cpu_rings *rings = code->events.cpus.items;

	for (size_t i = 0; i < code->events.cpus.count; i++)
		take_ring(code, &rings[i].ring[RING_CODE]);
}

/* Makes a look due for each process that is reported to have new code. The pace
 * need not permit it: compiling the code took longer than the look.
 */
static void take_watch(struct generated_code *code)
{
	pid_t pid;

	while ((pid = code_watch_next(code->watch))) {
		struct generator *generator = find(code, pid);

		if (generator)
			generator->look_ns = 0;
	}
}

static bool has_ended(const struct generator *generator)
{
	struct pollfd end = { .fd = generator->end, .events = POLLIN };

	return poll(&end, 1, 0) > 0;
}

/* Reads what is due, and for the last time what has ended. */
static void read_due(struct generated_code *code)
{
	for (size_t i = code->generators.count; i-- > 0;) {
		struct generator *generator = array_at(&code->generators, i);
		bool is_last = has_ended(generator);

		if (is_last)
			read_generator(code, generator, READING_LAST);
		else if (generator->due_ns <= monotonic_ns())
			read_generator(code, generator, READING_ALL);
		else if (generator->look_ns <= monotonic_ns())
			read_generator(code, generator, READING_LOOK);
		if (is_last)
			remove_generator(code, generator);
	}
}

static int add_polled(struct generated_code *code, int fd)
{
	const struct pollfd polled = { .fd = fd, .events = POLLIN };

	return fd < 0 ? 0 : array_append(&code->polled, &polled);
}

static int list_polled(struct generated_code *code)
{
	const struct cpu_rings *rings = code->events.cpus.items;
	const struct generator *generators = code->generators.items;
	int error;

	code->polled.count = 0;
	error = add_polled(code, code->stop);
	if (!error)
		error = add_polled(code, code_watch_fd(code->watch));
	for (size_t i = 0; i < code->events.cpus.count && !error; i++)
		error = add_polled(code, rings[i].fd[RING_CODE]);
	for (size_t i = 0; i < code->generators.count && !error; i++)
		error = add_polled(code, generators[i].end);
	return error;
}

/* Waits for polled events until the next reading. Returns like poll(2). */
static int poll_until_due(const struct generated_code *code)
{
	const struct generator *generators = code->generators.items;
	uint64_t now = monotonic_ns();
	uint64_t next = UINT64_MAX;
	struct timespec wait;

	for (size_t i = 0; i < code->generators.count; i++) {
		if (generators[i].due_ns < next)
			next = generators[i].due_ns;
		if (generators[i].look_ns < next)
			next = generators[i].look_ns;
	}
	next = next <= now ? 0 : next - now;
	wait.tv_sec = (time_t)(next / 1000000000);
	wait.tv_nsec = (long)(next % 1000000000);
	return ppoll(code->polled.items, code->polled.count,
		     code->generators.count ? &wait : NULL, NULL);
}

/* Stops polling the ring of @fd: a ring whose tasks have all ended is readable
 * for ever.
 */
static void drop_ring(struct generated_code *code, int fd)
{
	struct cpu_rings *rings = code->events.cpus.items;

	for (size_t i = 0; i < code->events.cpus.count; i++)
		if (rings[i].fd[RING_CODE] == fd)
			rings[i].fd[RING_CODE] = -1;
}

/* Waits for a record, an end, or the time of the next reading. Returns whether
 * the thread must end: generated_code_end() was called, or memory ran out.
 */
static bool wait_for_news(struct generated_code *code)
{
	const struct pollfd *polled;

	if (list_polled(code) < 0) {
		fail(code, -ERROR_MEMORY);
		return true;
	}
	polled = code->polled.items;
	if (poll_until_due(code) <= 0)
		return false;
	for (size_t i = 1; i < code->polled.count; i++)
		if (polled[i].revents & POLLHUP)
			drop_ring(code, polled[i].fd);
	return polled[0].revents;
}

static void *run(void *context)
{
	struct generated_code *code = context;
	bool is_over = false;

	/* A busy CPU would delay the looks for longer than a compiler takes. If
	 * the priority is not permitted, more code stays unknown.
	 */
	setpriority(PRIO_PROCESS, (id_t)gettid(), MOST_NICE);
	while (!is_over && !code->has_failed) {
		is_over = wait_for_news(code);
		take_rings(code);
		take_watch(code);
		read_due(code);
	}
	for (size_t i = 0; i < code->generators.count; i++)
		read_generator(code, array_at(&code->generators, i),
			       READING_LAST);
	return NULL;
}

/* Adds the mappings that process @pid has already. */
static void add_existing(void *context, pid_t pid)
{
	struct generated_code *code = context;
	char line[4096];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/maps", (int)pid);
	file = fopen(line, "re");
	while (file && fgets(line, sizeof(line), file)) {
		uint64_t start;
		uint64_t end;
		char write;
		char execute;
		int path = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line,
			   "%" SCNx64 "-%" SCNx64 " %*c%c%c%*c %*s %*s %*s %n",
			   &start, &end, &write, &execute, &path) == 4 &&
		    execute == 'x' && path)
			take_map(code, pid, start, end, write == 'w',
				 line[path] ? line + path : "//anon");
	}
	if (file)
		fclose(file);
}

static void add_all_existing(struct generated_code *code)
{
	if (code->target->whole_cpus)
		task_walk(NULL, add_existing, code);
	/* The other threads of a process have the same memory. */
	for (size_t i = 0; i < code->target->threads.count; i++) {
		pid_t thread = *(pid_t *)array_at(&code->target->threads, i);
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/task/%d", (int)thread,
			 (int)thread);
		if (!access(path, F_OK))
			add_existing(code, thread);
	}
}

static int open_events(struct generated_code *code)
{
	struct event_spec spec = event_spec_tasks(true);
	int index;
	int error;

	spec.ring = RING_CODE;
	spec.attr.build_id = 0;
	index = event_list_add(&code->events.list, spec);
	error = index < 0 ? index :
			    event_rings_add_cpus(&code->events, 0, false);
	return error ? error : event_rings_open(&code->events, (size_t)index);
}

static void free_code(struct generated_code *code)
{
	struct generator *generators = code->generators.items;

	for (size_t i = 0; i < code->generators.count; i++)
		close_generator(&generators[i]);
	array_free(&code->generators);
	array_free(&code->polled);
	event_rings_free(&code->events);
	memory_pins_free(code->pins);
	code_watch_free(code->watch);
	output_folder_close(&code->folder);
	if (code->stop >= 0)
		close(code->stop);
	free(code);
}

struct generated_code *generated_code_start(const struct target *target,
					    const struct trace_clock *clock,
					    const struct output_folder *folder,
					    const struct log *log)
{
	struct generated_code *code = calloc(1, sizeof(*code));
	int error;
	int cause;

	if (!code)
		return NULL;
	code->clock = *clock;
	code->target = target;
	code->log = log;
	code->left = GENERATED_MOST_BYTES;
	code->generators = ARRAY_OF(struct generator);
	code->polled = ARRAY_OF(struct pollfd);
	code->events = event_rings_new(target, 0, log);
	code->stop = eventfd(0, EFD_CLOEXEC);
	error = output_folder_sub(&code->folder, folder, "code", log);
	if (!error)
		error = code->stop < 0 ? -ERROR_SYSTEM : open_events(code);
	if (!error) {
		code->pins = memory_pins_new();
		add_all_existing(code);
		cause = pthread_create(&code->thread, NULL, run, code);
		error = cause ? -ERROR_SYSTEM : 0;
		errno = cause;
	}
	if (!error)
		return code;
	fail(code, error);
	free_code(code);
	return NULL;
}

void generated_code_end(struct generated_code *code)
{
	if (!code)
		return;
	eventfd_write(code->stop, 1);
	pthread_join(code->thread, NULL);
	free_code(code);
}
