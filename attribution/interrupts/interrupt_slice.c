/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_slice.h"

#include "common/bytes.h"
#include "report/steps/call_step.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

/* Two parts: a slice with the evidence of its owner, and the stacks of open
 * slices of each task.
 *
 * Evidence arrives while a slice is open, in any order. When it ends, judge()
 * makes the shares of its time in the order given in the header, and resolves
 * an owner that waits for the effects of this slice. The shares also count for
 * the slice around it (tell_around()). A slice without evidence, but with work
 * that it started, has an open owner (owners_internal.h), which that work
 * resolves.
 */

struct interrupt_slice interrupt_slice_of(enum interrupt_kind kind,
					  enum interrupt_role role)
{
	return (struct interrupt_slice){
		.kind = (uint8_t)kind,
		.role = (uint8_t)role,
		.irq = -1,
		.parts = ARRAY_OF(struct owner_share),
		.effects = ARRAY_OF(struct owner_share),
		.woken = ARRAY_OF(struct owner_share),
		.causes = ARRAY_OF(struct owner *),
		.times = ARRAY_OF(struct time_window),
		.expected = FUNCTION_NONE,
	};
}

/* Returns an owner that passes all charges on to the owner of @slice, as
 * inferred.
 */
static struct owner *inferred_owner(struct owners *owners,
				    struct interrupt_slice *slice)
{
	if (slice->inferred)
		return slice->inferred;
	slice->inferred = owner_open(owners);
	owner_resolve_to(owners, slice->inferred, slice->owner,
			 slice->owner_certainty);
	return slice->inferred;
}

struct owner *interrupt_slice_owner(struct owners *owners,
				    struct interrupt_slice *slice)
{
	if (slice->owner && slice->owner_certainty != CERTAIN_EXACT)
		return inferred_owner(owners, slice);
	if (slice->owner)
		return slice->owner;
	if (slice->current)
		return slice->current;
	if (!slice->self)
		slice->self = owner_open(owners);
	return slice->self;
}

void interrupt_slice_own(struct interrupt_slice *slice, struct owner *owner,
			 uint8_t certainty)
{
	if (slice->owner)
		return;
	slice->owner = owner_refer(owner);
	slice->owner_certainty = certainty;
}

bool interrupt_slice_is_open(const struct interrupt_slice *slice)
{
	return !slice->owner || owner_is_abandoned(slice->owner);
}

void interrupt_slice_focus(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *owner)
{
	struct owner *before = slice->current;

	slice->current = owner_refer(owner);
	owner_drop(owners, before);
}

void interrupt_slice_cause(struct owners *owners, struct interrupt_slice *slice,
			   struct owner *cause)
{
	if (!array_append(&slice->causes, &cause))
		return;
	owners_fail(owners);
	owner_drop(owners, cause);
}

void interrupt_slice_expect(struct owners *owners,
			    struct interrupt_slice *slice, uint32_t function,
			    enum interrupt_kind kind, struct owner *owner,
			    uint8_t certainty)
{
	owner_drop(owners, slice->expected_owner);
	slice->expected = function;
	slice->expected_kind = (uint8_t)kind;
	slice->expected_owner = owner ? owner_refer(owner) : NULL;
	slice->expected_certainty = certainty;
}

/* Returns the evidence of the owners of @slice, except slice->owner. */
static const struct array *findings(const struct interrupt_slice *slice)
{
	if (slice->parts.count)
		return &slice->parts;
	return slice->effects.count ? &slice->effects : &slice->woken;
}

bool interrupt_slice_has_evidence(const struct interrupt_slice *slice)
{
	return !interrupt_slice_is_open(slice) || findings(slice)->count;
}

/* Returns whether only work that the slice started can still determine its
 * owner.
 */
static bool is_open_end(const struct interrupt_slice *slice)
{
	return !slice->owner && slice->self && !findings(slice)->count;
}

static void judge(struct owners *owners, struct interrupt_slice *slice,
		  struct array *shares)
{
	const struct array *found = findings(slice);
	const struct owner_share *items = found->items;
	bool passes_on = slice->owner && owner_is_abandoned(slice->owner) &&
			 found->count;

	/* The slice's own owner is abandoned: the evidence of @slice determines
	 * it (findings()).
	 */
	if (passes_on)
		owner_resolve(owners, slice->owner, found,
			      slice->owner_certainty);
	if (is_open_end(slice))
		owner_abandon(slice->self);
	if (slice->owner && !passes_on)
		owner_shares_add(owners, shares, slice->owner, 1,
				 slice->owner_certainty);
	else if (is_open_end(slice))
		owner_shares_add(owners, shares, slice->self, 1, CERTAIN_EXACT);
	else
		for (size_t i = 0; i < found->count; i++)
			owner_shares_add(owners, shares, items[i].owner,
					 items[i].weight,
					 slice->has_others ?
						 CERTAIN_INFERRED :
						 items[i].certainty);
}

static void tell_around(struct owners *owners,
			const struct interrupt_slice *slice,
			const struct array *shares,
			struct interrupt_slice *around)
{
	const struct owner_share *items = shares->items;
	double whole_ns = slice->whole_ns + (double)slice->span.own_ns;
	double sum = 0;

	if (whole_ns <= 0)
		return;
	around->whole_ns += whole_ns;
	for (size_t i = 0; i < shares->count; i++)
		sum += items[i].weight;
	for (size_t i = 0; i < shares->count; i++)
		owner_shares_add(owners, &around->parts, items[i].owner,
				 whole_ns * items[i].weight / sum,
				 items[i].certainty);
	if (!shares->count)
		owner_shares_add(owners, &around->parts, owner_nobody(owners),
				 whole_ns, CERTAIN_EXACT);
}

static void resolve_others(struct owners *owners,
			   const struct interrupt_slice *slice,
			   const struct array *shares)
{
	struct owner **causes = slice->causes.items;

	for (size_t i = 0; i < slice->causes.count; i++)
		owner_resolve(owners, causes[i], shares, CERTAIN_EXACT);
	if (slice->self && !owner_is_abandoned(slice->self))
		owner_resolve(owners, slice->self, shares, CERTAIN_EXACT);
}

static void free_slice(struct owners *owners, struct interrupt_slice *slice)
{
	struct owner **causes = slice->causes.items;

	for (size_t i = 0; i < slice->causes.count; i++)
		owner_drop(owners, causes[i]);
	array_free(&slice->causes);
	array_free(&slice->times);
	owner_shares_free(owners, &slice->parts);
	owner_shares_free(owners, &slice->effects);
	owner_shares_free(owners, &slice->woken);
	owner_drop(owners, slice->inferred);
	owner_drop(owners, slice->owner);
	owner_drop(owners, slice->self);
	owner_drop(owners, slice->current);
	owner_drop(owners, slice->expected_owner);
	owner_drop(owners, slice->joined);
}

/* Records an interval of the slice's own time. Intervals must arrive in order;
 * adjacent ones, which most are, become one. Returns false when out of memory.
 */
static bool interrupt_slice_keep_time(struct interrupt_slice *slice,
				      struct time_window time)
{
	struct array *times = &slice->times;
	struct time_window *last =
		times->count ? array_at(times, times->count - 1) : NULL;

	if (!last || last->until_ns != time.since_ns)
		return !array_append(times, &time);
	last->until_ns = time.until_ns;
	return true;
}

void interrupt_slice_end(struct owners *owners, struct interrupt_slice *slice,
			 uint32_t number, struct interrupt_slice *around)
{
	struct array shares = ARRAY_OF(struct owner_share);
	const struct interrupt_charge charge = {
		.work = number,
		.count = 1,
		.ns = slice->span.own_ns,
		.span = slice->span,
	};

	judge(owners, slice, &shares);
	if (number != INTERRUPT_WORK_NONE)
		owner_shares_charge(owners, &shares, &charge);
	resolve_others(owners, slice, &shares);
	if (around)
		tell_around(owners, slice, &shares, around);
	owner_shares_free(owners, &shares);
	free_slice(owners, slice);
}

struct interrupt_stacks {
	struct time_window window;
	struct interrupt_rows *rows;
	struct owners *owners;
	struct array tasks; /* struct interrupt_stack, by index */
	uint64_t slices;    /* number of slices started */
	bool keeps_times;
};

struct interrupt_stacks *interrupt_stacks_new(struct time_window window,
					      struct interrupt_rows *rows,
					      struct owners *owners)
{
	struct interrupt_stacks *stacks = calloc(1, sizeof(*stacks));

	if (!stacks)
		return NULL;
	stacks->window = window;
	stacks->rows = rows;
	stacks->owners = owners;
	stacks->tasks = ARRAY_OF(struct interrupt_stack);
	return stacks;
}

void interrupt_stacks_free(struct interrupt_stacks *stacks)
{
	struct interrupt_stack *tasks;

	if (!stacks)
		return;
	tasks = stacks->tasks.items;
	for (size_t i = 0; i < stacks->tasks.count; i++)
		array_free(&tasks[i].slices);
	array_free(&stacks->tasks);
	free(stacks);
}

static struct interrupt_stack *reach(struct interrupt_stacks *stacks,
				     uint32_t index)
{
	return array_reach_like(
		&stacks->tasks, index,
		&(struct interrupt_stack){
			.slices = ARRAY_OF(struct interrupt_slice),
		});
}

struct interrupt_stack *interrupt_stacks_of(struct interrupt_stacks *stacks,
					    const struct task *task)
{
	struct interrupt_stack *stack = reach(stacks, task->index);

	if (stack)
		stack->task = task;
	else
		owners_fail(stacks->owners);
	return stack;
}

struct interrupt_stack *
interrupt_stacks_at(const struct interrupt_stacks *stacks, uint32_t index)
{
	return index < stacks->tasks.count ? array_at(&stacks->tasks, index) :
					     NULL;
}

struct interrupt_slice *interrupt_stacks_push(struct interrupt_stacks *stacks,
					      struct interrupt_stack *stack,
					      struct interrupt_slice slice)
{
	const struct interrupt_slice *around = interrupt_stack_top(stack);
	struct interrupt_slice *slot;

	slice.span.serial = ++stacks->slices;
	if (around && slice.is_part)
		slice.span.outer = around->span.serial;
	slot = array_add(&stack->slices);
	if (slot)
		*slot = slice;
	else
		owners_fail(stacks->owners);
	return slot;
}

static void pack_slice(struct interrupt_slice *slice, struct pack *pack,
		       uint32_t functions)
{
	pack_small(pack, &slice->kind, INTERRUPT_KINDS - 1);
	pack_small(pack, &slice->role, ROLE_ANSWERS);
	pack_bool(pack, &slice->is_part);
	pack_bool(pack, &slice->is_thread_work);
	pack_u32(pack, &slice->function);
	pack_check(pack,
		   slice->function < functions || slice->role != ROLE_ACTION);
	pack_u32(pack, &slice->depth);
	pack_u64(pack, &slice->span.serial);
	pack_small(pack, &slice->caller_role, ROLE_ANSWERS);
	pack_u32(pack, &slice->caller_depth);
	pack_u32(pack, &slice->expected);
	pack_small(pack, &slice->expected_kind, INTERRUPT_KINDS - 1);
}

static void pack_slices(struct array *slices, struct pack *pack,
			uint32_t functions)
{
	uint32_t count = (uint32_t)slices->count;

	pack_u32(pack, &count);
	for (uint32_t i = 0; i < count && !pack->failed; i++) {
		struct interrupt_slice *slice = pack->is_reading ?
							array_add(slices) :
							array_at(slices, i);

		pack_check(pack, slice);
		if (slice && pack->is_reading)
			*slice = interrupt_slice_of(INTERRUPT_HARD, ROLE_NONE);
		if (slice)
			pack_slice(slice, pack, functions);
	}
}

static void pack_stack(struct interrupt_stacks *stacks,
		       const struct task_pack *tasks, uint32_t index,
		       uint32_t functions)
{
	struct interrupt_stack *stack = reach(stacks, index);
	struct pack *pack = tasks->pack;

	pack_check(pack, stack);
	if (!stack)
		return;
	if (pack->is_reading)
		stack->task = tasks->find(tasks->tasks, index);
	pack_check(pack, stack->task || !pack->is_reading);
	pack_bool(pack, &stack->is_interrupted);
	pack_bool(pack, &stack->is_in_tracer);
	pack_slices(&stack->slices, pack, functions);
}

void interrupt_stacks_pack(struct interrupt_stacks *stacks,
			   const struct task_pack *tasks, uint32_t functions)
{
	struct pack *pack = tasks->pack;
	uint32_t count = (uint32_t)stacks->tasks.count;

	pack_u64(pack, &stacks->slices);
	pack_u32(pack, &count);
	task_pack_check(tasks, count);
	for (uint32_t i = 0; i < count && !pack->failed; i++)
		pack_stack(stacks, tasks, i, functions);
}

void interrupt_stacks_keep_times(struct interrupt_stacks *stacks)
{
	stacks->keeps_times = true;
}

void interrupt_stacks_give(struct interrupt_stacks *stacks,
			   struct interrupt_slice *slice, uint64_t own_ns,
			   uint64_t end_ns)
{
	const struct time_window time = { end_ns - own_ns, end_ns };

	slice->span.own_ns += own_ns;
	slice->span.shown_ns +=
		time_window_part(stacks->window, time.since_ns, time.until_ns);
	if (stacks->keeps_times && !interrupt_slice_keep_time(slice, time))
		owners_fail(stacks->owners);
}

void interrupt_stacks_pop(struct interrupt_stacks *stacks,
			  struct interrupt_stack *stack)
{
	struct interrupt_slice *slice = interrupt_stack_top(stack);
	const struct interrupt_row work = {
		.kind = slice->kind,
		.is_thread_work = slice->is_thread_work,
		.irq = slice->irq,
		.function = slice->function,
		.victim = stack->task->index,
		.victim_pid = stack->task->pid,
		.victim_tid = stack->task->tid,
		.pid = -1,
	};
	uint32_t number = interrupt_rows_work(stacks->rows, &work);

	slice->span.is_shown =
		slice->span.shown_ns ||
		time_window_has(stacks->window, slice->span.begin_ns);
	if (number == INTERRUPT_WORK_NONE)
		owners_fail(stacks->owners);
	else
		interrupt_rows_count(stacks->rows, number, &slice->span,
				     &slice->times);
	stack->slices.count--;
	interrupt_slice_end(stacks->owners, slice, number,
			    slice->is_part ? interrupt_stack_top(stack) : NULL);
}
