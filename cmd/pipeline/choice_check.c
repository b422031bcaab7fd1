/* SPDX-License-Identifier: MIT */
#include "cmd/pipeline/choice_check.h"

#include "cmd/command.h"
#include "cmd/console/console.h"
#include "cmd/pipeline/session.h"
#include "decoder/recording/recording.h"
#include "report/steps/call_stack.h"
#include "report/steps/task_choice.h"
#include "report/text/duration_text.h"

/* Returns whether @step comes from the trace. Others come from scheduler
 * records, which may start before the trace.
 */
static bool is_of_trace(const struct call_step *step)
{
	return step->kind != STEP_LEAVE && step->kind != STEP_SWITCH &&
	       (step->kind != STEP_STATE || step->detail != CPU_UNSEEN);
}

static void consume(struct step_callback *callback,
		    const struct call_step *step)
{
	struct choice_check *check = (struct choice_check *)callback;
	const struct step_filter *filter = &check->session->choice;

	if (!check->has_task)
		check->has_task = step_filter_task(filter, step->task);
	if (!check->has_cpu)
		check->has_cpu = step_filter_cpu(filter, step->cpu);
	if (step->time_ns) {
		if (!check->first_ns && is_of_trace(step))
			check->first_ns = step->time_ns;
		check->last_ns = step->time_ns;
	}
	check->next->consume(check->next, step);
}

/* Passes on a run of events that only change the time of the last call event.
 * Leaves them to consume() until that has seen a call event with a time.
 */
static uint32_t consume_plain(struct step_callback *callback,
			      const struct call_step *step,
			      struct call_stack *stack,
			      const struct function_event *events,
			      uint32_t count, struct call_times *times)
{
	struct choice_check *check = (struct choice_check *)callback;
	struct step_callback *next = check->next;
	uint32_t taken;

	if (!check->last_ns)
		return 0;
	taken = next->consume_plain(next, step, stack, events, count, times);
	if (taken)
		check->last_ns = times->last_ns;
	return taken;
}

/* Passes on a call that is open at the start. It does not show that anything
 * runs in the window.
 */
static void consume_open(struct step_callback *callback,
			 const struct call_step *step)
{
	struct choice_check *check = (struct choice_check *)callback;

	check->next->open(check->next, step);
}

static void pack(struct step_callback *callback, const struct task_pack *tasks)
{
	struct choice_check *check = (struct choice_check *)callback;

	check->next->pack(check->next, tasks);
}

static bool is_done(const struct step_callback *callback, uint64_t time_ns)
{
	const struct choice_check *check =
		(const struct choice_check *)callback;

	return check->next->is_done(check->next, time_ns);
}

static bool has_choice(const struct session *session)
{
	return step_filter_has_tasks(&session->choice) ||
	       session->choice.cpu_count ||
	       !time_window_is_all(session->window);
}

struct step_callback *choice_check_begin(struct choice_check *check,
					 const struct session *session,
					 struct step_callback *next)
{
	*check = (struct choice_check){
		.callback = {
			.consume = consume,
			.is_done = next->is_done ? is_done : NULL,
			.consume_plain = next->consume_plain ? consume_plain : NULL,
			.ignores_bounds = next->ignores_bounds,
			.ignores_cpu_order = next->ignores_cpu_order,
			.needs_begin = next->needs_begin,
			.wants_interrupts = next->wants_interrupts,
			.pack = next->pack ? pack : NULL,
			.packed_as = next->packed_as,
			.open = next->open ? consume_open : NULL,
		},
		.next = next,
		.session = session,
	};
	return has_choice(session) ? &check->callback : next;
}

static int nothing(const struct choice_check *check, const char *what)
{
	log_message(&console_log, LOG_ERROR,
		    recording_path(check->session->recording), LOG_NO_OFFSET,
		    "nothing to show: %s", what);
	return EXIT_FAILED;
}

static int outside(const struct choice_check *check)
{
	/* Decoding ends once no more call events are needed. */
	bool is_before = check->session->window.until_ns <= check->first_ns;
	uint64_t edge_ns = is_before ? check->first_ns : check->last_ns;

	nothing(check, "--since and --until exclude all of it");
	/* The first call event may only be the point where decoding ended. */
	if (is_before && edge_ns == check->session->window.until_ns)
		return EXIT_FAILED;
	say("its trace %s at %s s", is_before ? "begins" : "ends",
	    moment_text(edge_ns, check->session->origin_ns).text);
	return EXIT_FAILED;
}

/* Returns whether the trace overlaps the window. */
static bool reaches_window(const struct choice_check *check)
{
	const struct time_window *window = &check->session->window;

	return time_window_is_all(check->session->window) ||
	       (window->since_ns <= check->last_ns &&
		window->until_ns > check->first_ns);
}

bool choice_check_holds(const struct choice_check *check)
{
	return !has_choice(check->session) ||
	       (check->last_ns && check->has_task && check->has_cpu &&
		reaches_window(check));
}

int choice_check_end(const struct choice_check *check)
{
	/* A trace without any call event is reported elsewhere. */
	if (!has_choice(check->session) || !check->last_ns)
		return EXIT_OK;
	if (!check->has_task)
		return nothing(check, "none of the selected tasks ran (--pid, "
				      "--tree, --comm)");
	if (!check->has_cpu)
		return nothing(check, "it has none of the selected CPUs "
				      "(--cpu)");
	return reaches_window(check) ? EXIT_OK : outside(check);
}
