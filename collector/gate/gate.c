/* SPDX-License-Identifier: MIT */
#include "collector/gate/gate.h"

#include "collector/trigger/bpf_program.h"
#include "collector/trigger/probe_events.h"
#include "collector/trigger/trigger_program.h"
#include "collector/trigger/trigger_set.h"
#include "common/error.h"
#include "common/formats/recording_events.h"

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Kernel stacks are at most this large, and aligned to it (THREAD_SIZE). */
enum { STACK_BYTES = 16 << 10 };

enum { MARK_CALLER = PROGRAM_REPORT + (int)offsetof(struct gate_mark, caller) };

_Static_assert(sizeof(struct gate_mark) <= sizeof(struct trigger_report),
	       "a mark has a report's place on the stack");

/* Writes the mark @kind and returns 1. The mark has the caller's address, which
 * the call chain lacks; a GATE_END has 0, because its function has returned.
 */
static void finish_with_mark(struct bpf_code *code,
			     const struct trigger_maps *maps,
			     enum gate_mark_kind kind)
{
	if (kind == GATE_END)
		bpf_move_number(code, BPF_REG_1, 0);
	else
		program_load_link_register(code, BPF_REG_1);
	bpf_store(code, BPF_DW, BPF_REG_10, MARK_CALLER, BPF_REG_1);
	bpf_store_number(code, BPF_DW, BPF_REG_10, PROGRAM_REPORT,
			 (int32_t)kind);
	program_output(code, maps, sizeof(struct gate_mark));
	bpf_finish(code, 1);
}

/* Returns whether the program at a function's start reads the return address
 * from a register, which the kernel's own return probe modifies.
 */
static bool gate_program_reads_caller(void)
{
	return program_has_link_register();
}

/* Sets r2 to the current stack pointer, in r7, minus that of the noted call,
 * whose struct trigger_begin is at r0. A lower stack pointer, or one of another
 * stack such as an interrupt's, gives a large unsigned number: the current call
 * is inside of the noted one.
 */
static void stack_above_noted(struct bpf_code *code)
{
	bpf_load(code, BPF_DW, BPF_REG_1, BPF_REG_0,
		 offsetof(struct trigger_begin, stack));
	bpf_move(code, BPF_REG_2, BPF_REG_7);
	bpf_compute(code, BPF_SUB, BPF_REG_2, BPF_REG_1);
}

/* Program for the start of function number @number, if the map @chosen contains
 * it: marks the task as inside, unless the call is nested in a marked call. A
 * noted call with the same or a lower stack pointer has ended and its return
 * was missed: it is replaced.
 */
static void gate_program_begin(struct bpf_code *code,
			       const struct trigger_maps *maps, int chosen,
			       uint32_t number)
{
	size_t fresh;

	bpf_move(code, BPF_REG_6, BPF_REG_1);
	bpf_store_number(code, BPF_W, BPF_REG_10, PROGRAM_PROCESS,
			 (int32_t)number);
	program_look_up(code, chosen, PROGRAM_PROCESS);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	program_key_of_current(code);
	bpf_current_task(code, PROGRAM_PROCESS);
	program_leave_others(code, maps);
	program_load_stack_pointer(code, BPF_REG_7);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	fresh = bpf_jump_if(code, BPF_JEQ, BPF_REG_0, 0);
	stack_above_noted(code);
	bpf_leave_if(code, BPF_JGT, BPF_REG_2, STACK_BYTES);
	bpf_land(code, fresh);
	program_note_begin(code, maps->begins, BPF_REG_7);
	finish_with_mark(code, maps, GATE_BEGIN);
}

/* Program for the return: clears the task's mark, if the returning call is the
 * marked one.
 */
static void gate_program_end(struct bpf_code *code,
			     const struct trigger_maps *maps)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	program_load_stack_pointer(code, BPF_REG_7);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	stack_above_noted(code);
	bpf_leave_if(code, BPF_JGT, BPF_REG_2, STACK_BYTES);
	program_forget_key(code, maps->begins);
	finish_with_mark(code, maps, GATE_END);
}

static void mark_if_noted(struct bpf_code *code,
			  const struct trigger_maps *maps,
			  enum gate_mark_kind kind)
{
	bpf_move(code, BPF_REG_6, BPF_REG_1);
	program_key_of_current(code);
	program_look_up(code, maps->begins, PROGRAM_KEY);
	bpf_leave_if(code, BPF_JEQ, BPF_REG_0, 0);
	finish_with_mark(code, maps, kind);
}

/* gate_program_leave() appends the program that runs where a task is switched
 * out, gate_program_come() the one that runs where it is switched in. The
 * programs return 1 if the task is marked.
 */
static void gate_program_leave(struct bpf_code *code,
			       const struct trigger_maps *maps)
{
	mark_if_noted(code, maps, GATE_LEAVE);
}

static void gate_program_come(struct bpf_code *code,
			      const struct trigger_maps *maps)
{
	mark_if_noted(code, maps, GATE_COME);
}

static const char *end_line(struct gate_lines *lines, bool *is_cut)
{
	size_t length = lines->length;

	*is_cut = length >= sizeof(lines->text);
	if (*is_cut)
		length = sizeof(lines->text) - 1;
	while (length && strchr(" \t\r", lines->text[length - 1]))
		length--;
	lines->text[length] = '\0';
	lines->length = 0;
	return lines->text;
}

const char *gate_lines_next(struct gate_lines *lines, const char *bytes,
			    size_t size, size_t *at, bool *is_cut)
{
	while (*at < size) {
		char byte = bytes[(*at)++];

		if (byte == '\n')
			return end_line(lines, is_cut);
		if (lines->length < sizeof(lines->text) - 1)
			lines->text[lines->length] = byte;
		lines->length++;
	}
	return NULL;
}

/* A function that is or was chosen. Its probes remain. */
struct gate_function {
	char name[TRIGGER_NAME_SIZE];	      /* as given by the user */
	char function[TRIGGER_FUNCTION_SIZE]; /* the kernel's name */
	uint32_t number;		      /* of its probes */
	bool is_wanted; /* in the list of the last gate_prepare() */
};

/* The scheduler calls these two while perf records switches
 * (kernel/events/core.c): the first when it switches a task out, still on that
 * task's stack; the second on the stack of the next task. Both are probed.
 */
static const char leave_function[] = "__perf_event_task_sched_out";

static const char come_function[] = "__perf_event_task_sched_in";

struct gate gate_new(void)
{
	struct gate gate = {
		.set = trigger_set_new(),
		.functions = ARRAY_OF(struct gate_function),
		.chosen = -1,
	};

	gate.own.maps = gate.set.target;
	gate.own.line = -1;
	return gate;
}

void gate_free(struct gate *gate)
{
	trigger_set_free(&gate->set);
	array_free(&gate->functions);
}

/* Returns the arguments of arming for @text, which is borrowed. */
static struct trigger_arming arming_of(struct gate *gate,
				       const struct trigger_setup *setup,
				       const char *text)
{
	gate->own.spec.text = text;
	return (struct trigger_arming){ &gate->set, setup, &gate->own };
}

/* Returns the spec of the gate's marks. Their call chain identifies the open
 * functions.
 */
static struct event_spec marks(void)
{
	struct event_spec spec =
		event_spec_bpf_output(GATE_MARK_EVENT, RING_STACKS);

	spec.attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	spec.attr.exclude_callchain_user = 1;
	spec.attr.wakeup_watermark = 256 << 10;
	return spec;
}

/* Runs @code at a new probe of @function. */
static int probe(const struct trigger_arming *arming, const char *function,
		 const struct bpf_code *code, enum event_aux_action action)
{
	size_t number = arming->set->probes++;
	size_t spec;

	if (trigger_probe_kernel(arming, number, false, function) ||
	    trigger_open_probe(arming, number, false, action, &spec))
		return -1;
	return trigger_attach(arming, spec, code);
}

static int probe_switches(const struct trigger_arming *arming)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	struct bpf_code leave = { .count = 0 };
	struct bpf_code come = { .count = 0 };

	gate_program_leave(&leave, maps);
	gate_program_come(&come, maps);
	if (probe(arming, leave_function, &leave, AUX_PAUSE))
		return -1;
	return probe(arming, come_function, &come, AUX_RESUME);
}

static int open_common(const struct trigger_arming *arming)
{
	struct trigger_maps *maps = &arming->trigger->maps;

	if (trigger_target_maps(arming))
		return -ERROR_SYSTEM;
	*maps = arming->set->target;
	if (trigger_output_map(arming, marks()) ||
	    trigger_task_map(arming, &maps->begins) ||
	    trigger_forget_dead(arming, maps->begins) || probe_switches(arming))
		return -ERROR_SYSTEM;
	return 0;
}

const char *gate_list_check(const char *list)
{
	char names[GATE_LIST_SIZE];
	char *rest = names;
	const char *name;

	if ((size_t)snprintf(names, sizeof(names), "%s", list) >= sizeof(names))
		return "fewer or shorter names";
	while ((name = strsep(&rest, ",")))
		if (!trigger_name_is_function(name, strlen(name)))
			return "names of system calls or kernel functions, "
			       "separated by commas";
	return NULL;
}

static struct gate_function *find(struct gate *gate, const char *name)
{
	struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		if (!strcmp(functions[i].name, name) ||
		    !strcmp(functions[i].function, name))
			return &functions[i];
	return NULL;
}

/* Adds both probes of a function. At a function's start the kernel runs the
 * newest probe first (register_kprobe()). The order is chosen so that the
 * kernel's own part of the return probe runs before the trace resumes; or so
 * that our program runs first if it must read the caller.
 */
static int name_probes(const struct trigger_arming *arming, size_t number,
		       const char *function)
{
	const bool is_return_first = gate_program_reads_caller();

	if (trigger_probe_kernel(arming, number, is_return_first, function) ||
	    trigger_probe_kernel(arming, number, !is_return_first, function))
		return -ERROR_NOT_FOUND;
	return 0;
}

/* Opens the event at the return first, so that the end of each traced call is
 * seen.
 */
static int add_probes(const struct gate *gate,
		      const struct trigger_arming *arming,
		      struct gate_function *function)
{
	const struct trigger_maps *maps = &arming->trigger->maps;
	size_t number = arming->set->probes++;
	struct bpf_code begin = { .count = 0 };
	struct bpf_code end = { .count = 0 };
	size_t spec;

	function->number = (uint32_t)number;
	gate_program_begin(&begin, maps, gate->chosen, function->number);
	gate_program_end(&end, maps);
	if (name_probes(arming, number, function->function))
		return -ERROR_NOT_FOUND;
	if (trigger_open_probe(arming, number, true, AUX_PAUSE, &spec) ||
	    trigger_attach(arming, spec, &end) ||
	    trigger_open_probe(arming, number, false, AUX_RESUME, &spec) ||
	    trigger_attach(arming, spec, &begin))
		return -ERROR_SYSTEM;
	return 0;
}

/* Marks the function @name as wanted, and adds it if it is new. */
static int want(struct gate *gate, const struct trigger_arming *arming,
		const char *name)
{
	struct gate_function *known = find(gate, name);
	struct gate_function function = { .is_wanted = true };
	int error;

	snprintf(function.name, sizeof(function.name), "%s", name);
	if (!known && trigger_find_function(arming, name, function.function,
					    sizeof(function.function)))
		return -ERROR_NOT_FOUND;
	if (!known)
		known = find(gate, function.function);
	if (known) {
		known->is_wanted = true;
		return 0;
	}
	error = add_probes(gate, arming, &function);
	if (error)
		return error;
	known = array_add(&gate->functions);
	if (!known)
		return -ERROR_MEMORY;
	*known = function;
	return 0;
}

static int want_all(struct gate *gate, const struct trigger_arming *arming,
		    const char *list)
{
	char names[GATE_LIST_SIZE];
	char *rest = names;
	const char *name;
	int error = 0;

	snprintf(names, sizeof(names), "%s", list);
	while (!error && (name = strsep(&rest, ","))) {
		gate->own.spec.text = name;
		error = want(gate, arming, name);
	}
	gate->own.spec.text = list;
	return error;
}

/* Adds @function to the kernel's map of chosen functions if is_wanted is set,
 * otherwise removes it.
 */
static int tell(const struct gate *gate, const struct trigger_arming *arming,
		const struct gate_function *function)
{
	const uint32_t yes = 1;

	if (!function->is_wanted)
		bpf_map_forget(gate->chosen, &function->number);
	else if (bpf_map_set(gate->chosen, &function->number, &yes))
		return trigger_refuse_errno(arming, "a BPF map");
	return 0;
}

int gate_prepare(struct gate *gate, const struct trigger_setup *setup,
		 const char *list)
{
	struct trigger_arming arming = arming_of(gate, setup, list);
	struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		functions[i].is_wanted = false;
	return strcmp(list, GATE_NONE) ? want_all(gate, &arming, list) : 0;
}

int gate_choose(struct gate *gate, const struct trigger_setup *setup)
{
	struct trigger_arming arming =
		arming_of(gate, setup, gate->own.spec.text);
	const struct gate_function *functions = gate->functions.items;

	for (size_t i = 0; i < gate->functions.count; i++)
		if (tell(gate, &arming, &functions[i]))
			return -ERROR_SYSTEM;
	return 0;
}

int gate_open(struct gate *gate, const struct trigger_setup *setup,
	      const char *list, const char *line)
{
	struct trigger_arming arming = arming_of(gate, setup, list);
	int error;

	probe_events_remove();
	error = open_common(&arming);
	if (!error)
		error = trigger_process_map(&arming, &gate->chosen);
	if (!error && line)
		error = trigger_open_line(&arming, line, &gate->own.line);
	if (error)
		return -ERROR_SYSTEM;
	error = gate_prepare(gate, setup, list);
	return error ? error : gate_choose(gate, setup);
}
