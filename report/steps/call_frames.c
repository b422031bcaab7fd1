/* SPDX-License-Identifier: MIT */
#include "report/steps/call_frames.h"

#include "common/bytes.h"
#include "common/error.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* Names after "runtime.", without the ABI suffix of Go 1.17 and later. */
static const struct {
	const char *name;
	uint8_t role;
} names[] = {
	{ "gogo", SWITCH_ROLE_GOGO },
	{ "mcall", SWITCH_ROLE_MCALL },
	{ "morestack", SWITCH_ROLE_MORESTACK },
	{ "morestack_noctxt", SWITCH_ROLE_MORESTACK },
	{ "newstack", SWITCH_ROLE_NEWSTACK },
	{ "goexit0", SWITCH_ROLE_LAST },
	{ "schedule", SWITCH_ROLE_SCHEDULE },
};

static uint8_t role_of(const struct function *function)
{
	static const char prefix[] = "runtime.";
	const char *name = function->base;
	size_t length;

	if (strncmp(name, prefix, strlen(prefix)))
		return strcmp(name, "ontop_fcontext") ? SWITCH_ROLE_NONE :
							SWITCH_ROLE_ONTOP;
	name += strlen(prefix);
	length = strcspn(name, ".");
	if (name[length] && strncmp(name + length, ".abi", 4))
		return SWITCH_ROLE_NONE;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length &&
		    !memcmp(names[i].name, name, length))
			return names[i].role;
	return SWITCH_ROLE_NONE;
}

void switch_roles_set(struct switch_roles *roles, uint32_t function,
		      uint8_t role)
{
	uint32_t end = roles->first + roles->count;

	if (function >= roles->functions)
		return;
	if (!roles->of)
		roles->of = calloc(roles->functions, 1);
	if (!roles->of)
		return;
	if (!roles->count || function < roles->first)
		roles->first = function;
	if (function >= end)
		end = function + 1;
	roles->count = end - roles->first;
	roles->of[function] = role;
}

void switch_roles_pack(struct switch_roles *roles, struct pack *pack)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < roles->count; i++)
		count += roles->of[roles->first + i] == SWITCH_ROLE_JUMPS;
	pack_u32(pack, &count);
	for (uint32_t i = 0, at = roles->first; i < count && !pack->failed;
	     i++, at++) {
		while (!pack->is_reading && roles->of[at] != SWITCH_ROLE_JUMPS)
			at++;
		pack_u32(pack, &at);
		if (pack->is_reading)
			switch_roles_set(roles, at, SWITCH_ROLE_JUMPS);
	}
}

/* Marks the local functions gogo of @module: since Go 1.17, runtime.gogo jumps
 * to one, which does its work.
 */
static void add_local_gogo(struct switch_roles *roles,
			   const struct function_table *functions,
			   const char *module)
{
	for (uint32_t i = 0; i < roles->functions; i++) {
		const struct function *function = function_at(functions, i);

		if (function->module == module &&
		    !strcmp(function->base, "gogo"))
			switch_roles_set(roles, i, SWITCH_ROLE_GOGO);
	}
}

struct switch_roles switch_roles_of(const struct function_table *functions)
{
	struct switch_roles roles = { .functions = function_count(functions) };

	for (uint32_t i = 0; i < roles.functions; i++) {
		const struct function *function = function_at(functions, i);
		uint8_t role = role_of(function);

		if (role == SWITCH_ROLE_NONE)
			continue;
		switch_roles_set(&roles, i, role);
		if (role == SWITCH_ROLE_GOGO)
			add_local_gogo(&roles, functions, function->module);
	}
	return roles;
}

void switch_roles_free(struct switch_roles *roles)
{
	free(roles->of);
	*roles = (struct switch_roles){ 0 };
}

void call_stack_clear(struct call_stack *stack)
{
	*stack = (struct call_stack){
		.frames = stack->frames,
		.room = stack->room,
		.inlined = stack->inlined,
		.inlined_room = stack->inlined_room,
		.pool = stack->pool,
		.roles = stack->roles,
	};
}

void call_stack_free(struct call_stack *stack)
{
	free(stack->frames);
	free(stack->inlined);
	*stack = (struct call_stack){ 0 };
}

int frames_grow(struct call_stack *stack)
{
	uint32_t room = stack->room ? stack->room * 2 : 32;
	struct call_frame *frames =
		reallocarray(stack->frames, room, sizeof(*frames));

	if (!frames)
		return -ERROR_MEMORY;
	stack->frames = frames;
	stack->room = room;
	return 0;
}

void frames_pop_to(struct call_stack *stack, size_t count, bool seen,
		   struct call_stack_output *output)
{
	while (stack->count > count)
		frames_pop(stack,
			   seen && stack->count == count + 1 ? 0 : UNSEEN_END,
			   output);
}

int frames_push_unseen(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	struct call_frame *frame = frames_next(stack);

	if (!frame)
		return -ERROR_MEMORY;
	*frame = (struct call_frame){
		.function = event->function,
		.how = event->detail ? HOW_START : HOW_INFERRED,
		.unseen = event->detail ? 0 : UNSEEN_BEGIN,
		.returns = RETURNS_ANYWHERE,
	};
	frames_begin(stack, frame->how, frame->unseen, output);
	return 0;
}

size_t frames_floor(const struct call_stack *stack)
{
	size_t index = stack->count;

	while (index && !frames_at(stack, index - 1)->is_exception)
		index--;
	return index;
}

size_t frames_find_return(const struct call_stack *stack, size_t floor,
			  uint64_t address)
{
	for (size_t i = stack->count; i-- > floor;) {
		const struct call_frame *frame = frames_at(stack, i);

		if (frame->return_address == address &&
		    frame->returns != RETURNS_ANYWHERE)
			return i;
	}
	return NO_FRAME;
}

size_t frames_find(const struct call_stack *stack, size_t floor,
		   uint32_t function)
{
	for (size_t i = stack->count; i-- > floor;)
		if (frames_at(stack, i)->function == function)
			return i;
	return NO_FRAME;
}

uint32_t frames_inlined_below(const struct call_stack *stack, uint32_t frame)
{
	uint32_t count = stack->inlined_count;

	while (count && stack->inlined[count - 1].frame >= frame)
		count--;
	return count;
}

void frames_pop_inlined(struct call_stack *stack, uint32_t count,
			struct call_stack_output *output)
{
	struct call_step *step = &output->step;
	uint8_t detail = step->detail;

	step->place = 0;
	step->detail = 0;
	step->fiber = stack->fiber;
	while (stack->inlined_count > count) {
		const struct inlined_frame *top =
			&stack->inlined[--stack->inlined_count];

		step->wall_ns = step->time_ns - top->start_ns;
		step->on_cpu_ns = step->clock_ns - top->start_clock_ns;
		frames_emit(output, STEP_EXIT, top->how, 0,
			    function_table_site(output->functions, top->site)
				    ->function,
			    top->frame + 1 + stack->inlined_count);
	}
	step->detail = detail;
}

/* Enters call @site in the innermost frame. */
static int push_inlined(struct call_stack *stack, uint32_t site, uint8_t how,
			struct call_stack_output *output)
{
	struct call_step *step = &output->step;

	if (stack->inlined_count == stack->inlined_room) {
		uint32_t room = stack->inlined_room ? stack->inlined_room * 2 :
						      16;
		struct inlined_frame *inlined =
			reallocarray(stack->inlined, room, sizeof(*inlined));

		if (!inlined)
			return -ERROR_MEMORY;
		stack->inlined = inlined;
		stack->inlined_room = room;
	}
	stack->inlined[stack->inlined_count++] = (struct inlined_frame){
		.start_ns = step->time_ns,
		.start_clock_ns = step->clock_ns,
		.site = site,
		.frame = stack->count - 1,
		.how = how,
	};
	step->place = 0;
	step->fiber = stack->fiber;
	step->wall_ns = 0;
	step->on_cpu_ns = 0;
	frames_emit(output, STEP_ENTER, how, 0,
		    function_table_site(output->functions, site)->function,
		    stack->count - 1 + stack->inlined_count);
	return 0;
}

int frames_set_inlined(struct call_stack *stack,
		       const struct function_event *event,
		       struct call_stack_output *output)
{
	uint32_t path[INLINED_SITES_NESTED];
	uint32_t site = function_event_site(event);
	uint32_t entries = function_event_entries(event);
	uint32_t depth = 0;
	uint32_t first;
	uint32_t same = 0;
	int status = 0;

	if (!output->functions || !stack->count ||
	    frames_top(stack)->function != event->function)
		return 0;
	if (site)
		depth = function_table_site(output->functions, site)->depth;
	for (uint32_t i = depth; i-- > 0;) {
		path[i] = site;
		site = function_table_site(output->functions, site)->parent;
	}
	first = frames_inlined_below(stack, stack->count - 1);
	while (same < depth && first + same < stack->inlined_count &&
	       stack->inlined[first + same].site == path[same] &&
	       !(entries >> same & 1))
		same++;
	frames_pop_inlined(stack, first + same, output);
	for (uint32_t i = same; i < depth && !status; i++)
		status = push_inlined(stack, path[i],
				      entries >> i & 1 ? HOW_CALL : HOW_RESUMED,
				      output);
	return status;
}
