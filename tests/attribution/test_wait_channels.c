/* SPDX-License-Identifier: MIT */
#include "attribution/sleeps/sleeps.h"
#include "attribution/time/wait_channels.h"
#include "report/text/task_names.h"
#include "symbolize/arch/arch.h"
#include "symbolize/functions/context_kinds.h"
#include "symbolize/functions/function_table.h"
#include "tables/text/stack_text.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 16 };

/* A kernel: names, and the addresses of some. */
static struct function_table *functions;
static struct context_kinds *kinds;
static uint32_t numbers[64];

static const struct {
	const char *name;
	uint64_t address;
} kernel[] = {
	{ "entry_SYSCALL_64", 0x100 },
	{ "pipe_read", 0x200 },
	{ "do_nanosleep", 0x1100 },
	{ "hrtimer_nanosleep", 0x300 },
	{ "schedule", 0x1200 },
	{ "__schedule", 0x1300 },
	{ "perf_trace_sched_switch", 0x400 },
	{ "_raw_spin_lock", 0x2100 },
	{ "kthread", 0x500 },
	{ "try_to_wake_up", 0x600 },
	{ "__wake_up_sync_key", 0x700 },
	{ "pipe_write", 0x800 },
	{ "asm_common_interrupt", 0x900 },
	{ "__handle_irq_event_percpu", 0xa00 },
	{ "vring_interrupt", 0xb00 },
	{ "handle_softirqs", 0xc00 },
	{ "blk_done_softirq", 0xd00 },
	{ "end_bio", 0xe00 },
	{ "perf_trace_sched_waking", 0xf00 },
	{ "odd_lock", 0x2200 },
};
enum { KERNEL = sizeof(kernel) / sizeof(*kernel) };

static void set_up(void)
{
	const char *module;

	functions = function_table_new();
	module = function_table_module(functions, "", 0);
	for (size_t i = 0; i < KERNEL; i++) {
		numbers[i] = function_table_add(functions, kernel[i].name,
						strlen(kernel[i].name), module,
						'k');
		function_table_locate(functions, numbers[i], kernel[i].address);
	}
	kinds = context_kinds_new(functions, &arch_x86_64);
}

static void tear_down(void)
{
	context_kinds_free(kinds);
	function_table_free(functions);
}

/* Reads "a;b;c", outermost first. */
static size_t read_frames(const char *text, struct path_frame *frames)
{
	char *copy = strdup(text);
	char *rest = copy;
	char *name;
	size_t count = 0;

	while ((name = strsep(&rest, ";"))) {
		size_t i = 0;

		while (i < KERNEL && strcmp(kernel[i].name, name))
			i++;
		ck_assert_msg(i < KERNEL, "no %s", name);
		frames[count++] = (struct path_frame){
			.function = numbers[i],
		};
	}
	free(copy);
	return count;
}

static const struct wait_marks marks = {
	.sched = { 0x1000, 0x2000 },
	.lock = { 0x2000, 0x3000 },
};

static const struct {
	const char *frames;
	const char *label; /* NULL: none expected */
	bool has_marks;
	size_t depth;
} sleeps[] = {
	{ "entry_SYSCALL_64;pipe_read;schedule;__schedule", "pipe_read", true,
	  4 },
	{ "entry_SYSCALL_64;hrtimer_nanosleep;do_nanosleep;schedule;__schedule",
	  "hrtimer_nanosleep", true, 5 },
	{ "pipe_read;odd_lock;schedule;__schedule", "pipe_read", true, 4 },
	/* odd_lock is not in the list of names. */
	{ "pipe_read;odd_lock;schedule;__schedule", "odd_lock", false, 4 },
	{ "hrtimer_nanosleep;do_nanosleep;schedule;__schedule",
	  "hrtimer_nanosleep", false, 4 },
	/* The functions that record the switch are not part of the stack. */
	{ "pipe_read;schedule;__schedule;perf_trace_sched_switch;"
	  "_raw_spin_lock",
	  "pipe_read", true, 3 },
	{ "kthread;schedule;__schedule", "kthread", true, 3 },
	{ "__schedule", "__schedule", true, 1 },
	{ "entry_SYSCALL_64;pipe_read", NULL, true, 0 },
};

START_TEST(labels_are_found)
{
	static const struct wait_marks none;
	struct path_frame frames[MAX_FRAMES];
	size_t count = read_frames(sleeps[_i].frames, frames);
	struct wait_channels *places = wait_channels_new(
		functions, kinds, sleeps[_i].has_marks ? &marks : &none);
	struct wait_channel place;

	ck_assert_int_eq(wait_channels_find(places, frames, count, &place),
			 sleeps[_i].label != NULL);
	if (sleeps[_i].label) {
		ck_assert_str_eq(function_at(functions,
					     frames[place.label].function)
					 ->name,
				 sleeps[_i].label);
		ck_assert_uint_eq(place.depth, sleeps[_i].depth);
	}
	wait_channels_free(places);
}
END_TEST

static const struct {
	const char *frames;
	const char *text; /* as a chain of one */
} wakes[] = {
	{ "entry_SYSCALL_64;pipe_write;__wake_up_sync_key;try_to_wake_up;"
	  "perf_trace_sched_waking",
	  "?-7 pipe_write" },
	{ "kthread;asm_common_interrupt;__handle_irq_event_percpu;"
	  "vring_interrupt;try_to_wake_up",
	  "interrupt vring_interrupt" },
	{ "asm_common_interrupt;handle_softirqs;blk_done_softirq;end_bio;"
	  "try_to_wake_up;perf_trace_sched_waking",
	  "interrupt blk_done_softirq end_bio" },
	/* An interrupt with a label of its own. */
	{ "kthread;asm_common_interrupt;pipe_write;try_to_wake_up",
	  "interrupt asm_common_interrupt pipe_write" },
	/* The interrupt of a softirq is not its handler. */
	{ "asm_common_interrupt;__handle_irq_event_percpu;vring_interrupt;"
	  "asm_common_interrupt;handle_softirqs;blk_done_softirq;"
	  "try_to_wake_up",
	  "interrupt blk_done_softirq" },
	{ "entry_SYSCALL_64;pipe_write", "?-7" },
	{ "try_to_wake_up", "?-7" },
};

START_TEST(wakers_are_named)
{
	struct path_frame frames[MAX_FRAMES];
	size_t count = read_frames(wakes[_i].frames, frames);
	struct wait_channels *places =
		wait_channels_new(functions, kinds, &marks);
	struct wakers wakers = WAKERS_NONE;
	struct task_names *names = task_names_empty();
	struct wake_source place = wait_channels_wake(places, frames, count);
	const struct waker waker = {
		.earlier = WAKER_NONE,
		.function = place.function,
		.interrupt = place.interrupt,
		.pid = 7,
		.tid = 7,
	};
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	wakers_write(&wakers, wakers_add(&wakers, &waker), functions, names,
		     out);
	fclose(out);
	ck_assert_str_eq(text, wakes[_i].text);
	task_names_close(names);
	wakers_free(&wakers);
	wait_channels_free(places);
}
END_TEST

START_TEST(long_chains_are_cut_for_people)
{
	struct wakers wakers = WAKERS_NONE;
	struct task_names *names = task_names_empty();
	struct waker waker = {
		.earlier = WAKER_NONE,
		.function = FUNCTION_UNKNOWN,
		.interrupt = FUNCTION_NONE,
	};
	char text[128] = "";
	FILE *out = fmemopen(text, sizeof(text), "w");

	for (waker.tid = 1; waker.tid <= 4; waker.tid++)
		waker.earlier = wakers_add(&wakers, &waker);
	wakers_write_any(&wakers, waker.earlier, 2, functions, names, out);
	fputs("; ", out);
	wakers_write_any(&wakers, waker.earlier, 4, functions, names, out);
	fclose(out);
	ck_assert_str_eq(text, "?-4 < ?-3 < 2 more; ?-4 < ?-3 < ?-2 < ?-1");
	task_names_close(names);
	wakers_free(&wakers);
}
END_TEST

/* Equal chains are one number, whichever task an interrupt hit. */
START_TEST(chains_are_numbers)
{
	struct wakers wakers = WAKERS_NONE;
	struct waker waker = {
		.earlier = WAKER_NONE,
		.function = numbers[1],
		.interrupt = numbers[2],
	};
	uint32_t first;
	uint32_t others[300];

	waker.tid = 1;
	first = wakers_add(&wakers, &waker);
	waker.tid = 2;
	ck_assert_uint_eq(wakers_add(&wakers, &waker), first);
	waker.interrupt = FUNCTION_NONE;
	waker.earlier = first;
	for (int i = 0; i < 300; i++) {
		waker.tid = i;
		others[i] = wakers_add(&wakers, &waker);
		ck_assert_uint_ne(others[i], first);
	}
	for (int i = 0; i < 300; i++) {
		waker.tid = i;
		ck_assert_uint_eq(wakers_add(&wakers, &waker), others[i]);
		ck_assert_int_eq(wakers_at(&wakers, others[i])->tid, i);
	}
	wakers_free(&wakers);
}
END_TEST

static const char kallsyms[] = "ffffffff81000000 T _text\n"
			       "ffffffff81d15ff0 T __sched_text_start\n"
			       "ffffffff81d15ff0 T __pfx_schedule\n"
			       "ffffffff81d1df0e T __sched_text_end\n"
			       "ffffffff81d1df10 T __lock_text_start\n"
			       "ffffffffa0000000 t __lock_text_end\t[odd]\n";

START_TEST(marks_are_found)
{
	struct kernel_range range;

	ck_assert(kernel_range_find(kallsyms, sizeof(kallsyms) - 1, "sched",
				    &range));
	ck_assert_uint_eq(range.start, 0xffffffff81d15ff0);
	ck_assert_uint_eq(range.end, 0xffffffff81d1df0e);
	ck_assert(!kernel_range_find(kallsyms, sizeof(kallsyms) - 1, "lock",
				     &range));
	ck_assert_uint_eq(range.end, 0);
}
END_TEST

SUITE("wait_channels")
{
	FIXTURE(set_up, tear_down);
	TEST_EACH(labels_are_found, sleeps);
	TEST_EACH(wakers_are_named, wakes);
	TEST(long_chains_are_cut_for_people);
	TEST(chains_are_numbers);
	TEST(marks_are_found);
}
