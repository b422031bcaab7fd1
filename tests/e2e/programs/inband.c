/* SPDX-License-Identifier: MIT */
/* Brackets calls whose effects are known, and prints each record as JSON, a
 * bracket a line, with the library's results for it: inband.sh judges them,
 * together with the recordings that it saves.
 *
 * 	inband examples|watch|full|wrap|misuse|orphan FOLDER FILE
 *
 * As orphan it waits for a line of input within a bracket, during which its
 * service ends.
 */
#include "tests/e2e/programs/program.h"

#include "inband/ktrace_hw.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	MS = 1000000,
	PAGE = 4096,
	PAGES = 8,
	NAPS = 3,
	CALLS = 20,
	MANY_CALLS = 5000,
	BRACKETS = 24,
	READS = 16,
	OUTPUT_BYTES = 1 << 20,
};

static const char *file;

static void nap(long ns)
{
	const struct timespec time = { 0, ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* The bracketed call; before(), if not NULL, prepares it. */
struct example {
	const char *name;
	void (*before)(void);
	void (*run)(void);
};

static int fd;
static int pipes[2];
static char *memory;
static char output[OUTPUT_BYTES];

static void run_getppid(void)
{
	getppid();
}

static void open_file(void)
{
	fd = open(file, O_RDWR | O_CREAT, 0600);
	if (fd < 0)
		fail(file);
}

static void run_read(void)
{
	char buffer[512];

	if (pread(fd, buffer, sizeof(buffer), 0) < 0)
		fail("pread");
	close(fd);
}

static void run_naps(void)
{
	for (int i = 1; i <= NAPS; i++)
		nap((long)i * MS);
}

static void dirty_file(void)
{
	char bytes[PAGE] = { 1 };

	open_file();
	if (write(fd, bytes, sizeof(bytes)) != sizeof(bytes))
		fail("write");
}

static void run_fsync(void)
{
	if (fsync(fd))
		fail("fsync");
}

/* A child that writes a byte in 5 ms, and ends 1 ms later. */
static void start_child(void)
{
	if (pipe(pipes))
		fail("pipe");
	if (!fork()) {
		nap(5 * MS);
		if (write(pipes[1], "", 1) != 1)
			_exit(1);
		nap(MS);
		_exit(0);
	}
}

static void run_pipe(void)
{
	char byte;

	if (read(pipes[0], &byte, 1) != 1)
		fail("read");
	wait(NULL);
}

static void map_memory(void)
{
	open_file();
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || ftruncate(fd, PAGES * PAGE))
		fail("mmap");
}

/* The kernel itself is the first to touch the pages. */
static void run_faults(void)
{
	if (pread(fd, memory, PAGES * PAGE, 0) != PAGES * PAGE)
		fail("pread");
}

static const struct example examples[] = {
	{ "getppid", NULL, run_getppid },  { "read", open_file, run_read },
	{ "naps", NULL, run_naps },	   { "fsync", dirty_file, run_fsync },
	{ "pipe", start_child, run_pipe }, { "faults", map_memory, run_faults },
};

static void print_sleeps(const struct ktrace_hw_call *call)
{
	printf("\"sleeps\":[");
	for (size_t i = 0; i < call->sleep_count; i++) {
		const struct ktrace_hw_sleep *sleep = &call->sleeps[i];

		printf("%s{\"label\":\"%s\",\"function\":\"%s\","
		       "\"stack\":\"%s\",\"count\":%" PRIu64
		       ",\"asleep_ns\":%" PRIu64 ",\"max_ns\":%" PRIu64
		       ",\"runnable_ns\":%" PRIu64 ",\"wakers\":[",
		       i ? "," : "", sleep->channel ? sleep->channel : "",
		       sleep->function ? sleep->function : "", sleep->stack,
		       sleep->count, sleep->asleep_ns, sleep->max_ns,
		       sleep->runnable_ns);
		for (size_t j = 0; j < sleep->waker_count; j++) {
			const struct ktrace_hw_waker *waker = &sleep->wakers[j];

			printf("%s{\"count\":%" PRIu64 ",\"tid\":%d,"
			       "\"comm\":\"%s\",\"function\":\"%s\","
			       "\"interrupt\":\"%s\"}",
			       j ? "," : "", waker->count, waker->tid,
			       waker->comm,
			       waker->function ? waker->function : "",
			       waker->interrupt ? waker->interrupt : "");
		}
		printf("]}");
	}
	printf("],");
}

static void print_functions(const struct ktrace_hw_call *call)
{
	printf("\"trace\":[");
	for (size_t i = 0; i < call->function_count; i++) {
		const struct ktrace_hw_function *function = &call->functions[i];

		printf("%s{\"depth\":%" PRIu32 ",\"function\":\"%s\","
		       "\"calls\":%" PRIu64 ",\"wall_ns\":%" PRIu64
		       ",\"on_cpu_ns\":%" PRIu64 ",\"interrupt\":%s}",
		       i ? "," : "", function->depth, function->name,
		       function->calls, function->wall_ns, function->on_cpu_ns,
		       function->is_interrupt ? "true" : "false");
	}
	printf("]");
}

static void print_call(const struct ktrace_hw_call *call)
{
	static const char *const ends[] = { "returned", "no_return", "cut" };

	printf("{\"name\":\"%s\",\"function\":\"%s\",\"end\":\"%s\","
	       "\"start_ns\":%" PRIu64 ",\"wall_ns\":%" PRIu64
	       ",\"on_cpu_ns\":%" PRIu64 ",\"asleep_ns\":%" PRIu64
	       ",\"runnable_ns\":%" PRIu64 ",\"stolen_ns\":%" PRIu64
	       ",\"tracer_ns\":%" PRIu64 ",\"unknown_ns\":%" PRIu64
	       ",\"faults\":%" PRIu64 ",\"fault_ns\":%" PRIu64 ",",
	       call->name, call->function ? call->function : "",
	       ends[call->end], call->begin_ns, call->wall_ns, call->on_cpu_ns,
	       call->asleep_ns, call->runnable_ns, call->stolen_ns,
	       call->tracer_ns, call->unknown_ns, call->faults, call->fault_ns);
	print_sleeps(call);
	print_functions(call);
	printf("}");
}

static void print_record(const char *name,
			 const struct ktrace_hw_record *record)
{
	printf("{\"case\":\"%s\",\"begin_ns\":%" PRIu64 ",\"wall_ns\":%" PRIu64
	       ",\"gaps\":%" PRIu64 ",\"gap_reason\":\"%s\","
	       "\"lost_records\":%" PRIu64 ",\"calls\":[",
	       name, record->begin_ns, record->wall_ns, record->gaps,
	       record->gap_reason, record->lost_records);
	for (size_t i = 0; i < record->call_count; i++) {
		printf("%s", i ? "," : "");
		print_call(&record->calls[i]);
	}
	puts("]}");
}

static void fail_library(const struct ktrace_hw *k, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, ktrace_hw_last_error(k)->text);
	exit(1);
}

static void bracket(struct ktrace_hw *k, const struct example *example,
		    const char *folder)
{
	const struct ktrace_hw_record *record;
	char path[4096];

	if (example->before)
		example->before();
	if (ktrace_hw_begin(k) != KTRACE_HW_OK)
		fail_library(k, "begin");
	example->run();
	record = ktrace_hw_end(k);
	if (!record)
		fail_library(k, "end");
	print_record(example->name, record);
	snprintf(path, sizeof(path), "%s/%s", folder, example->name);
	if (ktrace_hw_save(k, path) != KTRACE_HW_OK)
		fail_library(k, "save");
}

static struct ktrace_hw *open_library(size_t buffer_bytes)
{
	const struct ktrace_hw_options options = { .buffer_bytes =
							   buffer_bytes };
	struct ktrace_hw_error error;
	struct ktrace_hw *k = ktrace_hw_open(&options, &error);

	if (k)
		return k;
	printf("%d %s\n", (int)error.status, error.text);
	exit(1);
}

static void run_examples(const char *folder)
{
	struct ktrace_hw *k = open_library(0);

	for (size_t i = 0; i < sizeof(examples) / sizeof(*examples); i++)
		bracket(k, &examples[i], folder);
	ktrace_hw_close(k);
}

/* Twice the number found by one look, with nothing in between. */
static void run_watch(const char *folder)
{
	struct ktrace_hw *k = open_library(0);
	const struct ktrace_hw_record *record;
	const struct ktrace_hw_call *call;
	uint64_t gaps = 0;

	(void)folder;
	/* Buffers output, so that no write() is watched. */
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	if (ktrace_hw_watch(k) != KTRACE_HW_OK)
		fail_library(k, "watch");
	printf("{\"case\":\"watch\",\"calls\":[");
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < CALLS; i++)
			getppid();
		nap(MS);
		while ((call = ktrace_hw_next(k, &record))) {
			gaps += record->gaps;
			print_call(call);
			printf(",");
		}
		if (ktrace_hw_last_error(k)->status != KTRACE_HW_OK)
			fail_library(k, "next");
	}
	printf("null],\"gaps\":%" PRIu64 "}\n", gaps);
	ktrace_hw_close(k);
}

/* Writes more than the buffer holds; the next bracket is good again. */
static void run_full(const char *folder)
{
	struct ktrace_hw *k = open_library(64 << 10);

	(void)folder;
	for (int round = 0; round < 2; round++) {
		const struct ktrace_hw_record *record;

		if (ktrace_hw_begin(k) != KTRACE_HW_OK)
			fail_library(k, "begin");
		for (int i = 0; i < (round ? 1 : MANY_CALLS); i++)
			getppid();
		record = ktrace_hw_end(k);
		if (!record)
			fail_library(k, "end");
		printf("{\"case\":\"full\",\"gaps\":%" PRIu64
		       ",\"gap_reason\":\"%s\",\"calls\":%zu}\n",
		       record->gaps, record->gap_reason, record->call_count);
	}
	ktrace_hw_close(k);
}

/* Brackets that together fill the buffer several times. */
static void run_wrap(const char *folder)
{
	struct ktrace_hw *k = open_library(256 << 10);
	const struct ktrace_hw_record *record;

	(void)folder;
	for (int i = 0; i < BRACKETS; i++) {
		if (ktrace_hw_begin(k) != KTRACE_HW_OK)
			fail_library(k, "begin");
		for (int j = 0; j < READS; j++) {
			open_file();
			run_read();
		}
		record = ktrace_hw_end(k);
		if (!record)
			fail_library(k, "end");
		print_record("wrap", record);
	}
	ktrace_hw_close(k);
}

static uint64_t lost_in_bracket(struct ktrace_hw *k)
{
	const struct ktrace_hw_record *record;

	if (ktrace_hw_begin(k) != KTRACE_HW_OK)
		fail_library(k, "begin");
	getppid();
	record = ktrace_hw_end(k);
	if (!record)
		fail_library(k, "end");
	return record->lost_records;
}

static void switch_cpu(const char *state)
{
	FILE *online = fopen("/sys/devices/system/cpu/cpu1/online", "we");

	if (!online || fputs(state, online) < 0 || fclose(online))
		fail("cpu1/online");
}

/* CPU 1 is switched off and on again: its wake-ups are not recorded any more. */
static void run_hotplug(const char *folder)
{
	struct ktrace_hw *k = open_library(0);
	uint64_t before = lost_in_bracket(k);

	(void)folder;
	switch_cpu("0");
	switch_cpu("1");
	usleep(50000);
	printf("before %" PRIu64 "\n", before);
	printf("after %" PRIu64 "\n", lost_in_bracket(k));
	printf("later %" PRIu64 "\n", lost_in_bracket(k));
	ktrace_hw_close(k);
}

static void *use_elsewhere(void *k)
{
	printf("elsewhere %d\n", (int)ktrace_hw_begin(k));
	return NULL;
}

static void run_misuse(const char *folder)
{
	struct ktrace_hw *k = open_library(0);
	struct ktrace_hw_error error;
	pthread_t thread;

	(void)folder;
	printf("end %d\n", !ktrace_hw_end(k) ? ktrace_hw_last_error(k)->status :
					       KTRACE_HW_OK);
	printf("next %d\n", !ktrace_hw_next(k, NULL) ?
				    ktrace_hw_last_error(k)->status :
				    KTRACE_HW_OK);
	printf("begin %d\n", (int)ktrace_hw_begin(k));
	printf("again %d\n", (int)ktrace_hw_begin(k));
	if (pthread_create(&thread, NULL, use_elsewhere, k))
		fail("pthread_create");
	pthread_join(thread, NULL);
	printf("save %d\n", (int)ktrace_hw_save(k, "/dev/shm/saved"));
	printf("good %d\n", !ktrace_hw_end(k));
	printf("second %d\n",
	       !ktrace_hw_open(NULL, &error) ? error.status : KTRACE_HW_OK);
	ktrace_hw_close(k);
	printf("none %d %d %d\n", (int)ktrace_hw_begin(NULL),
	       !ktrace_hw_end(NULL), (int)ktrace_hw_last_error(NULL)->status);
}

static void print_status(const char *what, const struct ktrace_hw *k)
{
	printf("%s %d %s\n", what, (int)ktrace_hw_last_error(k)->status,
	       ktrace_hw_last_error(k)->text);
	fflush(stdout);
}

/* The program continues, and gets an error for each query that has no answer.
 */
static void run_orphan(const char *folder)
{
	struct ktrace_hw *k = open_library(0);
	struct ktrace_hw_error error = { 0 };

	(void)folder;
	ktrace_hw_begin(k);
	getppid();
	ktrace_hw_end(k);
	print_status("before", k);
	ktrace_hw_begin(k);
	getchar();
	ktrace_hw_end(k);
	print_status("meanwhile", k);
	ktrace_hw_begin(k);
	print_status("after", k);
	ktrace_hw_close(k);
	ktrace_hw_open(NULL, &error);
	printf("anew %d %s\n", (int)error.status, error.text);
}

static const struct {
	const char *name;
	void (*run)(const char *folder);
} parts[] = {
	{ "examples", run_examples }, { "watch", run_watch },
	{ "full", run_full },	      { "wrap", run_wrap },
	{ "misuse", run_misuse },     { "orphan", run_orphan },
	{ "hotplug", run_hotplug },
};

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	file = argv[3];
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(parts[i].name, argv[1]))
			parts[i].run(argv[2]);
	return 0;
}
