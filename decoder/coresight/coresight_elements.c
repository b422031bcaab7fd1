/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_elements.h"
#include "common/error.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_code.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_feed.h"
#include "decoder/coresight/coresight_items.h"
#include "decoder/recording/coresight_unit.h"
#include "decoder/recording/time_conversion.h"

/* The target of a system call or a return from an exception is not traced; any
 * other stop not made by the kernel is a branch out of the filter's address
 * ranges.
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

static void take_trace_on(struct coresight_elements *elements,
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

/* A system call is the last block's own exit; other exceptions interrupt it. */
static void take_exception(struct coresight_elements *elements,
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

/* 32-bit code returns with instructions that have other uses as well. */
static void take_exception_return(struct coresight_elements *elements)
{
	struct flow_item *block = coresight_items_last_block(elements->items);

	if (block && (block->detail == FLOW_EXIT_JUMP ||
		      block->detail == FLOW_EXIT_RETURN))
		block->detail = FLOW_EXIT_FAR_RETURN;
}

static void take_transaction(struct coresight_elements *elements,
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

/* OpenCSD's decoders of the older protocols give no reason, except for the
 * first element after a reset.
 */
static void take_no_sync(struct coresight_elements *elements, uint64_t position,
			 unsync_info_t why)
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
static void take_synced(struct coresight_elements *elements, uint64_t position,
			const ocsd_generic_trace_elem *element)
{
	if (elements->items->gap.is_open &&
	    elements->items->gap.reason == FLOW_GAP_UNSYNCED)
		coresight_items_close_gap(elements->items, position);
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
		take_trace_on(elements, position, element->trace_on_reason);
		break;
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		coresight_blocks_take(&elements->blocks, elements->items,
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
		take_exception(elements, element);
		break;
	case OCSD_GEN_TRC_ELEM_EXCEPTION_RET:
		take_exception_return(elements);
		break;
	case OCSD_GEN_TRC_ELEM_MEMTRANS:
		take_transaction(elements, element->mem_trans);
		break;
	default:
		break;
	}
}

static void take_time(struct coresight_elements *elements, uint64_t ticks)
{
	struct coresight_clock *clock = &elements->items->clock;
	uint64_t time_ns;

	if (clock->time != RECORDING_TIME_NANOSECONDS || !ticks)
		return;
	time_ns = time_conversion_ns(
		recording_time_conversion(elements->feed->recording), ticks);
	if (coresight_clock_take_time(clock, time_ns) &&
	    coresight_code_advance(elements->code, time_ns) < 0)
		elements->items->error = -ERROR_MEMORY;
}

/* A count covers the execution before it, except at the start of tracing. */
static void take_count(struct coresight_elements *elements,
		       const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		coresight_clock_take_stamp_cycles(&elements->items->clock,
						  element->cycle_count);
		break;
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
	case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
		coresight_clock_skip_cycles(&elements->items->clock,
					    element->cycle_count);
		break;
	default:
		coresight_clock_take_cycles(&elements->items->clock,
					    element->cycle_count);
		break;
	}
}

/* Unknown elements of newer OpenCSD versions are assumed not to affect control
 * flow.
 */
void coresight_elements_take(struct coresight_elements *elements,
			     uint64_t position,
			     const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		take_no_sync(elements, position, element->unsync_eot_info);
		break;
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		take_time(elements, element->timestamp);
		break;
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
		coresight_context_take(&elements->context, elements->feed->unit,
				       elements->items, elements->code,
				       &element->context);
		break;
	default:
		take_synced(elements, position, element);
		break;
	}
	if (element->has_cc)
		take_count(elements, element);
}

void coresight_elements_begin(struct coresight_elements *elements)
{
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
