/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_parts.h"

static void add_block(struct coresight *source, uint64_t ip, uint64_t last,
		      uint16_t count, enum flow_exit exit, uint8_t length)
{
	coresight_emit(source, &(struct flow_item){
				       .kind = FLOW_BLOCK,
				       .detail = exit & 0xf,
				       .last_length = exit == FLOW_EXIT_CALL ?
							      length & 0xf :
							      0,
				       .instructions = count,
				       .last = (uint32_t)(last - ip),
				       .ip = ip,
			       });
	coresight_count(source, count);
}

static enum flow_exit exit_of(struct coresight *source,
			      const ocsd_generic_trace_elem *range,
			      uint64_t last)
{
	size_t left = 0;
	const uint8_t *bytes = NULL;

	if (range->last_i_type == OCSD_INSTR_BR_INDIRECT &&
	    range->isa != ocsd_isa_aarch64)
		bytes = code_space_bytes(source->code, last, &left);
	return coresight_exit(range, bytes, left);
}

/* A gap if the block at @ip is not where control had to go on. */
static void check_path(struct coresight *source, uint64_t position, uint64_t ip)
{
	if (!source->is_running || !coresight_path_is_left(&source->path, ip))
		return;
	coresight_open_gap(source, FLOW_GAP_BAD_TRACE, position);
	coresight_close_gap(source, position);
}

/* Straight code may be longer than a block's count goes: damaged trace leads
 * into what is no code.
 */
static void take_range(struct coresight *source, uint64_t position,
		       const ocsd_generic_trace_elem *range)
{
	uint64_t ip = range->st_addr;
	uint64_t last = range->en_addr - range->last_instr_sz;
	uint32_t count = range->num_instr_range;
	const uint64_t step = UINT16_MAX * UINT64_C(4);

	if (last < ip || !count)
		return;
	check_path(source, position, ip);
	if (source->must_start)
		coresight_emit(source, &(struct flow_item){
					       .kind = FLOW_START,
					       .ip = ip,
				       });
	source->must_start = false;
	for (; count > UINT16_MAX && last - ip > step; ip += step) {
		add_block(source, ip, ip + step - 4, UINT16_MAX, FLOW_EXIT_NONE,
			  0);
		count -= UINT16_MAX;
	}
	add_block(source, ip, last, (uint16_t)count,
		  exit_of(source, range, last), range->last_instr_sz);
	source->is_running = true;
	source->next_address = range->en_addr;
	coresight_path_expect(&source->path, source->code, range, last);
}

/* Only T32 lies between multiples of four: OpenCSD goes on in A32 where damage
 * made the trace one of Jazelle.
 */
static bool is_misplaced(const ocsd_generic_trace_elem *range)
{
	return range->isa != ocsd_isa_thumb2 && range->st_addr % 4;
}

static void take_code(struct coresight *source, uint64_t position,
		      const ocsd_generic_trace_elem *range)
{
	if (is_misplaced(range)) {
		coresight_open_gap(source, FLOW_GAP_BAD_TRACE, position);
		return;
	}
	coresight_close_gap(source, position);
	take_range(source, position, range);
}

/* What a system call or a return from an exception led to is not traced; what
 * the kernel does not switch off itself leaves the address ranges of the
 * filter.
 */
static uint8_t stop_reason(struct coresight *source)
{
	const struct coresight_entry *last;

	if (!source->entries.count)
		return FLOW_STOP_FILTER;
	last = array_at(&source->entries, source->entries.count - 1);
	if (last->item.kind == FLOW_ASYNC ||
	    (last->item.kind == FLOW_BLOCK &&
	     last->item.detail >= FLOW_EXIT_FAR_CALL))
		return FLOW_STOP_LEVEL;
	return source->mode == CORESIGHT_MODE_64 &&
			       coresight_path_turns_off(&source->path,
							source->code) ?
		       FLOW_STOP_OFF :
		       FLOW_STOP_FILTER;
}

static void stop(struct coresight *source, uint8_t reason)
{
	const struct flow_stamp stamp = coresight_stamp_after_block(source);

	coresight_emit_at(source,
			  &(struct flow_item){
				  .kind = FLOW_STOP,
				  .detail = reason & 0xf,
			  },
			  &stamp);
	source->is_running = false;
}

static void take_trace_on(struct coresight *source, uint64_t position,
			  trace_on_reason_t reason)
{
	if (reason == TRACE_ON_OVERFLOW) {
		coresight_open_gap(source, FLOW_GAP_OVERFLOW, position);
		coresight_close_gap(source, position);
	}
	if (source->is_running)
		stop(source, stop_reason(source));
	source->must_start = true;
	coresight_lose_count(source);
}

/* A call is the last block's own exit; other exceptions interrupt it. */
static void take_exception(struct coresight *source,
			   const ocsd_generic_trace_elem *element)
{
	bool is_call =
		coresight_is_call(coresight_unit_is_old(source->feed.unit),
				  element->exception_number);
	struct flow_item *block = coresight_last_block(source);
	uint64_t address = element->excep_ret_addr ? element->en_addr :
						     source->next_address;

	source->path.is_known = false;
	if (!source->is_running)
		return;
	if (block && block->detail == FLOW_EXIT_NONE &&
	    address == source->next_address && is_call) {
		block->detail = FLOW_EXIT_FAR_CALL;
		block->last_length = (address - block->ip - block->last) & 0xf;
		return;
	}
	coresight_emit(source, &(struct flow_item){
				       .kind = FLOW_ASYNC,
				       .ip = address,
			       });
}

/* 32-bit code returns by instructions that do other things as well. */
static void take_exception_return(struct coresight *source)
{
	struct flow_item *block = coresight_last_block(source);

	if (block && (block->detail == FLOW_EXIT_JUMP ||
		      block->detail == FLOW_EXIT_RETURN))
		block->detail = FLOW_EXIT_FAR_RETURN;
}

static void take_transaction(struct coresight *source, trace_memtrans_t what)
{
	static const uint8_t details[] = {
		[OCSD_MEM_TRANS_TRACE_INIT] = 1,
		[OCSD_MEM_TRANS_START] = 1,
		[OCSD_MEM_TRANS_COMMIT] = 2,
		[OCSD_MEM_TRANS_FAIL] = 3,
	};

	if ((unsigned int)what < sizeof(details))
		coresight_emit(source, &(struct flow_item){
					       .kind = FLOW_TRANSACTION,
					       .detail = details[what] & 0xf,
				       });
}

/* OpenCSD's decoders of the older protocols say no reason, but for the first
 * after a reset.
 */
static void take_no_sync(struct coresight *source, uint64_t position,
			 unsync_info_t why)
{
	bool is_overflow = !coresight_unit_is_old(source->feed.unit) &&
			   (why == UNSYNC_OVERFLOW || why == UNSYNC_DISCARD);

	if (source->feed.is_new)
		return;
	coresight_open_gap(source,
			   is_overflow ? FLOW_GAP_OVERFLOW : FLOW_GAP_BAD_TRACE,
			   position);
	source->is_rejected = !is_overflow;
}

/* Elements that follow only where the decoder knows where it is. */
static void take_synced(struct coresight *source, uint64_t position,
			const ocsd_generic_trace_elem *element)
{
	if (source->gap.is_open && source->gap.reason == FLOW_GAP_UNSYNCED)
		coresight_close_gap(source, position);
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
		take_trace_on(source, position, element->trace_on_reason);
		break;
	case OCSD_GEN_TRC_ELEM_INSTR_RANGE:
		take_code(source, position, element);
		break;
	case OCSD_GEN_TRC_ELEM_I_RANGE_NOPATH:
		coresight_open_gap(source, FLOW_GAP_LOST, position);
		break;
	case OCSD_GEN_TRC_ELEM_ADDR_NACC:
		coresight_open_gap(source,
				   code_space_is_unknown(source->code,
							 element->st_addr) ?
					   FLOW_GAP_CODE_CHANGED :
					   FLOW_GAP_NO_CODE,
				   position);
		source->must_start = false;
		break;
	case OCSD_GEN_TRC_ELEM_EXCEPTION:
		take_exception(source, element);
		break;
	case OCSD_GEN_TRC_ELEM_EXCEPTION_RET:
		take_exception_return(source);
		break;
	case OCSD_GEN_TRC_ELEM_MEMTRANS:
		take_transaction(source, element->mem_trans);
		break;
	default:
		break;
	}
}

/* What a count is of comes before it, but for what begins to be traced. */
static void take_count(struct coresight *source,
		       const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		coresight_take_stamp_cycles(source, element->cycle_count);
		break;
	case OCSD_GEN_TRC_ELEM_TRACE_ON:
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
	case OCSD_GEN_TRC_ELEM_ADDR_UNKNOWN:
		coresight_skip_cycles(source, element->cycle_count);
		break;
	default:
		coresight_take_cycles(source, element->cycle_count);
		break;
	}
}

/* Elements of a newer OpenCSD than this was written for do not change where
 * control goes.
 */
void coresight_take(struct coresight *source, uint64_t position,
		    const ocsd_generic_trace_elem *element)
{
	switch ((int)element->elem_type) {
	case OCSD_GEN_TRC_ELEM_NO_SYNC:
		take_no_sync(source, position, element->unsync_eot_info);
		break;
	case OCSD_GEN_TRC_ELEM_TIMESTAMP:
		coresight_take_time(source, element->timestamp);
		break;
	case OCSD_GEN_TRC_ELEM_PE_CONTEXT:
		coresight_take_context(source, &element->context);
		break;
	default:
		take_synced(source, position, element);
		break;
	}
	if (element->has_cc)
		take_count(source, element);
}

void coresight_end_session(struct coresight *source, bool is_lost)
{
	uint64_t end = coresight_feed_position(&source->feed);

	coresight_close_gap(source, end);
	if (is_lost)
		coresight_open_gap(source, FLOW_GAP_LOST, end);
	coresight_close_gap(source, end);
	source->is_off = source->is_running;
	if (source->is_running)
		stop(source, FLOW_STOP_OFF);
}
