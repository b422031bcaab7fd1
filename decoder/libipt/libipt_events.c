/* SPDX-License-Identifier: MIT */
#include "decoder/libipt/libipt_events_internal.h"

#include "decoder/code/code_space.h"
#include "decoder/flow/flow.h"
#include "decoder/intel_pt/intel_packet.h"
#include "decoder/libipt/branch_internal.h"
#include "decoder/libipt/libipt_segment_internal.h"

#include <intel-pt.h>
#include <stdbool.h>
#include <string.h>

/* An event while it is converted to an item. */
struct taking {
	struct libipt_events *events;
	struct libipt_segment *segment;
	struct code_space *code;
	uint64_t last_ip;
};

/* No real code runs this many blocks without a branch that needs trace. */
enum { WATCH_BLOCKS = 64 * 1024 };

static enum flow_exit exit_of(enum pt_insn_class class)
{
	switch ((int)class) {
	case ptic_call:
		return FLOW_EXIT_CALL;
	case ptic_return:
		return FLOW_EXIT_RETURN;
	case ptic_jump:
		return FLOW_EXIT_JUMP;
	case ptic_cond_jump:
		return FLOW_EXIT_CONDITIONAL;
	case ptic_far_call:
		return FLOW_EXIT_FAR_CALL;
	case ptic_far_return:
		return FLOW_EXIT_FAR_RETURN;
	case ptic_far_jump:
		return FLOW_EXIT_FAR_JUMP;
	default:
		return FLOW_EXIT_NONE;
	}
}

static struct branch branch_at(struct code_space *code, uint64_t address)
{
	size_t left;
	const uint8_t *bytes = code_space_bytes(code, address, &left);

	return bytes ? branch_read(bytes, left) : (struct branch){ 0 };
}

/* Returns the branch that ends the block. libipt does not report the class of
 * every last instruction: not if it delayed the instruction for an event, and
 * libipt 2.1 has one class for all indirect branches. No version reports
 * whether a branch is direct, or how long a call is.
 */
static struct branch last_branch(const struct libipt_segment *segment,
				 struct code_space *code,
				 const struct pt_block *block)
{
	struct branch branch = { .exit = exit_of(block->iclass) };

	switch (branch.exit) {
	case FLOW_EXIT_NONE:
		if (block->iclass == ptic_other ||
		    block->iclass == ptic_ptwrite)
			return branch;
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_JUMP:
		if (!libipt_segment_expects_address(segment))
			return branch;
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_CALL:
	case FLOW_EXIT_FAR_CALL:
	case FLOW_EXIT_CONDITIONAL:
		return branch_at(code, block->end_ip);
	case FLOW_EXIT_RETURN:
	case FLOW_EXIT_FAR_RETURN:
	case FLOW_EXIT_FAR_JUMP:
		return branch;
	}
	return branch;
}

static void emit_block(struct libipt_segment *segment,
		       const struct pt_block *block, struct branch branch)
{
	struct flow_item *item = libipt_segment_next(segment);

	item->kind = FLOW_BLOCK;
	item->detail = branch.exit & 0xf;
	item->last_length =
		flow_exit_has_length(branch.exit) ? branch.length & 0xf : 0;
	item->instructions = block->ninsn;
	item->last = (uint32_t)(block->end_ip - block->ip);
	item->ip = block->ip;
	libipt_segment_add(segment);
	libipt_segment_pass_branch(segment, branch.exit, branch.is_indirect);
}

/* Returns whether libipt makes no progress: damaged trace can lead into a loop
 * of jumps that needs no trace at all, which libipt would follow forever.
 * Checks only every WATCH_BLOCKS blocks.
 */
static bool is_stuck(struct libipt_blocks *blocks,
		     const struct libipt_segment *segment)
{
	uint64_t before = blocks->watched;

	if (++blocks->watch_blocks < WATCH_BLOCKS)
		return false;
	blocks->watch_blocks = 0;
	blocks->watched = libipt_segment_position(segment);
	return blocks->watched == before;
}

/* After an error, the block contains the instructions before the error, if any.
 */
int libipt_blocks_consume(struct libipt_blocks *blocks,
			  struct libipt_segment *segment,
			  struct code_space *code)
{
	struct pt_block block;
	int status;

	block.ninsn = 0;
	status = pt_blk_next(libipt_segment_decoder(segment), &block,
			     sizeof(block));
	if (block.ninsn) {
		emit_block(segment, &block, last_branch(segment, code, &block));
		blocks->last_ip = block.end_ip;
	}
	if (is_stuck(blocks, segment) && status >= 0)
		return -pte_bad_query;
	return status;
}

/* A walk along instructions without trace, by their bytes alone. */
struct exit_walk {
	struct libipt_segment *segment;
	struct code_space *code;
	uint64_t start; /* of the current block */
	uint64_t address;
	uint16_t count; /* instructions in it so far */
	bool emits;
};

static void end_block(struct exit_walk *walk, enum flow_exit exit)
{
	if (walk->emits)
		libipt_segment_emit(
			walk->segment,
			&(struct flow_item){
				.kind = FLOW_BLOCK,
				.detail = exit & 0xf,
				.instructions = walk->count,
				.last = (uint32_t)(walk->address - walk->start),
				.ip = walk->start,
			});
	walk->count = 0;
}

/* Returns the target of the direct jump of @length bytes at @bytes, which are
 * from memory at @address.
 */
static uint64_t jump_target(const uint8_t *bytes, size_t length,
			    uint64_t address)
{
	int32_t distance;

	if (length < 5)
		return address + length +
		       (uint64_t)(int64_t)(int8_t)bytes[length - 1];
	memcpy(&distance, bytes + length - sizeof(distance), sizeof(distance));
	return address + length + (uint64_t)(int64_t)distance;
}

/* Advances by one instruction. Returns 1, 0 at a far return, -1 if the next
 * instruction does not follow from the bytes alone.
 */
static int step(struct exit_walk *walk)
{
	size_t left;
	const uint8_t *bytes =
		code_space_bytes(walk->code, walk->address, &left);
	size_t length = bytes ? instruction_length(bytes, left) : 0;
	struct branch branch;

	if (!length)
		return -1;
	branch = branch_read(bytes, left);
	walk->count++;
	if (branch.exit == FLOW_EXIT_NONE) {
		walk->address += length;
		return 1;
	}
	if (branch.exit == FLOW_EXIT_FAR_RETURN) {
		end_block(walk, branch.exit);
		return 0;
	}
	if (branch.exit != FLOW_EXIT_JUMP || branch.is_indirect)
		return -1;
	end_block(walk, branch.exit);
	walk->address = jump_target(bytes, length, walk->address);
	walk->start = walk->address;
	return 1;
}

/* Walks from @start, which is not changed. */
static int walk_out(struct exit_walk start, bool emits)
{
	struct exit_walk walk = start;
	int status = 1;

	walk.emits = emits;
	for (int i = 0; i < LIBIPT_WALK_MOST && status > 0; i++)
		status = step(&walk);
	return status;
}

/* Must be called when execution left for user space after the instruction at
 * @last_ip of @code. If that is not a branch, adds to @segment the blocks that
 * ran up to the far return, if the code is available. libipt omits them: with
 * page table isolation it ends the last block at the kernel's write to CR3.
 */
static void libipt_walk_out(struct libipt_segment *segment,
			    struct code_space *code, uint64_t last_ip)
{
	size_t left;
	const uint8_t *bytes = code_space_bytes(code, last_ip, &left);
	size_t length = bytes ? instruction_length(bytes, left) : 0;
	struct exit_walk walk = {
		.segment = segment,
		.code = code,
		.start = last_ip + length,
		.address = last_ip + length,
	};

	if (!length || branch_read(bytes, left).exit != FLOW_EXIT_NONE)
		return;
	if (walk_out(walk, false) == 0)
		walk_out(walk, true);
}

static void start(const struct taking *taking, const struct pt_event *event)
{
	taking->events->is_off = false;
	taking->events->in_guest = false;
	libipt_segment_pass_event(taking->segment, INTEL_PACKET_TIP_PGE);
	libipt_segment_emit(taking->segment,
			    &(struct flow_item){
				    .kind = FLOW_START,
				    .ip = event->variant.enabled.ip,
			    });
}

static bool is_wrmsr(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x0f && bytes[1] == 0x30;
}

/* Returns whether @bytes are vmlaunch or vmresume. */
static bool is_machine_entry(const uint8_t *bytes, size_t size)
{
	return size >= 3 && bytes[0] == 0x0f && bytes[1] == 0x01 &&
	       (bytes[2] == 0xc2 || bytes[2] == 0xc3);
}

/* Returns why the trace stopped. The kernel switches the unit off by writing an
 * MSR. Otherwise, an address in the packet is outside the filter (Intel SDM,
 * TIP.PGD packet). All other stops go to another privilege level. With page
 * table isolation that is not visible as a far transfer: libipt ends the last
 * block at the kernel's last write to CR3, two or three instructions before the
 * sysret or iret.
 */
static uint8_t stop_reason(const struct taking *taking, uint64_t last_ip,
			   bool has_address)
{
	size_t left = 0;
	const uint8_t *bytes = code_space_bytes(taking->code, last_ip, &left);

	if (bytes && is_wrmsr(bytes, left))
		return FLOW_STOP_OFF;
	if (bytes && !has_address && is_machine_entry(bytes, left))
		return FLOW_STOP_GUEST;
	return has_address ? FLOW_STOP_FILTER : FLOW_STOP_LEVEL;
}

static void stop(const struct taking *taking, bool has_address,
		 uint64_t address, uint8_t reason)
{
	libipt_segment_emit(taking->segment,
			    &(struct flow_item){
				    .kind = FLOW_STOP,
				    .detail = reason & 0xf,
				    .ip = has_address ? address : 0,
			    });
	taking->events->is_off = reason == FLOW_STOP_OFF;
	taking->events->in_guest = reason == FLOW_STOP_GUEST;
}

/* Returns the address that identifies the running guest, 0 if unknown. */
static uint64_t guest_of(const struct libipt_events *events)
{
	return events->machine ? events->machine : events->guest_page_table;
}

static void stop_sync(const struct taking *taking, const struct pt_event *event)
{
	bool has_address = !event->ip_suppressed;
	uint8_t reason = stop_reason(taking, taking->last_ip, has_address);

	if (reason == FLOW_STOP_LEVEL)
		libipt_walk_out(taking->segment, taking->code, taking->last_ip);
	libipt_segment_pass_event(taking->segment, INTEL_PACKET_TIP_PGD);
	if (reason == FLOW_STOP_GUEST)
		stop(taking, true, guest_of(taking->events), reason);
	else
		stop(taking, has_address, event->variant.disabled.ip, reason);
}

static void interrupt(const struct taking *taking, uint64_t address)
{
	libipt_segment_emit(taking->segment, &(struct flow_item){
						     .kind = FLOW_ASYNC,
						     .ip = address,
					     });
}

/* Handles an interrupt whose handler is not traced, or the kernel's wrmsr,
 * which is traced in the same way: after the instruction, not as its branch.
 */
static void stop_async(const struct taking *taking,
		       const struct pt_event *event)
{
	bool has_address = !event->ip_suppressed;
	uint64_t at = event->variant.async_disabled.at;
	uint8_t reason = stop_reason(taking, taking->last_ip, has_address);

	/* Some units report the wrmsr itself, before it has run. */
	if (reason != FLOW_STOP_OFF)
		reason = stop_reason(taking, at, has_address);

	libipt_segment_pass_event(taking->segment, INTEL_PACKET_TIP_PGD);
	if (reason == FLOW_STOP_GUEST) {
		stop(taking, true, guest_of(taking->events), reason);
		return;
	}
	if (reason != FLOW_STOP_OFF)
		interrupt(taking, at);
	stop(taking, has_address, event->variant.async_disabled.ip, reason);
}

static void lose(const struct taking *taking, const struct pt_event *event)
{
	taking->events->is_off = false;
	libipt_segment_emit(
		taking->segment,
		&(struct flow_item){
			.kind = FLOW_GAP,
			.detail = FLOW_GAP_OVERFLOW,
			.ip = libipt_segment_position(taking->segment),
		});
	libipt_segment_pass_event(taking->segment, INTEL_PACKET_OVF);
	/* After an overflow in a guest the host may run, or the guest. */
	if (event->ip_suppressed && !taking->events->in_guest)
		stop(taking, false, 0, FLOW_STOP_LEVEL);
	taking->events->in_guest = false;
}

/* Handles a sync point in a guest whose entry was not traced. */
static void set_guest(const struct taking *taking, const struct pt_event *event,
		      uint64_t root)
{
	taking->events->guest_page_table = root;
	if (event->status_update && !taking->events->in_guest)
		stop(taking, true, guest_of(taking->events), FLOW_STOP_GUEST);
}

static void change_page_table(const struct taking *taking, uint64_t root)
{
	if (root == taking->events->page_table)
		return;
	taking->events->page_table = root;
	libipt_segment_emit(taking->segment, &(struct flow_item){
						     .kind = FLOW_ADDRESS_SPACE,
						     .ip = root,
					     });
}

static void change_mode(const struct taking *taking, enum pt_exec_mode mode)
{
	uint8_t detail = mode == ptem_64bit ? 2 : mode == ptem_32bit ? 1 : 0;

	if (mode == ptem_unknown || detail == taking->events->mode)
		return;
	taking->events->mode = detail;
	libipt_segment_emit(taking->segment, &(struct flow_item){
						     .kind = FLOW_MODE,
						     .detail = detail & 0xf,
					     });
}

static void transact(const struct taking *taking, const struct pt_event *event)
{
	uint8_t detail = event->variant.tsx.aborted	? 3 :
			 event->variant.tsx.speculative ? 1 :
							  2;

	libipt_segment_emit(taking->segment, &(struct flow_item){
						     .kind = FLOW_TRANSACTION,
						     .detail = detail & 0xf,
					     });
}

/* Returns whether @event changes the state. The state that a PSB repeats
 * (status_update) is new only after a loss, and then only the mode, the page
 * table and the VMCS. libipt 2.1 repeats more of it than 2.0.
 */
static bool is_news(const struct pt_event *event)
{
	switch ((int)event->type) {
	case ptev_paging:
	case ptev_async_paging:
	case ptev_exec_mode:
	case ptev_vmcs:
	case ptev_async_vmcs:
		return true;
	default:
		return !event->status_update;
	}
}

/* Applies an event. Power, virtual machine and maintenance events do not change
 * control flow; events that newer versions of libipt add are assumed not to
 * either.
 */
static void consume(const struct taking *taking, const struct pt_event *event)
{
	switch ((int)event->type) {
	case ptev_enabled:
		start(taking, event);
		break;
	case ptev_disabled:
		stop_sync(taking, event);
		break;
	case ptev_async_disabled:
		stop_async(taking, event);
		break;
	case ptev_async_branch:
		libipt_segment_pass_event(taking->segment, INTEL_PACKET_TIP);
		interrupt(taking, event->variant.async_branch.from);
		break;
	case ptev_paging:
		if (event->variant.paging.non_root)
			set_guest(taking, event, event->variant.paging.cr3);
		else
			change_page_table(taking, event->variant.paging.cr3);
		break;
	case ptev_async_paging:
		if (event->variant.async_paging.non_root)
			set_guest(taking, event,
				  event->variant.async_paging.cr3);
		else
			change_page_table(taking,
					  event->variant.async_paging.cr3);
		break;
	case ptev_vmcs:
		taking->events->machine = event->variant.vmcs.base;
		break;
	case ptev_async_vmcs:
		taking->events->machine = event->variant.async_vmcs.base;
		break;
	case ptev_overflow:
		lose(taking, event);
		break;
	case ptev_exec_mode:
		change_mode(taking, event->variant.exec_mode.mode);
		break;
	case ptev_tsx:
		transact(taking, event);
		break;
	case ptev_ptwrite:
		libipt_segment_emit(
			taking->segment,
			&(struct flow_item){
				.kind = FLOW_PTWRITE,
				.ip = event->variant.ptwrite.payload,
			});
		break;
	default:
		break;
	}
}

int libipt_events_consume(struct libipt_events *events,
			  struct libipt_segment *segment,
			  struct code_space *code, uint64_t last_ip)
{
	const struct taking taking = { events, segment, code, last_ip };
	struct pt_event event;
	int status = pt_blk_event(libipt_segment_decoder(segment), &event,
				  sizeof(event));

	if (status >= 0 && is_news(&event))
		consume(&taking, &event);
	return status;
}
