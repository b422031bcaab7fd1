/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/coresight_exit.h"
#include "decoder/coresight/coresight_target.h"

static uint16_t read_u16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* A32: writes of the program counter that restore the status register too
 * (Arm ARM DDI 0406: SUBS PC LR and related, LDM exception return, RFE).
 */
static bool is_arm_return(uint32_t opcode)
{
	return (opcode & 0x0c10f000) == 0x0010f000 ||
	       (opcode & 0x0e508000) == 0x08508000 ||
	       (opcode & 0xfe50ffff) == 0xf8100a00;
}

/* T32: SUBS PC, LR, #imm8; RFEIA and RFEDB. */
static bool is_thumb_return(uint16_t first, uint16_t second)
{
	return (first == 0xf3de && (second & 0xff00) == 0x8f00) ||
	       ((first & 0xffd0) == 0xe990 && second == 0xc000) ||
	       ((first & 0xffd0) == 0xe810 && second == 0xc000);
}

/* In 32-bit code OpenCSD does not distinguish returns from exceptions from
 * other indirect branches.
 */
static bool is_old_exception_return(const ocsd_generic_trace_elem *range,
				    const uint8_t *bytes, size_t size)
{
	if (!bytes || size < 4 || range->last_instr_sz != 4)
		return false;
	if (range->isa == ocsd_isa_arm)
		return is_arm_return(coresight_opcode(bytes));
	return range->isa == ocsd_isa_thumb2 &&
	       is_thumb_return(read_u16(bytes), read_u16(bytes + 2));
}

static enum flow_exit indirect_exit(const ocsd_generic_trace_elem *range,
				    const uint8_t *bytes, size_t size)
{
	if (!range->last_instr_exec)
		return FLOW_EXIT_NONE;
	if (range->last_i_subtype == OCSD_S_INSTR_V8_ERET ||
	    is_old_exception_return(range, bytes, size))
		return FLOW_EXIT_FAR_RETURN;
	switch ((int)range->last_i_subtype) {
	case OCSD_S_INSTR_BR_LINK:
		return FLOW_EXIT_CALL;
	case OCSD_S_INSTR_V8_RET:
	case OCSD_S_INSTR_V7_IMPLIED_RET:
		return FLOW_EXIT_RETURN;
	default:
		return FLOW_EXIT_JUMP;
	}
}

/* A conditional call that is not executed does nothing. */
static enum flow_exit direct_exit(const ocsd_generic_trace_elem *range)
{
	if (range->last_i_subtype == OCSD_S_INSTR_BR_LINK)
		return range->last_instr_exec ? FLOW_EXIT_CALL : FLOW_EXIT_NONE;
	return range->last_instr_cond || !range->last_instr_exec ?
		       FLOW_EXIT_CONDITIONAL :
		       FLOW_EXIT_JUMP;
}

enum flow_exit coresight_exit(const ocsd_generic_trace_elem *range,
			      const uint8_t *last_bytes, size_t size)
{
	switch ((int)range->last_i_type) {
	case OCSD_INSTR_BR:
		return direct_exit(range);
	case OCSD_INSTR_BR_INDIRECT:
		return indirect_exit(range, last_bytes, size);
	default:
		return FLOW_EXIT_NONE;
	}
}

bool coresight_looks_slow(const uint8_t *bytes, size_t size)
{
	uint32_t opcode;

	if (size < 4)
		return false;
	opcode = coresight_opcode(bytes);
	return (opcode & 0xffffffdf) == 0xd503205f ||
	       (opcode & 0x0ffffffe) == 0x0320f002 ||
	       (opcode & 0xffef) == 0xbf20;
}

/* Exception types of the ETM architecture: v4 and ETE "Call"; v3 and PTM
 * supervisor, secure monitor and hypervisor call.
 */
bool coresight_is_call(bool is_old, uint32_t exception_number)
{
	if (!is_old)
		return exception_number == 2;
	return exception_number == 10 || exception_number == 2 ||
	       exception_number == 3;
}
