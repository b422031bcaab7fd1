/* SPDX-License-Identifier: MIT */
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_parts.h"
#include "decoder/coresight/coresight_target.h"

void coresight_expect_next(struct coresight *source,
			   const ocsd_generic_trace_elem *range, uint64_t last)
{
	const uint8_t *bytes;
	size_t left;

	source->next_is_known = true;
	source->expected = range->en_addr;
	if (!range->last_instr_exec)
		return;
	if (range->last_i_type == OCSD_INSTR_BR_INDIRECT)
		source->next_is_known = false;
	if (range->last_i_type != OCSD_INSTR_BR)
		return;
	bytes = code_space_bytes(source->code, last, &left);
	source->next_is_known = bytes &&
				coresight_target(range->isa, last, bytes, left,
						 &source->expected);
}

void coresight_check_path(struct coresight *source, uint64_t position,
			  uint64_t ip)
{
	if (!source->is_running || !source->next_is_known ||
	    source->expected == ip)
		return;
	coresight_open_gap(source, FLOW_GAP_BAD_TRACE, position);
	coresight_close_gap(source, position);
}

/* Arm ARM DDI 0487, C4.1: branches and exceptions, but not what is encoded among
 * them for the system's sake.
 */
static bool leaves(uint32_t opcode)
{
	return (opcode & 0x1c000000) == 0x14000000 && opcode >> 24 != 0xd5;
}

static bool writes_trfcr(uint32_t opcode)
{
	return (opcode & 0xffffffe0) == 0xd5181220;
}

bool coresight_turns_off(struct coresight *source)
{
	const uint8_t *bytes = NULL;
	size_t left;

	if (source->next_is_known && source->mode == CORESIGHT_MODE_64)
		bytes = code_space_bytes(source->code, source->expected, &left);
	for (; bytes && left >= 4; bytes += 4, left -= 4) {
		uint32_t opcode = coresight_opcode(bytes);

		if (writes_trfcr(opcode) || leaves(opcode))
			return writes_trfcr(opcode);
	}
	return false;
}
