/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_path.h"
#include "decoder/code/code_space.h"
#include "decoder/coresight/coresight_target.h"

void coresight_path_expect(struct coresight_path *path, struct code_space *code,
			   const ocsd_generic_trace_elem *range, uint64_t last)
{
	const uint8_t *bytes;
	size_t left;

	path->is_known = true;
	path->next = range->en_addr;
	if (!range->last_instr_exec)
		return;
	if (range->last_i_type == OCSD_INSTR_BR_INDIRECT)
		path->is_known = false;
	if (range->last_i_type != OCSD_INSTR_BR)
		return;
	bytes = code_space_bytes(code, last, &left);
	path->is_known = bytes && coresight_target(range->isa, last, bytes,
						   left, &path->next);
}

/* Arm ARM DDI 0487, C4.1: branches and exceptions, without the system
 * instructions in the same encoding space.
 */
static bool leaves(uint32_t opcode)
{
	return (opcode & 0x1c000000) == 0x14000000 && opcode >> 24 != 0xd5;
}

static bool writes_trfcr(uint32_t opcode)
{
	return (opcode & 0xffffffe0) == 0xd5181220;
}

bool coresight_path_turns_off(const struct coresight_path *path,
			      struct code_space *code)
{
	const uint8_t *bytes = NULL;
	size_t left;

	if (path->is_known)
		bytes = code_space_bytes(code, path->next, &left);
	for (; bytes && left >= 4; bytes += 4, left -= 4) {
		uint32_t opcode = coresight_opcode(bytes);

		if (writes_trfcr(opcode) || leaves(opcode))
			return writes_trfcr(opcode);
	}
	return false;
}
