/* SPDX-License-Identifier: MIT */
/* Reads function_graph data of a trace.dat as function events. */
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording/tracepoint.h"
#include "decoder/recording_open.h"
#include "symbolize/events/function_event.h"
#include "symbolize/events/graph_events.h"
#include "symbolize/events/graph_tasks.h"
#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"
#include "tests/fixtures/trace_dat.h"
#include "tests/run_suite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct made_trace_dat dat;
static struct byte_buffer file;
static bool has_functions; /* of the file that was read last */
static char text[4096];

static void set_up(void)
{
	dat = (struct made_trace_dat){ 0 };
	file = (struct byte_buffer){ 0 };
	text[0] = '\0';
	made_page(&dat, 1000, 0);
}

static void tear_down(void)
{
	made_trace_dat_free(&dat);
	byte_buffer_free(&file);
}

static void say(const char *word, const char *name)
{
	size_t used = strlen(text);

	snprintf(text + used, sizeof(text) - used, "%s%s%s%s", used ? "; " : "",
		 word, *name ? " " : "", name);
}

static void say_event(const struct function_event *event,
		      const struct function_table *functions)
{
	char number[32];

	if (event->kind == FUNCTION_SWITCH) {
		snprintf(number, sizeof(number), "%d",
			 function_event_tid(event));
		say("switch", number);
	} else if (event->kind == FUNCTION_GAP || event->kind == FUNCTION_END ||
		   event->kind == FUNCTION_TRACE_STOP) {
		say(function_event_text(event->kind), "");
	} else {
		say(function_event_text(event->kind),
		    function_at(functions, event->function)->name);
	}
}

static void say_stream(const struct recording *recording,
		       const struct symbols *symbols)
{
	struct graph_tasks *tasks = graph_tasks_new(recording, symbols);
	struct graph_events *events;
	const struct function_event *batch;
	uint64_t last_ns = 0;
	int count;

	ck_assert_ptr_nonnull(tasks);
	ck_assert_int_eq(graph_events_open(recording,
					   recording_stream(recording, 0),
					   symbols, tasks, &events),
			 0);
	while ((count = graph_events_next(events, &batch)) > 0)
		for (int i = 0; i < count; i++) {
			ck_assert_uint_ge(batch[i].time_ns, last_ns);
			last_ns = batch[i].time_ns;
			say_event(&batch[i], symbols_functions(symbols));
		}
	ck_assert_int_eq(count, 0);
	graph_events_close(events);
	graph_tasks_free(tasks);
}

/* Reads the file's first @size bytes. Returns the result of opening it. */
static int read_bytes(size_t size)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct recording *recording;
	struct symbols *symbols;
	char path[64];
	int error;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, file.bytes, size), (ssize_t)size);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	error = recording_open(path, NULL, &recording);
	close(fd);
	if (error)
		return error;
	ck_assert_int_eq(recording_trace(recording),
			 RECORDING_TRACE_FUNCTION_GRAPH);
	has_functions = recording_graph_trace(recording)->has_functions;
	ck_assert_int_eq(symbols_open(recording, NULL, 1, &symbols), 0);
	if (recording_stream_count(recording))
		say_stream(recording, symbols);
	symbols_close(symbols);
	recording_close(recording);
	return 0;
}

static void expect(const char *wanted)
{
	made_file(&dat, &file);
	ck_assert_int_eq(read_bytes(file.size), 0);
	ck_assert_str_eq(text, wanted);
}

static void add_call(void)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_enter(&dat, 7, MADE_SYS_READ, 1);
	made_exit(&dat, 7, MADE_SYS_READ, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
}

#define CALL \
	"start entry_SYSCALL_64; call x64_sys_call; " \
	"call __x64_sys_read; return x64_sys_call; stop"

START_TEST(system_calls_have_their_entries)
{
	add_call();
	add_call();
	expect(CALL "; " CALL "; end");
}
END_TEST

/* Adds a function without calls. */
static void add_leaf(enum made_function function, int32_t depth)
{
	made_enter(&dat, 7, function, depth);
	made_exit(&dat, 7, function, depth);
}

START_TEST(interrupts_are_on_top_of_the_interrupted_code)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	add_leaf(MADE_IRQ_ENTER, 1);
	add_leaf(MADE_SYSVEC, 1);
	add_leaf(MADE_IRQ_EXIT, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "break asm_sysvec_apic_timer_interrupt; "
	       "call irq_enter_rcu; return asm_sysvec_apic_timer_interrupt; "
	       "call __sysvec_apic_timer_interrupt; "
	       "return asm_sysvec_apic_timer_interrupt; call irq_exit_rcu; "
	       "return asm_sysvec_apic_timer_interrupt; "
	       "break-return x64_sys_call; stop; end");
}
END_TEST

/* An interrupt between two functions of a page fault, whose entry and exit the
 * tracer does not see: at @depth 1 the interrupt hit the tracer.
 */
static void add_fault_interrupted(int32_t depth)
{
	add_leaf(MADE_LOCK_VMA, 0);
	dat.time_ns += 100000;
	add_leaf(MADE_IRQ_ENTER, depth);
	add_leaf(MADE_SYSVEC, depth);
	add_leaf(MADE_IRQ_EXIT, depth);
	add_leaf(MADE_HANDLE_FAULT, 0);
}

#define FAULT_BEGINS \
	"start asm_exc_page_fault; call lock_vma_under_rcu; " \
	"return asm_exc_page_fault; "
#define FAULT_GOES_ON \
	"break asm_sysvec_apic_timer_interrupt; call irq_enter_rcu; " \
	"return asm_sysvec_apic_timer_interrupt; " \
	"call __sysvec_apic_timer_interrupt; " \
	"return asm_sysvec_apic_timer_interrupt; call irq_exit_rcu; " \
	"return asm_sysvec_apic_timer_interrupt; " \
	"break-return asm_exc_page_fault; " \
	"call handle_mm_fault; stop"

START_TEST(an_interrupted_fault_is_one)
{
	add_fault_interrupted(0);
	expect(FAULT_BEGINS FAULT_GOES_ON "; end");
}
END_TEST

START_TEST(a_fault_whose_tracer_is_interrupted_is_one)
{
	add_fault_interrupted(1);
	expect(FAULT_BEGINS "start asm_exc_page_fault; " FAULT_GOES_ON "; end");
}
END_TEST

/* Before Linux 6.4 this function alone starts a fault; the next instruction may
 * fault at once.
 */
static void add_old_fault(void)
{
	add_leaf(MADE_LOCK_MM, 0);
	add_leaf(MADE_HANDLE_FAULT, 0);
	add_leaf(MADE_LAST_WAY_OUT, 0);
}

#define OLD_FAULT \
	"start asm_exc_page_fault; call lock_mm_and_find_vma; " \
	"return asm_exc_page_fault; call handle_mm_fault; " \
	"return asm_exc_page_fault; call exit_to_user_mode_prepare; stop"

START_TEST(a_fault_right_after_another_is_its_own)
{
	add_old_fault();
	add_old_fault();
	expect(OLD_FAULT "; " OLD_FAULT "; end");
}
END_TEST

/* An interrupt between the functions of a system call's exit code is part of
 * that code, however long it takes; if none of those functions follows it, it
 * came from user space.
 */
static void add_way_out_interrupted(enum made_function next)
{
	add_call();
	add_leaf(MADE_IRQ_ENTER, 0);
	add_leaf(MADE_SYSVEC, 0);
	dat.time_ns += 100000;
	add_leaf(MADE_IRQ_EXIT, 0);
	add_leaf(next, 0);
}

#define CALL_BEGINS \
	"start entry_SYSCALL_64; call x64_sys_call; " \
	"call __x64_sys_read; return x64_sys_call; "

START_TEST(an_interrupted_way_out_is_the_calls)
{
	add_way_out_interrupted(MADE_CALL_WAY_OUT);
	expect(CALL_BEGINS
	       "return entry_SYSCALL_64; "
	       "break asm_sysvec_apic_timer_interrupt; call irq_enter_rcu; "
	       "return asm_sysvec_apic_timer_interrupt; "
	       "call __sysvec_apic_timer_interrupt; "
	       "return asm_sysvec_apic_timer_interrupt; call irq_exit_rcu; "
	       "return asm_sysvec_apic_timer_interrupt; "
	       "break-return entry_SYSCALL_64; "
	       "call syscall_exit_to_user_mode_prepare; stop; end");
}
END_TEST

START_TEST(an_interrupt_after_a_call_is_its_own)
{
	add_way_out_interrupted(MADE_SCHEDULE);
	expect(CALL "; start asm_sysvec_apic_timer_interrupt; "
		    "call irq_enter_rcu; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call __sysvec_apic_timer_interrupt; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call irq_exit_rcu; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call schedule; stop; end");
}
END_TEST

START_TEST(an_interrupt_without_end_is_over_at_the_next_call)
{
	add_leaf(MADE_LOCK_VMA, 0);
	add_leaf(MADE_IRQ_ENTER, 0);
	add_call();
	expect(FAULT_BEGINS "break irq_enter_rcu; call irq_enter_rcu; "
			    "return irq_enter_rcu; " CALL "; end");
}
END_TEST

START_TEST(the_way_out_of_an_interrupt_is_the_interrupts)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	add_leaf(MADE_IRQ_ENTER, 1);
	add_leaf(MADE_IRQ_EXIT, 1);
	add_leaf(MADE_IRQ_RESCHED, 1);
	add_leaf(MADE_VFS_READ, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "break irq_enter_rcu; call irq_enter_rcu; return irq_enter_rcu; "
	       "call irq_exit_rcu; return irq_enter_rcu; "
	       "call raw_irqentry_exit_cond_resched; return irq_enter_rcu; "
	       "break-return x64_sys_call; "
	       "call vfs_read; return x64_sys_call; stop; end");
}
END_TEST

START_TEST(a_clone_is_a_function_of_its_own)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_enter(&dat, 7, MADE_VFS_READ, 1);
	made_enter(&dat, 7, MADE_VFS_READ_PART, 2);
	made_exit(&dat, 7, MADE_VFS_READ_PART, 2);
	made_exit(&dat, 7, MADE_VFS_READ, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "call vfs_read; call vfs_read.part.0; return vfs_read; "
	       "return x64_sys_call; stop; end");
}
END_TEST

/* The second task was asleep before it was traced. */
START_TEST(tasks_change_where_the_next_one_begins)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_enter(&dat, 7, MADE_SCHEDULE, 1);
	made_switch(&dat, 7, 8);
	made_enter(&dat, 8, MADE_FINISH_SWITCH, 0);
	made_exit(&dat, 8, MADE_FINISH_SWITCH, 0);
	made_switch(&dat, 8, 7);
	made_exit(&dat, 7, MADE_SCHEDULE, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "call schedule; switch 8; start [unknown]; "
	       "call finish_task_switch.isra.0; return [unknown]; switch 7; "
	       "return x64_sys_call; stop; end");
}
END_TEST

/* A task that is not traced ran in between. */
START_TEST(untraced_time_is_a_pause)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_enter(&dat, 7, MADE_SCHEDULE, 1);
	made_switch(&dat, 7, 9);
	made_switch(&dat, 9, 7);
	made_exit(&dat, 7, MADE_SCHEDULE, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "call schedule; stop; switch 9; switch 7; "
	       "start schedule; return x64_sys_call; stop; end");
}
END_TEST

/* The clock is slow: between two functions, far more time passes than usual. */
START_TEST(an_interrupt_is_whole_however_long_it_takes)
{
	add_call();
	made_page(&dat, 500000, 0);
	add_leaf(MADE_IRQ_ENTER, 0);
	made_page(&dat, 600000, 0);
	add_leaf(MADE_SYSVEC, 0);
	made_page(&dat, 700000, 0);
	add_leaf(MADE_IRQ_EXIT, 0);
	made_page(&dat, 800000, 0);
	made_enter(&dat, 7, MADE_SCHEDULE, 0);
	made_exit(&dat, 7, MADE_SCHEDULE, 0);
	made_page(&dat, 900000, 0);
	add_call();
	expect(CALL "; start asm_sysvec_apic_timer_interrupt; "
		    "call irq_enter_rcu; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call __sysvec_apic_timer_interrupt; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call irq_exit_rcu; "
		    "return asm_sysvec_apic_timer_interrupt; "
		    "call schedule; stop; " CALL "; end");
}
END_TEST

/* The interrupt hit exit code, but of an unknown entry. */
START_TEST(a_way_out_of_nothing_is_unknown)
{
	add_call();
	made_page(&dat, 1, 1);
	add_leaf(MADE_SCHEDULE, 0);
	expect(CALL "; gap; start [unknown]; call schedule; stop; end");
}
END_TEST

START_TEST(losses_are_gaps)
{
	made_enter(&dat, 7, MADE_X64_SYS_CALL, 0);
	made_enter(&dat, 7, MADE_SYS_READ, 1);
	made_page(&dat, 5000, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	add_call();
	expect("start entry_SYSCALL_64; call x64_sys_call; "
	       "call __x64_sys_read; gap; start x64_sys_call; "
	       "stop; " CALL "; end");
}
END_TEST

/* Exits of functions that were entered during a loss: no entries are invented.
 */
START_TEST(unseen_begins_are_unknown)
{
	made_page(&dat, 5000, 1);
	made_exit(&dat, 7, MADE_VFS_READ, 2);
	made_exit(&dat, 7, MADE_SYS_READ, 1);
	made_exit(&dat, 7, MADE_X64_SYS_CALL, 0);
	add_call();
	made_file(&dat, &file);
	ck_assert_int_eq(read_bytes(file.size), 0);
	ck_assert_ptr_nonnull(strstr(text, "gap; start [unknown]"));
	ck_assert_ptr_nonnull(strstr(text, CALL "; end"));
}
END_TEST

/* trace-cmd record -e sched describes function_graph's events, too. */
START_TEST(switches_alone_are_no_functions)
{
	made_page(&dat, 1000, 0);
	made_switch(&dat, 7, 8);
	made_switch(&dat, 8, 7);
	made_file(&dat, &file);
	ck_assert_int_eq(read_bytes(file.size), 0);
	ck_assert(!has_functions);
	add_call();
	file.size = 0;
	made_file(&dat, &file);
	ck_assert_int_eq(read_bytes(file.size), 0);
	ck_assert(has_functions);
}
END_TEST

START_TEST(a_damaged_page_is_a_gap)
{
	uint32_t most = UINT32_MAX >> 5;

	add_call();
	made_page(&dat, 5000, 0);
	memcpy(dat.pages.bytes + dat.page + 8, &most, sizeof(most));
	made_page(&dat, 6000, 0);
	add_call();
	expect(CALL "; gap; " CALL "; end");
}
END_TEST

/* Wherever it is cut: an error if the head is incomplete, otherwise the
 * complete records.
 */
START_TEST(a_cut_file_is_refused_or_read)
{
	bool opens = false;

	add_call();
	made_file(&dat, &file);
	for (size_t size = 0; size < file.size; size += 61) {
		bool is_read = !read_bytes(size);

		ck_assert(is_read || !opens);
		opens = is_read;
		ck_assert_str_eq(text, "");
	}
	ck_assert(opens);
}
END_TEST

START_TEST(other_versions_and_clocks_are_refused)
{
	add_call();
	made_file(&dat, &file);
	file.bytes[10] = '8';
	ck_assert_int_eq(read_bytes(file.size), -ERROR_FORMAT);
}
END_TEST

SUITE("trace_dat")
{
	FIXTURE(set_up, tear_down);
	TEST(system_calls_have_their_entries);
	TEST(interrupts_are_on_top_of_the_interrupted_code);
	TEST(an_interrupted_fault_is_one);
	TEST(a_fault_whose_tracer_is_interrupted_is_one);
	TEST(a_fault_right_after_another_is_its_own);
	TEST(an_interrupted_way_out_is_the_calls);
	TEST(an_interrupt_after_a_call_is_its_own);
	TEST(an_interrupt_without_end_is_over_at_the_next_call);
	TEST(the_way_out_of_an_interrupt_is_the_interrupts);
	TEST(a_clone_is_a_function_of_its_own);
	TEST(tasks_change_where_the_next_one_begins);
	TEST(untraced_time_is_a_pause);
	TEST(an_interrupt_is_whole_however_long_it_takes);
	TEST(a_way_out_of_nothing_is_unknown);
	TEST(losses_are_gaps);
	TEST(unseen_begins_are_unknown);
	TEST(switches_alone_are_no_functions);
	TEST(a_damaged_page_is_a_gap);
	TEST(a_cut_file_is_refused_or_read);
	TEST(other_versions_and_clocks_are_refused);
}
