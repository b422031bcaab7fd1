/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_library.h"

#include "common/error.h"

#include <Zydis/Zydis.h>

#define STRING_REPEATED \
	(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)

/* Addresses are 64 bits wide only in 64-bit mode; others wrap at 4 GB. A 16-bit
 * operand size truncates the target in 32-bit code; in 16-bit code the base of
 * relative targets is not known.
 */
static uint64_t branch_target(enum instruction_set set, uint64_t address,
			      const ZydisDecodedInstruction *decoded)
{
	uint64_t target = address + decoded->length +
			  (uint64_t)decoded->raw.imm[0].value.s;

	if (set == INSTRUCTION_X86_64)
		return target;
	if (set == INSTRUCTION_X86_32 && decoded->operand_width == 16)
		return target & UINT16_MAX;
	return (address & ~(uint64_t)UINT32_MAX) | (target & UINT32_MAX);
}

static void set_branch(enum instruction_set set, uint64_t address,
		       const ZydisDecodedInstruction *decoded,
		       enum instruction_kind direct,
		       enum instruction_kind indirect,
		       enum instruction_kind far,
		       struct instruction *instruction)
{
	if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_FAR) {
		instruction->kind = (uint8_t)far;
		return;
	}
	if (!decoded->raw.imm[0].is_relative) {
		instruction->kind = (uint8_t)indirect;
		return;
	}
	instruction->kind = (uint8_t)direct;
	instruction->target = branch_target(set, address, decoded);
}

/* Far calls and returns include Intel's far transfers (SDM, volume 3, Intel PT,
 * "COFI type for branch instructions"), and transitions to and from a virtual
 * machine monitor.
 */
static enum instruction_kind kind_of(ZydisMnemonic mnemonic)
{
	switch ((unsigned int)mnemonic) {
	case ZYDIS_MNEMONIC_INT:
	case ZYDIS_MNEMONIC_INT1:
	case ZYDIS_MNEMONIC_INT3:
	case ZYDIS_MNEMONIC_INTO:
	case ZYDIS_MNEMONIC_SYSCALL:
	case ZYDIS_MNEMONIC_SYSENTER:
	case ZYDIS_MNEMONIC_VMCALL:
	case ZYDIS_MNEMONIC_SEAMCALL:
	case ZYDIS_MNEMONIC_TDCALL:
		return INSTRUCTION_FAR_CALL;
	case ZYDIS_MNEMONIC_IRET:
	case ZYDIS_MNEMONIC_IRETD:
	case ZYDIS_MNEMONIC_IRETQ:
	case ZYDIS_MNEMONIC_SYSRET:
	case ZYDIS_MNEMONIC_SYSEXIT:
	case ZYDIS_MNEMONIC_UIRET:
	case ZYDIS_MNEMONIC_VMLAUNCH:
	case ZYDIS_MNEMONIC_VMRESUME:
	case ZYDIS_MNEMONIC_SEAMRET:
	case ZYDIS_MNEMONIC_RSM:
		return INSTRUCTION_FAR_RETURN;
	default:
		return INSTRUCTION_PLAIN;
	}
}

static bool is_wait(ZydisMnemonic mnemonic)
{
	switch ((unsigned int)mnemonic) {
	case ZYDIS_MNEMONIC_HLT:
	case ZYDIS_MNEMONIC_MWAIT:
	case ZYDIS_MNEMONIC_MWAITX:
	case ZYDIS_MNEMONIC_UMWAIT:
	case ZYDIS_MNEMONIC_TPAUSE:
		return true;
	default:
		return false;
	}
}

/* xrstors may restore IA32_RTIT_CTL. */
static bool may_switch_trace(ZydisMnemonic mnemonic)
{
	return mnemonic == ZYDIS_MNEMONIC_WRMSR ||
	       mnemonic == ZYDIS_MNEMONIC_XRSTORS ||
	       mnemonic == ZYDIS_MNEMONIC_XRSTORS64;
}

static void set_by_mnemonic(const ZydisDecodedInstruction *decoded,
			    struct instruction *instruction)
{
	ZydisMnemonic mnemonic = decoded->mnemonic;

	instruction->kind = (uint8_t)kind_of(mnemonic);
	instruction->may_take_long |= is_wait(mnemonic);
	instruction->switches_trace = may_switch_trace(mnemonic);
	instruction->writes_trace = mnemonic == ZYDIS_MNEMONIC_PTWRITE;
}

/* mov to control register 3: 0f 22 /3. */
static bool is_page_table_write(const ZydisDecodedInstruction *decoded)
{
	return decoded->opcode_map == ZYDIS_OPCODE_MAP_0F &&
	       decoded->opcode == 0x22 && decoded->raw.modrm.reg == 3 &&
	       !decoded->raw.rex.R;
}

/* xbegin counts as a conditional branch in its category: it never branches
 * itself, but an abort resumes at its target.
 */
static void translate(enum instruction_set set, uint64_t address,
		      const ZydisDecodedInstruction *decoded,
		      struct instruction *instruction)
{
	instruction->length = decoded->length;
	instruction->may_take_long = decoded->attributes & STRING_REPEATED;
	instruction->writes_page_table = is_page_table_write(decoded);
	if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE)
		set_by_mnemonic(decoded, instruction);
	else if (decoded->mnemonic == ZYDIS_MNEMONIC_CALL)
		set_branch(set, address, decoded, INSTRUCTION_CALL,
			   INSTRUCTION_INDIRECT_CALL, INSTRUCTION_FAR_CALL,
			   instruction);
	else if (decoded->mnemonic == ZYDIS_MNEMONIC_JMP)
		set_branch(set, address, decoded, INSTRUCTION_JUMP,
			   INSTRUCTION_INDIRECT_JUMP, INSTRUCTION_FAR_JUMP,
			   instruction);
	else if (decoded->mnemonic == ZYDIS_MNEMONIC_RET)
		set_branch(set, address, decoded, INSTRUCTION_RETURN,
			   INSTRUCTION_RETURN, INSTRUCTION_FAR_RETURN,
			   instruction);
	else if (decoded->meta.category == ZYDIS_CATEGORY_COND_BR)
		set_branch(set, address, decoded, INSTRUCTION_CONDITIONAL,
			   INSTRUCTION_CONDITIONAL, INSTRUCTION_CONDITIONAL,
			   instruction);
	else
		set_by_mnemonic(decoded, instruction);
}

static ZyanStatus decode(enum instruction_set set, const uint8_t *bytes,
			 size_t size, ZydisDecodedInstruction *decoded)
{
	static const struct {
		ZydisMachineMode mode;
		ZydisStackWidth stack;
	} modes[] = {
		[INSTRUCTION_X86_16] = { ZYDIS_MACHINE_MODE_LEGACY_16,
					 ZYDIS_STACK_WIDTH_16 },
		[INSTRUCTION_X86_32] = { ZYDIS_MACHINE_MODE_LEGACY_32,
					 ZYDIS_STACK_WIDTH_32 },
		[INSTRUCTION_X86_64] = { ZYDIS_MACHINE_MODE_LONG_64,
					 ZYDIS_STACK_WIDTH_64 },
	};
	ZydisDecoder decoder;

	ZydisDecoderInit(&decoder, modes[set].mode, modes[set].stack);
	return ZydisDecoderDecodeInstruction(&decoder, NULL, bytes, size,
					     decoded);
}

/* Zydis decodes part of VEX's space as Knights Corner's instructions, jkzd and
 * jknzd among them: no processor with Intel PT has those.
 */
static bool is_foreign(const ZydisDecodedInstruction *decoded)
{
	return decoded->meta.isa_ext == ZYDIS_ISA_EXT_KNC ||
	       decoded->meta.isa_ext == ZYDIS_ISA_EXT_KNCE ||
	       decoded->meta.isa_ext == ZYDIS_ISA_EXT_KNCV;
}

int x86_library_read(enum instruction_set set, uint64_t address,
		     const uint8_t *bytes, size_t size,
		     struct instruction *instruction)
{
	ZydisDecodedInstruction decoded;
	ZyanStatus status = decode(set, bytes, size, &decoded);

	if (status == ZYDIS_STATUS_NO_MORE_DATA)
		return 0;
	if (ZYAN_FAILED(status) || is_foreign(&decoded))
		return -ERROR_UNSUPPORTED;
	translate(set, address, &decoded, instruction);
	return 1;
}
