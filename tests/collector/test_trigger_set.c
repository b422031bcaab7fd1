/* SPDX-License-Identifier: MIT */
/* Triggers whose arming fails in the middle. The linker replaces the calls of
 * the kernel's BPF by __wrap_*(), of which one fails.
 */
#include "collector/trigger/trigger_set.h"

#include "collector/events/event_list.h"
#include "collector/trigger/bpf_program.h"
#include "collector/trigger/probe_events.h"
#include "tests/fixtures/log.h"
#include "tests/run_suite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>

enum { PROCESS_COUNT = 2 };

static char logged[LOG_FIXTURE_TEXT];
static const struct log log_kept = { log_fixture_keep, logged };

static struct event_list events;
static int failing;	 /* the index of the call that fails; -1: none */
static int calls;	 /* of BPF so far */
static int last_map;	 /* the map of the last bpf_map_set() */
static int sets;	 /* in a row of last_map that succeeded */
static bool sees_forks;	 /* a program runs at each fork */
static bool sees_deaths; /* a program runs at each death of a task */

int __wrap_bpf_map_new(enum bpf_map_type type, size_t key_bytes,
		       size_t value_bytes, size_t entries);
int __wrap_bpf_map_set(int map, const void *key, const void *value);
int __wrap_bpf_program_load(enum bpf_prog_type type,
			    const struct bpf_code *code, char *why,
			    size_t size);
int __wrap_bpf_raw_tracepoint_open(const char *name, int program);
void __wrap_probe_events_remove(void);

/* Returns a descriptor, or -1 if it is the turn of the failing call. */
static int call(void)
{
	errno = ENOMEM;
	return calls++ == failing ? -1 : open("/dev/null", O_RDONLY);
}

int __wrap_bpf_map_new(enum bpf_map_type type, size_t key_bytes,
		       size_t value_bytes, size_t entries)
{
	(void)type, (void)key_bytes, (void)value_bytes, (void)entries;
	return call();
}

int __wrap_bpf_map_set(int map, const void *key, const void *value)
{
	(void)key, (void)value;
	sets = map == last_map ? sets : 0;
	last_map = map;
	errno = ENOMEM;
	if (calls++ == failing)
		return -1;
	sets++;
	return 0;
}

int __wrap_bpf_program_load(enum bpf_prog_type type,
			    const struct bpf_code *code, char *why, size_t size)
{
	(void)type, (void)code, (void)size;
	*why = '\0';
	return call();
}

int __wrap_bpf_raw_tracepoint_open(const char *name, int program)
{
	int link = call();

	(void)program;
	sees_forks |= link >= 0 && !strcmp(name, "sched_process_fork");
	sees_deaths |= link >= 0 && !strcmp(name, "sched_process_free");
	return link;
}

void __wrap_probe_events_remove(void)
{
}

static int open_nothing(void *context, size_t spec)
{
	(void)context, (void)spec;
	return 0;
}

static const int cpus[] = { 0 };
static const pid_t processes[PROCESS_COUNT] = { 7, 8 };

static const struct trigger_setup setup = {
	.events = &events,
	.open = open_nothing,
	.cpus = cpus,
	.cpu_count = 1,
	.processes = processes,
	.process_count = PROCESS_COUNT,
	.option = "--trigger",
	.sequel = "",
	.log = &log_kept,
};

static void set_up(void)
{
	events = event_list_new();
	logged[0] = '\0';
	failing = -1;
	calls = 0;
	last_map = -1;
	sets = 0;
	sees_forks = false;
	sees_deaths = false;
}

static void tear_down(void)
{
	event_list_free(&events);
}

/* The filter of processes takes so many calls: two maps, the processes, and
 * loading and attaching two programs.
 */
enum { FILTER_CALLS = 2 + PROCESS_COUNT + 2 * 2 };

/* The first trigger fails at any call that makes the filter of processes. */
START_TEST(a_trigger_after_a_refused_one_has_a_whole_filter)
{
	static const char *const texts[] = { "signal:SEGV", "signal:BUS" };
	struct trigger_set set = trigger_set_new();
	const struct trigger *triggers;

	failing = _i;
	ck_assert_int_eq(trigger_set_arm(&set, &setup, texts, 2), 0);
	triggers = set.triggers.items;
	ck_assert_uint_eq(set.triggers.count, 2);
	ck_assert_uint_eq(set.armed, 1);
	ck_assert_ptr_nonnull(strstr(logged, "SEGV"));
	ck_assert(!triggers[0].has_events);
	ck_assert(triggers[1].has_events);
	ck_assert_int_eq(last_map, triggers[1].maps.seeds);
	ck_assert_int_eq(sets, PROCESS_COUNT);
	ck_assert(triggers[1].maps.members >= 0);
	ck_assert(sees_forks);
	ck_assert(sees_deaths);
	trigger_set_free(&set);
}
END_TEST

START_TEST(a_program_without_an_event_is_refused_with_the_reason)
{
	struct trigger_set set = trigger_set_new();
	struct trigger trigger = { .spec = { .text = "" }, .line = -1 };
	const struct trigger_arming arming = { &set, &setup, &trigger };
	const struct bpf_code code = { .count = 0 };

	ck_assert_int_eq(trigger_attach(&arming, 0, &code), -1);
	ck_assert_ptr_nonnull(strstr(logged, strerror(ENOENT)));
	trigger_set_free(&set);
}
END_TEST

SUITE("trigger_set")
{
	FIXTURE(set_up, tear_down);
	TEST_TIMES(a_trigger_after_a_refused_one_has_a_whole_filter,
		   FILTER_CALLS);
	TEST(a_program_without_an_event_is_refused_with_the_reason);
}
