/* SPDX-License-Identifier: MIT */
#include "selftest/programs.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MS = 1000000, PAGES = 256, SLEEPS = 20 };

/* A counter of the kernel's transitions to user space. Intel: event 0xc4, unit
 * mask 0x40, BR_INST_RETIRED.FAR_BRANCH (SDM volume 3, "Performance Monitoring
 * Events"). Arm: event 0x0a, EXC_RETURN (Arm Architecture Reference Manual,
 * "The PMU event number space and common events").
 */
#if defined(__x86_64__)
enum { EVENT_TRANSITIONS = 0x40c4 };
#else
enum { EVENT_TRANSITIONS = 0x0a };
#endif

static void mark(void)
{
	sched_get_priority_max(SCHED_OTHER);
}

static void call(unsigned count)
{
	while (count--)
		syscall(SYS_getppid);
}

static void sleep_ms(long ms)
{
	const struct timespec time = { 0, ms * MS };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static uint64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static struct rusage usage(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage;
}

/* Touches pages that are new to this process. Returns the number of page
 * faults, or -1.
 */
static long fault(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *bytes = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct rusage before, after;

	if (bytes == MAP_FAILED)
		return -1;
	madvise(bytes, PAGES * page, MADV_NOHUGEPAGE);
	usage();
	mark();
	before = usage();
	for (size_t i = 0; i < PAGES; i++)
		((volatile char *)bytes)[i * page] = 1;
	after = usage();
	mark();
	munmap(bytes, PAGES * page);
	return after.ru_minflt + after.ru_majflt - before.ru_minflt -
	       before.ru_majflt;
}

static long switches(void)
{
	struct rusage before, after;

	mark();
	before = usage();
	for (int i = 0; i < SLEEPS; i++)
		sleep_ms(1);
	after = usage();
	mark();
	return after.ru_nvcsw + after.ru_nivcsw - before.ru_nvcsw -
	       before.ru_nivcsw;
}

/* Returns how often all CPUs together entered the deepest idle state since
 * boot, and its name in @name; "" if there is no idle state.
 */
static uint64_t idle_entries(char name[32])
{
	uint64_t entries = 0;

	*name = '\0';
	for (int state = 9; state > 0 && !*name; state--) {
		for (int cpu = 0; cpu < 1024; cpu++) {
			char path[128];
			uint64_t usage;
			FILE *file;

			snprintf(path, sizeof(path),
				 "/sys/devices/system/cpu/cpu%d/cpuidle/"
				 "state%d/usage",
				 cpu, state);
			file = fopen(path, "re");
			if (!file)
				break;
			if (fscanf(file, "%" SCNu64, &usage) == 1)
				entries += usage;
			fclose(file);
			snprintf(name, 32, "state%d", state);
		}
	}
	return entries;
}

/* Opens a disabled counter of this thread in the kernel. Returns -errno if the
 * kernel refuses it.
 */
static int open_counter(uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = 1,
		.exclude_user = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1,
			      PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Prints a counter, unless the kernel ran it only a part of the time; or why it
 * could not be opened.
 */
static void print_counter(const char *key, int fd)
{
	uint64_t value[3];

	if (fd < 0)
		printf("%s %d\n", key, fd);
	else if (read(fd, value, sizeof(value)) == sizeof(value) && value[0] &&
		 value[1] == value[2])
		printf("%s %" PRIu64 "\n", key, value[0]);
}

/* The events that the PMU counts, by the keys of programs.h. */
static const struct {
	const char *key;
	uint32_t type;
	uint64_t config;
} counters[] = {
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "transitions", PERF_TYPE_RAW, EVENT_TRANSITIONS },
};

enum { COUNTERS = sizeof(counters) / sizeof(*counters) };

static void open_counters(int fds[COUNTERS])
{
	for (int i = 0; i < COUNTERS; i++)
		fds[i] = open_counter(counters[i].type, counters[i].config);
}

/* The last two prctl() calls of the program enclose the counted work. */
static void count(const int fds[COUNTERS])
{
	mark();
	prctl(PR_TASK_PERF_EVENTS_ENABLE);
	call(PROGRAM_COUNTED_CALLS);
	prctl(PR_TASK_PERF_EVENTS_DISABLE);
	for (int i = 0; i < COUNTERS; i++)
		print_counter(counters[i].key, fds[i]);
}

static void compare_clocks(void)
{
	uint64_t times_ns[PROGRAM_CLOCK_MARKS][2];

	for (int i = 0; i < PROGRAM_CLOCK_MARKS; i++) {
		if (i % 10 == 5)
			sleep_ms(5);
		times_ns[i][0] = raw_ns();
		mark();
		times_ns[i][1] = raw_ns();
	}
	for (int i = 0; i < PROGRAM_CLOCK_MARKS; i++)
		printf("raw %" PRIu64 " %" PRIu64 "\n", times_ns[i][0],
		       times_ns[i][1]);
}

/* Prints the process, for programs that have only one. */
static void print_pid(void)
{
	printf("pid %d\n", getpid());
}

static int run_calls(void)
{
	char state[32];
	uint64_t idle = idle_entries(state);
	int fds[COUNTERS];

	open_counters(fds);
	print_pid();
	mark();
	call(PROGRAM_CALLS);
	printf("calls %d\n", PROGRAM_CALLS + PROGRAM_COUNTED_CALLS);
	printf("faults %ld\n", fault());
	printf("switches %ld\n", switches());
	count(fds);
	compare_clocks();
	if (*state)
		printf("idle %" PRIu64 " %s\n", idle_entries(state) - idle,
		       state);
	return 0;
}

/* Does only the first part of run_calls(). */
static int run_short(void)
{
	print_pid();
	mark();
	call(PROGRAM_CALLS);
	mark();
	printf("calls %d\n", PROGRAM_CALLS);
	return 0;
}

static int run_cpus(void)
{
	cpu_set_t all;
	unsigned calls = 10;

	print_pid();
	if (sched_getaffinity(0, sizeof(all), &all))
		return 1;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpu_set_t one;

		if (!CPU_ISSET(cpu, &all))
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		if (sched_setaffinity(0, sizeof(one), &one))
			continue;
		call(++calls);
		printf("cpu %d %u\n", cpu, calls);
	}
	return 0;
}

/* Calls getppid() in two processes for each CPU. */
static int run_load(void)
{
	long processes = 2 * sysconf(_SC_NPROCESSORS_ONLN);

	printf("calls %ld\n", processes * PROGRAM_LOAD_CALLS);
	fflush(stdout);
	for (long i = 0; i < processes; i++) {
		if (!fork()) {
			call(PROGRAM_LOAD_CALLS);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}

/* Returns whether the sleep took longer than the trigger's limit. */
static int is_long_sleep(int time_ms)
{
	uint64_t before_ns = raw_ns();

	sleep_ms(time_ms);
	return raw_ns() - before_ns >= PROGRAM_TRIGGER_MS * UINT64_C(1000000);
}

/* One sleep is longer than the trigger's limit; on a busy machine others may
 * be, too.
 */
static int run_trigger(void)
{
	int count = 0;

	print_pid();
	for (int i = 0; i < 5; i++)
		count += is_long_sleep(1);
	count += is_long_sleep(PROGRAM_LONG_SLEEP_MS);
	for (int i = 0; i < 5; i++)
		count += is_long_sleep(1);
	printf("sleeps %d\n", count);
	return 0;
}

/* Stops itself first: trial_record() continues it once the recorder is ready. */
static int run_batches(void)
{
	raise(SIGSTOP);
	for (unsigned i = 1; i <= PROGRAM_BATCHES; i++) {
		call(i);
		mark();
		sleep_ms(30);
	}
	printf("batches %d\n", PROGRAM_BATCHES);
	return 0;
}

static bool set_online(int cpu, bool is_online)
{
	char path[64];
	FILE *file;
	bool is_set;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online",
		 cpu);
	file = fopen(path, "we");
	if (!file)
		return false;
	fprintf(file, "%d\n", is_online);
	is_set = !ferror(file);
	return !fclose(file) && is_set;
}

/* Lets this process run on all its CPUs except @cpu. */
static void leave_cpu(int cpu)
{
	cpu_set_t cpus;

	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return;
	CPU_CLR(cpu, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

/* Switches the last CPU off and on. The kernel closes its events there, and the
 * program cannot know when record has opened them again, so it does not return.
 */
static int run_hotplug(void)
{
	int cpu = (int)sysconf(_SC_NPROCESSORS_CONF) - 1;

	print_pid();
	call(PROGRAM_CALLS);
	if (!set_online(cpu, false)) {
		printf("refused %d\n", cpu);
		return 0;
	}
	call(PROGRAM_CALLS);
	leave_cpu(cpu);
	set_online(cpu, true);
	call(PROGRAM_CALLS);
	printf("calls %d\n", 3 * PROGRAM_CALLS);
	return 0;
}

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
	{ "calls", run_calls },	    { "short", run_short },
	{ "cpus", run_cpus },	    { "load", run_load },
	{ "trigger", run_trigger }, { "batches", run_batches },
	{ "hotplug", run_hotplug },
};

int selftest_program(const char *name)
{
	prctl(PR_SET_NAME, SELFTEST_COMM);
	for (size_t i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		if (!strcmp(programs[i].name, name))
			return programs[i].run();
	return 2;
}
