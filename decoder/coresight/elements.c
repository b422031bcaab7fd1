/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/elements_internal.h"

#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/feed_internal.h"
#include "decoder/coresight/items_internal.h"
#include "decoder/coresight/range_exit_internal.h"
#include "decoder/coresight/tree_internal.h"
#include "decoder/flow/flow.h"
#include "decoder/flow/flow_source.h"
#include "decoder/flow/switch_feed.h"
#include "decoder/recording/coresight_streams.h"
#include "decoder/recording/recording.h"

/* OpenCSD's elements as flow items:
 *
 *	context ─► context_consume(): task, 32 or 64 bits
 *	range ──► blocks_consume(): blocks; a gap if control cannot have continued
 *	          there
 *	others ─► starts, stops, gaps, time stamps
 *
 * OpenCSD ends a range at each branch, so a range is one block, unless it has
 * more instructions than a block can count. Damaged trace leads to ranges that
 * no code has: they are gaps, not blocks (is_misplaced(), check_path()).
 */

/* As in FLOW_MODE. */
enum coresight_mode {
	CORESIGHT_MODE_32 = 1,
	CORESIGHT_MODE_64 = 2,
};

int coresight_code_open(struct coresight_code *code,
			const struct flow_input *input,
			struct coresight_tree *tree)
{
	int error = code_space_open(input, 0, CODE_VIEW_MEMORY, &code->space);

	if (error)
		return error;
	code->tree = tree;
	code->is_arm64 = recording_arch(input->recording) ==
			 RECORDING_ARCH_ARM64;
	code->next_change_ns = code_space_next_change_ns(code->space);
	return 0;
}

void coresight_code_close(struct coresight_code *code)
{
	code_space_close(code->space);
}

static int refresh(struct coresight_code *code, int error)
{
	code->next_change_ns = code_space_next_change_ns(code->space);
	if (coresight_memory_refresh(code->tree, code->space) < 0 || error < 0)
		return -ERROR_MEMORY;
	return 0;
}

/* Switch to the code at @time_ns, or to the code of process @pid. Return 0 or
 * -ERROR_MEMORY.
 */
static int code_advance(struct coresight_code *code, uint64_t time_ns)
{
	if (time_ns < code->next_change_ns)
		return 0;
	return refresh(code, code_space_advance(code->space, time_ns, time_ns,
						NULL, NULL));
}

static int code_set_process(struct coresight_code *code, int32_t pid,
			    uint64_t time_ns)
{
	return refresh(code, code_space_set_process(code->space, pid, time_ns));
}

/* Returns whether the block may take long. Some trace units treat a wait as a
 * branch, most do not, so that it may be anywhere in a block. If instructions
 * differ in length, only the last one is checked.
 */
bool coresight_code_is_slow(void *ctx, const struct flow_item *item)
{
	const struct coresight_code *code = ctx;
	uint64_t last = item->ip + item->last;

	if (item->kind == FLOW_STOP)
		return true;
	for (uint64_t at = code->is_arm64 ? item->ip : last; at <= last;
	     at += 4) {
		size_t left;
		const uint8_t *bytes = code_space_bytes(code->space, at, &left);

		if (bytes && coresight_looks_slow(bytes, left))
			return true;
	}
	return false;
}

/* Returns the task in the trace, or -1. */
static int64_t named_task(const struct coresight_unit *unit,
			  const ocsd_pe_context *said)
{
	switch (coresight_unit_task_field(unit)) {
	case CORESIGHT_TASK_CONTEXT:
		return said->ctxt_id_valid ? (int64_t)said->context_id : -1;
	case CORESIGHT_TASK_VMID:
		return said->vmid_valid ? (int64_t)said->vmid : -1;
	case CORESIGHT_TASK_NONE:
		break;
	}
	return -1;
}

static void switch_task(struct coresight_context *context,
			struct coresight_items *items,
			struct coresight_code *code, uint32_t tid)
{
	int32_t pid = task_ids_process(context->tasks, (int32_t)tid);

	/* A kernel that does not write the register leaves it at 0. */
	context->named_tasks |= tid;
	if (context->task == tid || !context->named_tasks)
		return;
	context->task = tid;
	coresight_items_emit(items,
			     &(struct flow_item){
				     .kind = FLOW_SWITCH,
				     .detail = FLOW_SWITCH_TO,
				     .ip = (uint64_t)(uint32_t)pid << 32 | tid,
			     });
	if (pid < 0)
		return;
	if (code_set_process(code, pid, items->clock.low_ns) < 0)
		items->error = -ERROR_MEMORY;
}

/* Consumes a context from the trace of @unit: adds changes to @items, and
 * switches @code to the task's code.
 */
static void context_consume(struct coresight_context *context,
			    const struct coresight_unit *unit,
			    struct coresight_items *items,
			    struct coresight_code *code,
			    const ocsd_pe_context *said)
{
	uint8_t mode = said->bits64 ? CORESIGHT_MODE_64 : CORESIGHT_MODE_32;
	int64_t task = context->tasks ? named_task(unit, said) : -1;

	if (mode != context->mode) {
		context->mode = mode;
		coresight_items_emit(items, &(struct flow_item){
						    .kind = FLOW_MODE,
						    .detail = mode & 0xf,
					    });
	}
	if (task >= 0)
		switch_task(context, items, code, (uint32_t)task);
}

static void add_block(struct coresight_items *items, uint64_t ip, uint64_t last,
		      uint16_t count, enum flow_exit exit, uint8_t length)
{
	coresight_items_emit(items,
			     &(struct flow_item){
				     .kind = FLOW_BLOCK,
				     .detail = exit & 0xf,
				     .last_length = flow_exit_has_length(exit) ?
							    length & 0xf :
							    0,
				     .instructions = count,
				     .last = (uint32_t)(last - ip),
				     .ip = ip,
			     });
	coresight_clock_run(&items->clock, count);
}

static enum flow_exit exit_of(struct code_space *code,
			      const ocsd_generic_trace_elem *range,
			      uint64_t last)
{
	size_t left = 0;
	const uint8_t *bytes = NULL;

	if (range->last_i_type == OCSD_INSTR_BR_INDIRECT &&
	    range->isa != ocsd_isa_aarch64)
		bytes = code_space_bytes(code, last, &left);
	return coresight_exit(range, bytes, left);
}

/* Adds a gap if the block at @ip is not on the expected path. */
static void check_path(const struct coresight_blocks *blocks,
		       struct coresight_items *items, uint64_t position,
		       uint64_t ip)
{
	if (!items->is_running || !coresight_path_is_left(&blocks->path, ip))
		return;
	coresight_items_open_gap(items, FLOW_GAP_BAD_TRACE, position);
	coresight_items_close_gap(items, position);
}

/* Emits a range of instructions as blocks. Divides code without a branch that
 * has more instructions than a block can count: damaged trace can lead into
 * data.
 */
static void consume_range(struct coresight_blocks *blocks,
			  struct coresight_items *items,
			  struct code_space *code, uint64_t position,
			  const ocsd_generic_trace_elem *range)
{
	uint64_t ip = range->st_addr;
	uint64_t last = range->en_addr - range->last_instr_sz;
	uint32_t count = range->num_instr_range;
	const uint64_t step = UINT16_MAX * UINT64_C(4);

	if (last < ip || !count)
		return;
	check_path(blocks, items, position, ip);
	if (blocks->must_start)
		coresight_items_emit(items, &(struct flow_item){
						    .kind = FLOW_START,
						    .ip = ip,
					    });
	blocks->must_start = false;
	for (; count > UINT16_MAX && last - ip > step; ip += step) {
		add_block(items, ip, ip + step - 4, UINT16_MAX, FLOW_EXIT_NONE,
			  0);
		count -= UINT16_MAX;
	}
	add_block(items, ip, last, (uint16_t)count, exit_of(code, range, last),
		  range->last_instr_sz);
	items->is_running = true;
	blocks->next_address = range->en_addr;
	coresight_path_expect(&blocks->path, code, range, last);
}

/* Returns whether the range is damage: A32 and A64 code is at multiples of four.
 * (Damaged trace may claim Jazelle, which OpenCSD decodes as A32.)
 */
static bool is_misplaced(const ocsd_generic_trace_elem *range)
{
	return range->isa != ocsd_isa_thumb2 && range->st_addr % 4;
}

/* Adds to @items the blocks of @range, whose packet begins at @position and
 * whose instructions are in @code; or a gap if control cannot have continued
 * there.
 */
static void blocks_consume(struct coresight_blocks *blocks,
			   struct coresight_items *items,
			   struct code_space *code, uint64_t position,
			   const ocsd_generic_trace_elem *range)
{
	if (is_misplaced(range)) {
		coresight_items_open_gap(items, FLOW_GAP_BAD_TRACE, position);
		return;
	}
	coresight_items_close_gap(items, position);
	consume_range(blocks, items, code, position, range);
}

/* Returns why the trace stopped. If the last item is a system call, another
 * exception or a return from one, the exception level of the target is not
 * traced. Any other stop that the kernel did not make is a branch out of the
 * filter's address ranges.
 */
static uint8_t stop_reason(struct coresight_elements *elements)
{
	const struct flow_item *last =
		coresight_queue_last(&elements->items->queue);

	if (!last)
		return FLOW_STOP_FILTER;
	if (last->kind == FLOW_ASYNC ||
	    (last->kind == FLOW_BLOCK && last->detail >= FLOW_EXIT_FAR_CALL))
		return FLOW_STOP_LEVEL;
	return elements->context.mode == CORESIGHT_MODE_64 &&
			       coresight_path_turns_off(&elements->blocks.path,
							elements->code->space) ?
		       FLOW_STOP_OFF :
		       FLOW_STOP_FILTER;
}

static void stop(struct coresight_elements *elements, uint8_t reason)
{
	const struct flow_stamp stamp =
		coresight_clock_after_block(&elements->items->clock);

	coresight_items_emit_at(elements->items,
				&(struct flow_item){
					.kind = FLOW_STOP,
					.detail = reason & 0xf,
				},
				&stamp);
	elements->items->is_running = false;
}

static void consume_trace_on(struct coresight_elements *elements,
			     uint64_t position, trace_on_reason_t reason)
{
	if (reason == TRACE_ON_OVERFLOW) {
		coresight_items_open_gap(elements->items, FLOW_GAP_OVERFLOW,
					 position);
		coresight_items_close_gap(elements->items, position);
	}
	if (elements->items->is_running)
		stop(elements, stop_reason(elements));
	elements->blocks.must_start = true;
	coresight_clock_lose_count(&elements->items->clock);
}

/* Consumes an exception. A system call is the last block's own exit; other
 * exceptions interrupt it.
 */
static void consume_exception(struct coresight_elements *elements,
			      const ocsd_generic_trace_elem *element)
{
	bool is_call =
		coresight_is_call(coresight_unit_is_old(elements->feed->unit),
				  element->exception_number);
	struct flow_item *block = coresight_items_last_block(elements->items);
	uint64_t address = element->excep_ret_addr ?
				   element->en_addr :
				   elements->blocks.next_address;

	elements->blocks.path.is_known = false;
	if (!elements->items->is_running)
		return;
	if (block && block->detail == FLOW_EXIT_NONE &&
	    address == elements->blocks.next_address && is_call) {
		block->detail = FLOW_EXIT_FAR_CALL;
		block->last_length = (address - block->ip - block->last) & 0xf;
		return;
	}
	coresight_items_emit(elements->items, &(struct flow_item){
						      .kind = FLOW_ASYNC,
						      .ip = address,
					      });
}

/* Consumes the return from an exception. 32-bit code returns with instructions
 * that have other uses as well.
 */
static void consume_exception_return(struct coresight_elements *elements)
{
	struct flow_item *block = coresight_items_last_block(elements->items);

	if (block && (block->detail == FLOW_EXIT_JUMP ||
		      block->detail == FLOW_EXIT_RETURN))
		block->detail = FLOW_EXIT_FAR_RETURN;
}

static void consume_transaction(struct coresight_elements *elements,
				trace_memtrans_t what)
{
	static const uint8_t details[] = {
		[OCSD_MEM_TRANS_TRACE_INIT] = 1,
		[OCSD_MEM_TRANS_START] = 1,
		[OCSD_MEM_TRANS_COMMIT] = 2,
		[OCSD_MEM_TRANS_FAIL] = 3,
	};

	if ((unsigned int)what < sizeof(details))
		coresight_items_emit(elements->items,
				     &(struct flow_item){
					     .kind = FLOW_TRANSACTION,
					     .detail = details[what] & 0xf,
				     });
}

/* Starts a gap, unless the decoder was just reset. OpenCSD's decoders of ETMv3
 * and PTM give no reason.
 */
static void consume_no_sync(struct coresight_elements *elements,
			    uint64_t position, unsync_info_t why)
{
	bool is_overflow = !coresight_unit_is_old(elements->feed->unit) &&
			   (why == UNSYNC_OVERFLOW || why == UNSYNC_DISCARD);

	if (elements->feed->is_new)
		return;
	coresight_items_open_gap(
		elements->items,
		is_overflow ? FLOW_GAP_OVERFLOW : FLOW_GAP_BAD_TRACE, position);
	elements->is_rejected = !is_overflow;
}

/* Returns why there are no bytes at @address. */
static enum flow_gap_reason missing_reason(const struct code_space *code,
					   uint64_t address)
{
	if (code_space_is_unknown(code, address))
		return FLOW_GAP_CODE_CHANGED;
	return code_space_is_generated(code, address) ? FLOW_GAP_GENERATED :
							FLOW_GAP_NO_CODE;
}

/* Handles elements that only occur when the decoder is synchronized. */
static void consume_synced(struct coresight_elements *elements,
			   uint64_t position,
			   const ocsd_generic_trace_elem *element)
{
	if (elements->items->gap.is_open &&
	    elements->items->gap.reason == FLOW_GAP_UNSYNCED)
		coresight_items_close_gap(elements->items, position);
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
		consume_trace_on(elements, position, element->trace_on_reason);
		break;
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		blocks_consume(&elements->blocks, elements->items,
			       elements->code->space, position, element);
		break;
	case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
		coresight_items_open_gap(elements->items, FLOW_GAP_LOST,
					 position);
		break;
	case OCSD_GEN_TRC_ELEM_ADDR_NACC:
		coresight_items_open_gap(elements->items,
					 missing_reason(elements->code->space,
							element->st_addr),
					 position);
		elements->blocks.must_start = false;
		break;
	case OCSD_GEN_TRC_ELEM_EXCEPTION:
		consume_exception(elements, element);
		break;
	case OCSD_GEN_TRC_ELEM_EXCEPTION_RET:
		consume_exception_return(elements);
		break;
	case OCSD_GEN_TRC_ELEM_MEMTRANS:
		consume_transaction(elements, element->mem_trans);
		break;
	default:
		break;
	}
}

/* Applies a time stamp to the clock and the code; starts a gap if it is outside
 * the recording's time.
 */
static void consume_time(struct coresight_elements *elements, uint64_t position,
			 uint64_t ticks)
{
	struct coresight_clock *clock = &elements->items->clock;
	uint64_t time_ns;

	if (clock->time != RECORDING_TIME_NANOSECONDS || !ticks)
		return;
	if (!tick_span_has(&elements->span, ticks)) {
		coresight_items_open_gap(elements->items, FLOW_GAP_BAD_TRACE,
					 position);
		elements->is_rejected = true;
		return;
	}
	time_ns = time_conversion_ns(
		recording_time_conversion(elements->feed->recording), ticks);
	if (coresight_clock_consume_time(clock, time_ns) &&
	    code_advance(elements->code, time_ns) < 0)
		elements->items->error = -ERROR_MEMORY;
}

/* Applies a count of cycles, which covers the execution before it, except at
 * the start of tracing.
 */
static void consume_count(struct coresight_elements *elements,
			  const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		coresight_clock_consume_stamp_cycles(&elements->items->clock,
						     element->cycle_count);
		break;
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
	case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
		coresight_clock_skip_cycles(&elements->items->clock,
					    element->cycle_count);
		break;
	default:
		coresight_clock_consume_cycles(&elements->items->clock,
					       element->cycle_count);
		break;
	}
}

/* Elements that newer versions of OpenCSD add are assumed not to affect control
 * flow.
 */
void coresight_elements_consume(struct coresight_elements *elements,
				uint64_t position,
				const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		consume_no_sync(elements, position, element->unsync_eot_info);
		break;
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		consume_time(elements, position, element->timestamp);
		break;
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
		context_consume(&elements->context, elements->feed->unit,
				elements->items, elements->code,
				&element->context);
		break;
	default:
		consume_synced(elements, position, element);
		break;
	}
	if (element->has_cc)
		consume_count(elements, element);
}

void coresight_elements_begin(struct coresight_elements *elements)
{
	elements->span = recording_tick_span(elements->feed->recording);
	elements->items->is_running = false;
	elements->blocks.must_start = false;
	coresight_clock_lose_count(&elements->items->clock);
}

void coresight_elements_end(struct coresight_elements *elements, bool is_lost)
{
	uint64_t end = coresight_feed_position(elements->feed);

	coresight_items_close_gap(elements->items, end);
	if (is_lost)
		coresight_items_open_gap(elements->items, FLOW_GAP_LOST, end);
	coresight_items_close_gap(elements->items, end);
	elements->is_off = elements->items->is_running;
	if (elements->items->is_running)
		stop(elements, FLOW_STOP_OFF);
}
