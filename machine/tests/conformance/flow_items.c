/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/tests/conformance/flow_items.h"

static struct item *push(struct flow_items *items,
			 const struct flow_place *place, struct item item)
{
	struct item *pushed = &items->queue[items->queued++];

	*pushed = item;
	pushed->tsc = place->tsc;
	pushed->position = place->position;
	return pushed;
}

bool flow_items_take(struct flow_items *items, struct item *item)
{
	if (items->taken == items->queued) {
		items->taken = items->queued = 0;
		return false;
	}
	*item = items->queue[items->taken++];
	return true;
}

/* Completes the pending branch: control has arrived at @ip. */
static void resolve_branch(struct flow_items *items,
			   const struct flow_place *place, uint64_t ip)
{
	if (items->branch_class)
		push(items, place,
		     (struct item){ .type = ITEM_BRANCH,
				    .class = items->branch_class,
				    .from = items->branch_ip,
				    .to = ip,
				    .to_known = true })
			->tsc = items->branch_tsc;
	items->branch_class = CLASS_NONE;
}

/* Compiles with libipt 2.0, which does not have ptic_indirect, and with 2.1,
 * which adds it.
 */
static enum item_class class_of(enum pt_insn_class class)
{
	switch ((int)class) {
	case ptic_call:
		return CLASS_CALL;
	case ptic_return:
		return CLASS_RETURN;
	case ptic_jump:
		return CLASS_JUMP;
	case ptic_cond_jump:
		return CLASS_CONDITIONAL;
	case ptic_far_call:
	case ptic_far_return:
	case ptic_far_jump:
		return CLASS_FAR;
	default:
		return CLASS_NONE;
	}
}

/* mov to CR3, with or without REX prefix */
static bool writes_cr3(const struct pt_insn *insn)
{
	const uint8_t *opcode = insn->raw + (insn->size == 4);

	return insn->size >= 3 && opcode[0] == 0x0f && opcode[1] == 0x22 &&
	       (opcode[2] & 0xf8) == 0xd8;
}

/* When libipt returns a branch, it may have read up to the next branch's
 * packet: the time before the call is the branch's.
 */
void flow_items_instruction(struct flow_items *items,
			    const struct flow_place *place,
			    const struct pt_insn *insn)
{
	resolve_branch(items, place, insn->ip);
	items->last_ip = insn->ip;
	items->branch_class = class_of(insn->iclass);
	items->branch_ip = insn->ip;
	items->branch_tsc = place->before;
	items->wrote_cr3 = writes_cr3(insn);
}

static void disabled(struct flow_items *items, const struct flow_place *place,
		     const struct pt_event *event)
{
	push(items, place,
	     (struct item){ .type = ITEM_END,
			    .class = items->branch_class,
			    .from = items->last_ip,
			    .to = event->variant.disabled.ip,
			    .to_known = !event->ip_suppressed,
			    .early = items->wrote_cr3 })
		->tsc = place->end;
	items->branch_class = CLASS_NONE;
}

static void async_disabled(struct flow_items *items,
			   const struct flow_place *place,
			   const struct pt_event *event)
{
	uint64_t at = event->variant.async_disabled.at;

	resolve_branch(items, place, at);
	push(items, place,
	     (struct item){ .type = ITEM_END,
			    .class = CLASS_ASYNC,
			    .from = at,
			    .to = event->variant.async_disabled.ip,
			    .to_known = !event->ip_suppressed })
		->tsc = place->end;
}

static void async_branch(struct flow_items *items,
			 const struct flow_place *place,
			 const struct pt_event *event)
{
	uint64_t from = event->variant.async_branch.from;

	resolve_branch(items, place, from);
	push(items, place,
	     (struct item){ .type = ITEM_BRANCH,
			    .class = CLASS_ASYNC,
			    .from = from,
			    .to = event->variant.async_branch.to,
			    .to_known = true });
}

void flow_items_event(struct flow_items *items, const struct flow_place *place,
		      const struct pt_event *event)
{
	/* The state that a PSB repeats has not changed. libipt 2.1 reports more
	 * of it than 2.0.
	 */
	if (event->status_update)
		return;
	/* Other events do not affect the control flow. */
	if (event->type == ptev_enabled)
		push(items, place,
		     (struct item){ .type = ITEM_START,
				    .to = event->variant.enabled.ip,
				    .to_known = true });
	else if (event->type == ptev_disabled)
		disabled(items, place, event);
	else if (event->type == ptev_async_disabled)
		async_disabled(items, place, event);
	else if (event->type == ptev_async_branch)
		async_branch(items, place, event);
	else if (event->type == ptev_overflow)
		flow_items_loss(items, place);
}

void flow_items_loss(struct flow_items *items, const struct flow_place *place)
{
	items->branch_class = CLASS_NONE;
	push(items, place,
	     (struct item){ .type = ITEM_LOSS, .to_known = true });
}
