/* SPDX-License-Identifier: MIT */
/* Profiles that charge interrupt work to its beneficiaries. */
#include "attribution/events/known_events.h"
#include "report/steps/call_step.h"
#include "report/steps/task_choice.h"
#include "symbolize/symbols/symbols.h"
#include "tables/profile/beneficiary_profile_internal.h"
#include "tests/fixtures/interrupt_story.h"
#include "tests/run_suite.h"

#include <string.h>

struct fixture {
	struct interrupt_scene scene;
	struct profile_scope scope;
	struct beneficiary_profile *profile;
	struct task_groups *groups; /* or NULL */
	char text[4096];
};

/* The watching handlers keep pointers into @fixture. */
static void begin_by(struct fixture *fixture, enum group_by by)
{
	const struct step_filter choice = { 0 };

	struct profile_options options = {
		.window = TIME_WINDOW_ALL,
		.by_process = true,
		.scope = &fixture->scope,
		.recorder = "",
	};

	fixture->text[0] = '\0';
	fixture->groups = NULL;
	fixture->scene = interrupt_scene_begin();
	interrupt_scene_watch(&fixture->scene);
	options.names = fixture->scene.names;
	if (by != GROUP_BY_NOTHING)
		fixture->groups =
			task_groups_new(by, options.names, NULL, &choice);
	options.groups = fixture->groups;
	fixture->scope = (struct profile_scope){
		.kinds = fixture->scene.input.kinds,
		.shows = { [PROFILE_WORK] = true },
	};
	fixture->profile =
		beneficiary_profile_new(&fixture->scene.input, &options);
	ck_assert_ptr_nonnull(fixture->profile);
	attribution_fixture_watch(
		fixture->scene.fixture,
		beneficiary_profile_handler(fixture->profile));
}

static void begin(struct fixture *fixture)
{
	begin_by(fixture, GROUP_BY_NOTHING);
}

/* Writes one line per function: "PID function<caller<... NS ns, CALLS", "~NS"
 * if any of it is inferred.
 */
static void write_node(struct fixture *fixture, uint32_t index)
{
	const struct call_tree *tree =
		beneficiary_profile_tree(fixture->profile);
	const struct function_table *functions =
		symbols_functions(fixture->scene.symbols);
	const struct call_node *node = call_tree_at(tree, index);
	const struct call_counts calls = call_tree_calls(tree, index);
	char *text = fixture->text;
	const char *between = " ";

	if (node->parent == CALL_NODE_NONE)
		return;
	sprintf(text + strlen(text), "%d", call_tree_pid(tree, index));
	for (const struct call_node *at = node; at->parent != CALL_NODE_NONE;
	     at = call_tree_at(tree, at->parent)) {
		sprintf(text + strlen(text), "%s%s", between,
			function_at(functions, at->function)->name);
		between = "<";
	}
	sprintf(text + strlen(text), " %s%lu ns, %lu\n",
		call_tree_inferred_ns(tree, index) ? "~" : "",
		(unsigned long)node->self_ns,
		(unsigned long)call_counts_calls(&calls));
}

static const char *finish(struct fixture *fixture)
{
	const struct call_tree *tree;

	interrupt_scene_finish(&fixture->scene);
	ck_assert_int_eq(beneficiary_profile_end(fixture->profile), 0);
	tree = beneficiary_profile_tree(fixture->profile);
	for (uint32_t i = 0; i < call_tree_count(tree); i++)
		write_node(fixture, i);
	return fixture->text;
}

static void end(struct fixture *fixture)
{
	beneficiary_profile_free(fixture->profile);
	interrupt_scene_end(&fixture->scene);
	task_groups_free(fixture->groups);
}

START_TEST(an_interrupt_is_the_readers)
{
	struct fixture fixture;
	struct attribution_fixture *f;

	begin(&fixture);
	f = fixture.scene.fixture;
	starts(f, 0, 7);
	NS(100);
	IN("entry_SYSCALL_64");
	EVENT(EVENT_BIO_QUEUE, 8, 100, 8);
	NS(200);
	switch_to(f, 0, 5);
	disk_interrupt(f, 300);
	NS(400);
	ck_assert_str_eq(
		finish(&fixture),
		"7 asm_common_interrupt 15 ns, 1\n"
		"7 irq_entries_start 5 ns, 1\n"
		"7 entry_SYSCALL_64 100 ns, 1\n"
		"7 __handle_irq_event_percpu<asm_common_interrupt 10 ns, 1\n"
		"7 disk_handler<__handle_irq_event_percpu<asm_common_interrupt"
		" 20 ns, 1\n");
	ck_assert_uint_eq(
		beneficiary_profile_interrupts(fixture.profile)->exact_ns, 50);
	end(&fixture);
}
END_TEST

START_TEST(what_nobody_claims_is_of_process_0)
{
	struct fixture fixture;
	struct attribution_fixture *f;

	begin(&fixture);
	f = fixture.scene.fixture;
	starts(f, 0, 5);
	NS(100);
	IN("entry_SYSCALL_64");
	disk_interrupt(f, 300);
	NS(400);
	ck_assert_str_eq(
		finish(&fixture),
		"5 entry_SYSCALL_64 250 ns, 1\n"
		"0 asm_common_interrupt 15 ns, 1\n"
		"0 irq_entries_start 5 ns, 1\n"
		"0 __handle_irq_event_percpu<asm_common_interrupt 10 ns, 1\n"
		"0 disk_handler<__handle_irq_event_percpu<asm_common_interrupt"
		" 20 ns, 1\n");
	ck_assert_uint_eq(
		beneficiary_profile_interrupts(fixture.profile)->nobodys_ns,
		50);
	end(&fixture);
}
END_TEST

/* The only evidence is which thread it woke. */
START_TEST(what_is_inferred_is_told_by_function)
{
	struct fixture fixture;
	struct attribution_fixture *f;

	begin(&fixture);
	f = fixture.scene.fixture;
	starts(f, 0, 5);
	NS(100);
	IN("entry_SYSCALL_64");
	NS(200);
	IN("asm_common_interrupt");
	NS(220);
	EVENT(EVENT_SCHED_WAKING, 8);
	NS(230);
	OUT;
	NS(400);
	ck_assert_str_eq(finish(&fixture), "8 asm_common_interrupt ~30 ns, 1\n"
					   "5 entry_SYSCALL_64 270 ns, 1\n");
	ck_assert_uint_eq(
		beneficiary_profile_interrupts(fixture.profile)->inferred_ns,
		30);
	end(&fixture);
}
END_TEST

START_TEST(by_groups_nobodys_is_a_group)
{
	struct fixture fixture;
	struct attribution_fixture *f;

	begin_by(&fixture, GROUP_BY_COMM);
	f = fixture.scene.fixture;
	starts(f, 0, 5);
	NS(100);
	IN("entry_SYSCALL_64");
	disk_interrupt(f, 300);
	NS(400);
	ck_assert_str_eq(
		finish(&fixture),
		"-5 asm_common_interrupt 15 ns, 1\n"
		"-5 irq_entries_start 5 ns, 1\n"
		"-6 entry_SYSCALL_64 250 ns, 1\n"
		"-5 __handle_irq_event_percpu<asm_common_interrupt 10 ns, 1\n"
		"-5 disk_handler<__handle_irq_event_percpu<asm_common_interrupt"
		" 20 ns, 1\n");
	end(&fixture);
}
END_TEST

/* Passes steps on to a profile by victim. */
struct plain {
	struct event_handler handler;
	struct profile *profile;
	struct call_step last;
};

static void consume_plain(struct event_handler *handler,
			  const struct call_step *step)
{
	struct plain *plain = (struct plain *)handler;
	struct step_callback *callback = profile_callback(plain->profile);

	plain->last = *step;
	callback->consume(callback, step);
}

static void ignore(struct event_handler *handler,
		   const struct event_record *event)
{
	(void)handler;
	(void)event;
}

/* Returns how often the tree has @name. */
static uint64_t calls_of(const struct fixture *fixture,
			 const struct call_tree *tree, const char *name)
{
	const struct function_table *functions =
		symbols_functions(fixture->scene.symbols);
	uint64_t count = 0;

	for (uint32_t i = 0; i < call_tree_count(tree); i++) {
		const struct call_node *node = call_tree_at(tree, i);
		const struct call_counts calls = call_tree_calls(tree, i);

		if (node->parent != CALL_NODE_NONE &&
		    !strcmp(function_at(functions, node->function)->name, name))
			count += call_counts_calls(&calls);
	}
	return count;
}

/* The return from an interrupt, a jump from its entry, is work like the
 * interrupt itself, although the idle loop and the tracer's functions are not.
 */
START_TEST(the_end_of_an_interrupt_is_work_in_each_profile)
{
	const char *const outer[] = { "cpuidle_enter_state",
				      "perf_trace_irq_handler_entry" };
	struct fixture fixture;
	struct profile_options options = {
		.window = TIME_WINDOW_ALL,
		.scope = &fixture.scope,
		.recorder = "",
	};
	struct plain plain = { .handler = { .step = consume_plain,
					    .event = ignore } };
	struct attribution_fixture *f;

	begin(&fixture);
	f = fixture.scene.fixture;
	options.names = fixture.scene.names;
	plain.profile = profile_new(&options);
	ck_assert_ptr_nonnull(plain.profile);
	attribution_fixture_watch(f, &plain.handler);
	starts(f, 0, _i ? 5 : 0);
	NS(100);
	IN(outer[_i]);
	NS(200);
	IN("asm_common_interrupt");
	NS(220);
	jump(f, 0, "error_return");
	NS(230);
	jump(f, 0, "restore_regs_and_return_to_kernel");
	NS(240);
	OUT;
	NS(250);
	OUT;
	NS(400);
	finish(&fixture);
	ck_assert_int_eq(profile_end(plain.profile), 0);
	for (int i = 0; i < 3; i++) {
		static const char *const names[] = {
			"asm_common_interrupt",
			"error_return",
			"restore_regs_and_return_to_kernel",
		};

		ck_assert_uint_eq(calls_of(&fixture,
					   profile_tree(plain.profile),
					   names[i]),
				  1);
		ck_assert_uint_eq(
			calls_of(&fixture,
				 beneficiary_profile_tree(fixture.profile),
				 names[i]),
			1);
	}
	profile_free(plain.profile);
	end(&fixture);
}
END_TEST

/* Sends the entry of @function to both profiles, one level deeper. */
static void enter_in_both(const struct fixture *fixture, struct plain *plain,
			  uint32_t function, uint8_t how)
{
	struct event_handler *handler =
		beneficiary_profile_handler(fixture->profile);
	struct call_step step = plain->last;

	step.kind = STEP_ENTER;
	step.how = how;
	step.function = function;
	step.detail = 0;
	step.depth++;
	handler->step(handler, &step);
	consume_plain(&plain->handler, &step);
}

static uint8_t interrupt_of_last(const struct call_tree *tree)
{
	return call_tree_at(tree, call_tree_count(tree) - 1)->interrupt;
}

/* After a pause, a function may be entered by a jump that no exit goes before.
 * The interrupt that ended before is not what the jump has ended. In the second
 * run, the nodes have moved since that interrupt.
 */
START_TEST(an_entry_by_a_jump_after_a_pause_ends_no_interrupt)
{
	struct fixture fixture;
	struct profile_options options = {
		.window = TIME_WINDOW_ALL,
		.scope = &fixture.scope,
		.recorder = "",
	};
	struct plain plain = { .handler = { .step = consume_plain,
					    .event = ignore } };
	struct attribution_fixture *f;
	uint32_t function;

	begin(&fixture);
	f = fixture.scene.fixture;
	options.names = fixture.scene.names;
	plain.profile = profile_new(&options);
	ck_assert_ptr_nonnull(plain.profile);
	attribution_fixture_watch(f, &plain.handler);
	starts(f, 0, 5);
	NS(100);
	IN("vfs_read");
	IN("asm_common_interrupt");
	NS(220);
	OUT;
	function = attribution_fixture_function(f, "vfs_read");
	for (int i = 0; i < _i * 2000; i++)
		enter_in_both(&fixture, &plain, function, HOW_CALL);
	enter_in_both(&fixture, &plain, function, HOW_TAIL);
	ck_assert_uint_eq(interrupt_of_last(profile_tree(plain.profile)),
			  CALL_NO_INTERRUPT);
	ck_assert_uint_eq(
		interrupt_of_last(beneficiary_profile_tree(fixture.profile)),
		CALL_NO_INTERRUPT);
	profile_free(plain.profile);
	end(&fixture);
}
END_TEST

SUITE("beneficiary_profile")
{
	TEST(an_interrupt_is_the_readers);
	TEST(what_nobody_claims_is_of_process_0);
	TEST(what_is_inferred_is_told_by_function);
	TEST(by_groups_nobodys_is_a_group);
	TEST_TIMES(the_end_of_an_interrupt_is_work_in_each_profile, 2);
	TEST_TIMES(an_entry_by_a_jump_after_a_pause_ends_no_interrupt, 2);
}
