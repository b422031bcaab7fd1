/* SPDX-License-Identifier: MIT */
#include "decoder/coresight/range_exit_internal.h"

#include "decoder/code/code_space.h"

static uint64_t sign_extend(uint64_t value, unsigned int bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (value ^ sign) - sign;
}

/* Returns @bits bits of @opcode, starting at bit @low. */
static uint64_t field(uint32_t opcode, unsigned int low, unsigned int bits)
{
	return opcode >> low & ((UINT64_C(1) << bits) - 1);
}

static uint64_t a64_long(uint32_t opcode)
{
	return sign_extend(field(opcode, 0, 26), 26) * 4;
}

static uint64_t a64_conditional(uint32_t opcode)
{
	return sign_extend(field(opcode, 5, 19), 19) * 4;
}

static uint64_t a64_bit(uint32_t opcode)
{
	return sign_extend(field(opcode, 5, 14), 14) * 4;
}

static uint64_t a32_long(uint32_t opcode)
{
	return sign_extend(field(opcode, 0, 24), 24) * 4;
}

/* Returns the distance of A32's BLX, which has an extra bit for the target's
 * halfword, since it switches to T32.
 */
static uint64_t a32_exchange(uint32_t opcode)
{
	return a32_long(opcode) + field(opcode, 24, 1) * 2;
}

static uint64_t t32_short_conditional(uint32_t opcode)
{
	return sign_extend(field(opcode, 16, 8), 8) * 2;
}

static uint64_t t32_short(uint32_t opcode)
{
	return sign_extend(field(opcode, 16, 11), 11) * 2;
}

static uint64_t t32_conditional(uint32_t opcode)
{
	return sign_extend(field(opcode, 26, 1) << 19 |
				   field(opcode, 11, 1) << 18 |
				   field(opcode, 13, 1) << 17 |
				   field(opcode, 16, 6) << 11 |
				   field(opcode, 0, 11),
			   20) *
	       2;
}

static uint64_t t32_long(uint32_t opcode)
{
	uint64_t sign = field(opcode, 26, 1);
	uint64_t is_same[2] = {
		field(opcode, 13, 1) == sign,
		field(opcode, 11, 1) == sign,
	};

	return sign_extend(sign << 23 | is_same[0] << 22 | is_same[1] << 21 |
				   field(opcode, 16, 10) << 11 |
				   field(opcode, 0, 11),
			   24) *
	       2;
}

static uint64_t t32_zero(uint32_t opcode)
{
	return (field(opcode, 25, 1) << 5 | field(opcode, 19, 5)) * 2;
}

/* The first match applies. T32 has its first half in the upper bits. */
static const struct branch_layout {
	ocsd_isa isa;
	uint32_t mask;
	uint32_t value;
	uint64_t (*offset)(uint32_t opcode); /* NULL: not a branch */
	unsigned int pipeline;
	unsigned int alignment; /* of the address before the offset is added */
} layouts[] = {
	{ ocsd_isa_aarch64, 0x7c000000, 0x14000000, a64_long, 0, 4 },
	{ ocsd_isa_aarch64, 0xff000000, 0x54000000, a64_conditional, 0, 4 },
	{ ocsd_isa_aarch64, 0x7e000000, 0x34000000, a64_conditional, 0, 4 },
	{ ocsd_isa_aarch64, 0x7e000000, 0x36000000, a64_bit, 0, 4 },
	{ ocsd_isa_arm, 0xfe000000, 0xfa000000, a32_exchange, 8, 4 },
	{ ocsd_isa_arm, 0x0e000000, 0x0a000000, a32_long, 8, 4 },
	{ ocsd_isa_thumb2, 0xfe000000, 0xde000000, NULL, 0, 0 }, /* SVC */
	{ ocsd_isa_thumb2, 0xf0000000, 0xd0000000, t32_short_conditional, 4,
	  2 },
	{ ocsd_isa_thumb2, 0xf8000000, 0xe0000000, t32_short, 4, 2 },
	{ ocsd_isa_thumb2, 0xf5000000, 0xb1000000, t32_zero, 4, 2 },
	{ ocsd_isa_thumb2, 0xfb80d000, 0xf3808000, NULL, 0, 0 }, /* MSR */
	{ ocsd_isa_thumb2, 0xf800d000, 0xf0008000, t32_conditional, 4, 2 },
	{ ocsd_isa_thumb2, 0xf8009000, 0xf0009000, t32_long, 4, 2 },
	{ ocsd_isa_thumb2, 0xf800d001, 0xf000c000, t32_long, 4, 4 }, /* BLX */
};

/* Returns the instruction of four bytes at @bytes. */
static uint32_t coresight_opcode(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 |
	       (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* Returns whether the instruction is complete. */
static bool read_opcode(ocsd_isa isa, const uint8_t *bytes, size_t size,
			uint32_t *opcode)
{
	bool is_t32 = isa == ocsd_isa_thumb2;

	if (is_t32 && size >= 2 && bytes[1] < 0xe8) {
		*opcode = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 24;
		return true;
	}
	if (size < 4)
		return false;
	*opcode = coresight_opcode(bytes);
	if (is_t32)
		*opcode = *opcode << 16 | *opcode >> 16;
	return true;
}

static const struct branch_layout *find_layout(ocsd_isa isa, uint32_t opcode)
{
	for (size_t i = 0; i < sizeof(layouts) / sizeof(*layouts); i++)
		if (layouts[i].isa == isa &&
		    (opcode & layouts[i].mask) == layouts[i].value)
			return layouts[i].offset ? &layouts[i] : NULL;
	return NULL;
}

bool coresight_target(ocsd_isa isa, uint64_t address, const uint8_t *bytes,
		      size_t size, uint64_t *target)
{
	const struct branch_layout *layout;
	uint64_t base;
	uint32_t opcode;

	if (!read_opcode(isa, bytes, size, &opcode))
		return false;
	layout = find_layout(isa, opcode);
	if (!layout)
		return false;
	base = (address + layout->pipeline) & -(uint64_t)layout->alignment;
	*target = base + layout->offset(opcode);
	if (isa != ocsd_isa_aarch64)
		*target &= UINT32_MAX;
	return true;
}

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

/* Returns whether @opcode is a branch or an exception: Arm ARM DDI 0487, C4.1,
 * without the system instructions in the same encoding space.
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

static uint16_t read_u16(const uint8_t *bytes)
{
	return (uint16_t)(bytes[0] | bytes[1] << 8);
}

/* Returns whether an A32 instruction returns from an exception: writes of the
 * program counter that restore the status register too (Arm ARM DDI 0406: SUBS
 * PC LR and related, LDM exception return, RFE).
 */
static bool is_arm_return(uint32_t opcode)
{
	return (opcode & 0x0c10f000) == 0x0010f000 ||
	       (opcode & 0x0e508000) == 0x08508000 ||
	       (opcode & 0xfe50ffff) == 0xf8100a00;
}

/* Returns whether a T32 instruction returns from an exception: SUBS PC, LR,
 * #imm8; RFEIA and RFEDB.
 */
static bool is_thumb_return(uint16_t first, uint16_t second)
{
	return (first == 0xf3de && (second & 0xff00) == 0x8f00) ||
	       ((first & 0xffd0) == 0xe990 && second == 0xc000) ||
	       ((first & 0xffd0) == 0xe810 && second == 0xc000);
}

/* Returns whether the range ends in a return from an exception of 32-bit code,
 * which OpenCSD does not distinguish from other indirect branches.
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

/* Returns the exit of a direct branch. A conditional call that is not executed
 * does nothing.
 */
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

/* The exception types of the ETM architecture: v4 and ETE "Call"; v3 and PTM
 * supervisor, secure monitor and hypervisor call.
 */
bool coresight_is_call(bool is_old, uint32_t exception_number)
{
	if (!is_old)
		return exception_number == 2;
	return exception_number == 10 || exception_number == 2 ||
	       exception_number == 3;
}
