/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_instruction_internal.h"

#include <Zydis/Zydis.h>
#include <string.h>

#include "common/error.h"
#include "execution/instruction/x86_encoding_internal.h"

/* Two decoders with one result. x86_frequent_read() handles the most frequent
 * instructions by a table of their first opcode byte, which gives the format of
 * the bytes after it and the effect; it returns false for all others. Those go
 * to x86_newer_read() (x86_encoding.c), then to Zydis, and then to the other
 * functions of x86_encoding.c: the first that knows the instruction decides.
 *
 * The mnemonic decides the kind (kind_of()). For the target of a relative
 * branch the operand size matters in 16- and 32-bit code only.
 */

/* The format of the bytes after an opcode (Intel SDM, volume 2, appendix A),
 * and the effect.
 */
enum form {
	OTHER, /* decoded by Zydis */
	ALONE,
	BYTE, /* an immediate of a byte */
	WORD, /* two or four bytes, by operand size */
	QUAD, /* eight bytes with REX.W, else as WORD */
	MODRM,
	MODRM_BYTE,
	MODRM_WORD,
	MODRM_ADDRESS, /* the operand must be memory */
	MODRM_STORE,   /* only /0, with BYTE or WORD */
	MODRM_TEST,    /* f6, f7: /0 has an immediate, /1 is unused */
	MODRM_BITS,    /* 0f ba: /4 to /7, with BYTE */
	/* fe, ff: /0 and /1 are inc and dec; ff /6 is push, ff /2 to /5 branch
	 */
	MODRM_STEP,
	/* Direct branches, by the size of their displacement, and returns: */
	CONDITIONAL_BYTE,
	CONDITIONAL_LONG,
	JUMP_BYTE,
	JUMP_LONG,
	CALL_LONG,
	RETURN,
};

#define ARITHMETIC(at) \
	[at] = MODRM, [(at) + 1] = MODRM, [(at) + 2] = MODRM, \
	[(at) + 3] = MODRM, [(at) + 4] = BYTE, [(at) + 5] = WORD

static const uint8_t one_byte[256] = {
	ARITHMETIC(0x00),
	ARITHMETIC(0x08),
	ARITHMETIC(0x10),
	ARITHMETIC(0x18),
	ARITHMETIC(0x20),
	ARITHMETIC(0x28),
	ARITHMETIC(0x30),
	ARITHMETIC(0x38),
	[0x50 ... 0x5f] = ALONE, /* push, pop */
	[0x63] = MODRM,		 /* movsxd */
	[0x68] = WORD,
	[0x69] = MODRM_WORD,
	[0x6a] = BYTE,
	[0x6b] = MODRM_BYTE,
	[0x70 ... 0x7f] = CONDITIONAL_BYTE,
	[0x80] = MODRM_BYTE,
	[0x81] = MODRM_WORD,
	[0x83] = MODRM_BYTE,
	[0x84 ... 0x8b] = MODRM, /* test, xchg, mov */
	[0x8d] = MODRM_ADDRESS,	 /* lea */
	[0x90 ... 0x99] = ALONE, /* xchg, cdqe, cqo */
	[0xa8] = BYTE,
	[0xa9] = WORD,
	[0xb0 ... 0xb7] = BYTE, /* mov */
	[0xb8 ... 0xbf] = QUAD,
	[0xc0 ... 0xc1] = MODRM_BYTE,
	[0xc3] = RETURN,
	[0xc6 ... 0xc7] = MODRM_STORE,
	[0xc9] = ALONE,
	[0xd0 ... 0xd3] = MODRM,
	[0xe8] = CALL_LONG,
	[0xe9] = JUMP_LONG,
	[0xeb] = JUMP_BYTE,
	[0xf6 ... 0xf7] = MODRM_TEST,
	[0xfe ... 0xff] = MODRM_STEP,
};

static const uint8_t two_bytes[256] = {
	[0x10 ... 0x11] = MODRM, /* movups, movupd */
	[0x1f] = MODRM,		 /* nop */
	[0x28 ... 0x29] = MODRM, /* movaps, movapd */
	[0x40 ... 0x4f] = MODRM, /* cmov */
	[0x57] = MODRM,		 /* xorps, xorpd */
	[0x80 ... 0x8f] = CONDITIONAL_LONG,
	[0x90 ... 0x9f] = MODRM, /* set */
	[0xa3] = MODRM,		 /* bt, bts, btr, btc */
	[0xab] = MODRM,
	[0xb3] = MODRM,
	[0xba] = MODRM_BITS,
	[0xbb] = MODRM,
	[0xaf ... 0xb1] = MODRM, /* imul, cmpxchg */
	[0xb6 ... 0xb7] = MODRM, /* movzx */
	[0xbe ... 0xbf] = MODRM, /* movsx */
	[0xc0 ... 0xc1] = MODRM, /* xadd */
	[0xc8 ... 0xcf] = ALONE, /* bswap */
	[0xef] = MODRM,		 /* pxor */
};

/* A frequent instruction while it is decoded. */
struct frequent {
	struct x86_opcode opcode;
	enum form form;
	bool is_short; /* 16-bit operands, by 66, unless rex has W */
	bool has_prefix;
	uint8_t rex;
};

static bool is_prefix(uint8_t byte)
{
	return byte == 0x26 || byte == 0x2e || byte == 0x36 || byte == 0x3e ||
	       byte == 0x64 || byte == 0x65 || byte == 0x66;
}

/* Returns whether @opcode may add to a variable: see set_counter(). */
static bool may_count(uint8_t opcode)
{
	return opcode == 0x01 || opcode == 0x29 || opcode == 0x81 ||
	       opcode == 0x83 || opcode == 0xff;
}

static void read_opcode(struct frequent *read)
{
	struct x86_opcode *opcode = &read->opcode;
	uint8_t byte = x86_opcode_next(opcode);
	bool is_of_cpu = false;

	for (; is_prefix(byte); byte = x86_opcode_next(opcode)) {
		read->has_prefix = true;
		read->is_short |= byte == 0x66;
		is_of_cpu |= byte == 0x65;
	}
	if ((byte & 0xf0) == 0x40) {
		read->rex = byte;
		byte = x86_opcode_next(opcode);
	}
	read->is_short &= !(read->rex & 8);
	read->form = is_of_cpu && may_count(byte) ? OTHER : one_byte[byte];
	if (byte != 0x0f) {
		opcode->opcode = byte;
		return;
	}
	opcode->map = 1;
	opcode->opcode = x86_opcode_next(opcode);
	read->form = two_bytes[opcode->opcode];
}

/* Skips an immediate of two or four bytes. */
static void pass_word(struct frequent *read)
{
	read->opcode.at += read->is_short ? 2 : 4;
}

/* Skips an immediate. The lowest bit of these opcodes is set for operands of
 * more than a byte.
 */
static void pass_operand(struct frequent *read)
{
	if (read->opcode.opcode & 1)
		pass_word(read);
	else
		read->opcode.at += 1;
}

/* Skips ModR/M and the immediate of an opcode whose effect depends on ModR/M.
 * Returns false if the instruction is not a frequent one.
 */
static bool read_extended(struct frequent *read,
			  struct instruction *instruction)
{
	uint8_t modrm = x86_opcode_read_modrm(&read->opcode);
	uint8_t extension = modrm >> 3 & 7;
	bool is_wide = read->opcode.opcode & 1;

	switch ((unsigned int)read->form) {
	case MODRM_ADDRESS:
		return modrm < 0xc0;
	case MODRM_STORE:
		pass_operand(read);
		return extension == 0;
	case MODRM_TEST:
		if (extension == 0)
			pass_operand(read);
		return extension != 1;
	case MODRM_BITS:
		read->opcode.at += 1;
		return extension >= 4;
	default:
		break;
	}
	/* MODRM_STEP */
	if (extension <= 1 || (is_wide && extension == 6))
		return true;
	if (!is_wide || read->has_prefix || (extension != 2 && extension != 4))
		return false;
	instruction->kind = extension == 2 ? INSTRUCTION_INDIRECT_CALL :
					     INSTRUCTION_INDIRECT_JUMP;
	return true;
}

/* Skips the bytes after the opcode. Returns false if the instruction is not a
 * frequent one.
 */
static bool read_plain(struct frequent *read, struct instruction *instruction)
{
	switch (read->form) {
	case ALONE:
		return true;
	case BYTE:
		read->opcode.at += 1;
		return true;
	case WORD:
		pass_word(read);
		return true;
	case QUAD:
		if (read->rex & 8)
			read->opcode.at += 8;
		else
			pass_word(read);
		return true;
	case MODRM:
		x86_opcode_read_modrm(&read->opcode);
		return true;
	case MODRM_BYTE:
		x86_opcode_read_modrm(&read->opcode);
		read->opcode.at += 1;
		return true;
	case MODRM_WORD:
		x86_opcode_read_modrm(&read->opcode);
		pass_word(read);
		return true;
	case MODRM_ADDRESS:
	case MODRM_STORE:
	case MODRM_TEST:
	case MODRM_BITS:
	case MODRM_STEP:
		return read_extended(read, instruction);
	case OTHER:
	case CONDITIONAL_BYTE:
	case CONDITIONAL_LONG:
	case JUMP_BYTE:
	case JUMP_LONG:
	case CALL_LONG:
	case RETURN:
		break;
	}
	return false;
}

/* Sets the target of a direct branch from its displacement. */
static bool read_branch(struct frequent *read, uint64_t address,
			struct instruction *instruction)
{
	static const struct {
		uint8_t kind;
		uint8_t size;
	} branches[] = {
		[CONDITIONAL_BYTE] = { INSTRUCTION_CONDITIONAL, 1 },
		[CONDITIONAL_LONG] = { INSTRUCTION_CONDITIONAL, 4 },
		[JUMP_BYTE] = { INSTRUCTION_JUMP, 1 },
		[JUMP_LONG] = { INSTRUCTION_JUMP, 4 },
		[CALL_LONG] = { INSTRUCTION_CALL, 4 },
		[RETURN] = { INSTRUCTION_RETURN, 0 },
	};
	uint8_t size = branches[read->form].size;
	struct x86_opcode *opcode = &read->opcode;
	int32_t distance = 0;

	if (read->has_prefix || opcode->at + size > opcode->size)
		return false;
	if (size == 1)
		distance = (int8_t)opcode->bytes[opcode->at];
	else if (size)
		memcpy(&distance, opcode->bytes + opcode->at, size);
	opcode->at += size;
	instruction->kind = branches[read->form].kind;
	if (size)
		instruction->target =
			address + opcode->at + (uint64_t)(int64_t)distance;
	return true;
}

bool x86_frequent_read(uint64_t address, const uint8_t *bytes, size_t size,
		       struct instruction *instruction)
{
	struct frequent read = { .opcode = { .bytes = bytes, .size = size } };
	struct instruction found = { .kind = INSTRUCTION_PLAIN };

	read_opcode(&read);
	if (!(read.form >= CONDITIONAL_BYTE ?
		      read_branch(&read, address, &found) :
		      read_plain(&read, &found)) ||
	    x86_opcode_end(&read.opcode, &found) <= 0)
		return false;
	*instruction = found;
	return true;
}

#define STRING_REPEATED \
	(ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)

/* Returns the target of a relative branch. Addresses are 64 bits wide only in
 * 64-bit mode; others wrap at 4 GB. A 16-bit operand size truncates the target
 * in 32-bit code; in 16-bit code the base of relative targets is not known.
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

/* Returns the kind of an instruction that is neither call, jmp nor jcc. Far
 * calls and returns include Intel's far transfers (SDM, volume 3, Intel PT,
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
	case ZYDIS_MNEMONIC_VMRUN:
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

static uint8_t interrupts_of(ZydisMnemonic mnemonic)
{
	switch ((unsigned int)mnemonic) {
	case ZYDIS_MNEMONIC_CLI:
		return INTERRUPTS_OFF;
	case ZYDIS_MNEMONIC_STI:
		return INTERRUPTS_ON;
	case ZYDIS_MNEMONIC_PUSHFQ:
		return INTERRUPTS_SAVED;
	case ZYDIS_MNEMONIC_POPFQ:
		return INTERRUPTS_RESTORED;
	default:
		return INTERRUPTS_UNTOUCHED;
	}
}

/* The constants that Linux adds to the counter: a disabled preemption, a soft
 * interrupt, disabled soft interrupts, these and a spinlock, an interrupt, an
 * NMI.
 */
static const int32_t preempt_changes[] = {
	1, 0x100, 0x200, 0x201, 0x10000, 0x110000,
};

enum { PREEMPT_CHANGES = sizeof(preempt_changes) / sizeof(*preempt_changes) };

int32_t preempt_change_of(uint8_t interrupts)
{
	uint32_t code = interrupts - PREEMPT_CHANGED;

	if (code < PREEMPT_CHANGES)
		return preempt_changes[code];
	code -= PREEMPT_CHANGES;
	return code < PREEMPT_CHANGES ? -preempt_changes[code] :
					PREEMPT_CHANGE_UNKNOWN;
}

static uint8_t code_of_change(int64_t change)
{
	for (uint8_t i = 0; i < PREEMPT_CHANGES; i++) {
		if (change == preempt_changes[i])
			return PREEMPT_CHANGED + i;
		if (change == -preempt_changes[i])
			return PREEMPT_CHANGED + PREEMPT_CHANGES + i;
	}
	return PREEMPT_CHANGED + 2 * PREEMPT_CHANGES;
}

/* Sets the variable of the CPU at which an instruction adds: inc, dec, add and
 * sub of 32 bits at gs:address or gs:address(%rip).
 */
static void set_counter(uint64_t address,
			const ZydisDecodedInstruction *decoded,
			struct instruction *instruction)
{
	const ZydisDecodedInstructionRaw *raw = &decoded->raw;
	bool is_relative = raw->modrm.mod == 0 && raw->modrm.rm == 5;
	bool is_absolute = raw->modrm.mod == 0 && raw->modrm.rm == 4 &&
			   raw->sib.base == 5 && raw->sib.index == 4;
	int64_t constant = raw->imm[0].size ? raw->imm[0].value.s :
					      PREEMPT_CHANGE_UNKNOWN;

	if (!(decoded->attributes & ZYDIS_ATTRIB_HAS_SEGMENT_GS) ||
	    decoded->machine_mode != ZYDIS_MACHINE_MODE_LONG_64 ||
	    decoded->operand_width != 32 || (!is_relative && !is_absolute))
		return;
	switch ((unsigned int)decoded->mnemonic) {
	case ZYDIS_MNEMONIC_INC:
		constant = 1;
		break;
	case ZYDIS_MNEMONIC_DEC:
		constant = -1;
		break;
	case ZYDIS_MNEMONIC_ADD:
		break;
	case ZYDIS_MNEMONIC_SUB:
		constant = -constant;
		break;
	default:
		return;
	}
	instruction->interrupts = code_of_change(constant);
	instruction->counter = (uint64_t)raw->disp.value +
			       (is_relative ? address + decoded->length : 0);
}

static void set_by_mnemonic(uint64_t address,
			    const ZydisDecodedInstruction *decoded,
			    struct instruction *instruction)
{
	ZydisMnemonic mnemonic = decoded->mnemonic;

	instruction->kind = (uint8_t)kind_of(mnemonic);
	instruction->may_take_long |= is_wait(mnemonic);
	instruction->interrupts = interrupts_of(mnemonic);
	set_counter(address, decoded, instruction);
}

/* Returns whether the instruction is a mov to control register 3: 0f 22 /3. */
static bool is_page_table_write(const ZydisDecodedInstruction *decoded)
{
	return decoded->opcode_map == ZYDIS_OPCODE_MAP_0F &&
	       decoded->opcode == 0x22 && decoded->raw.modrm.reg == 3 &&
	       !decoded->raw.rex.R;
}

/* Sets @instruction from the library's result. xbegin counts as a conditional
 * branch in its category: it never branches itself, but an abort resumes at its
 * target.
 */
static void translate(enum instruction_set set, uint64_t address,
		      const ZydisDecodedInstruction *decoded,
		      struct instruction *instruction)
{
	instruction->length = decoded->length;
	instruction->may_take_long = decoded->attributes & STRING_REPEATED;
	instruction->writes_page_table = is_page_table_write(decoded);
	if (decoded->meta.branch_type == ZYDIS_BRANCH_TYPE_NONE)
		set_by_mnemonic(address, decoded, instruction);
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
		set_by_mnemonic(address, decoded, instruction);
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

/* Zydis does not decode REX2. Most REX2 instructions decode once the prefix is
 * rewritten away.
 */
static int read_without_rex2(uint64_t address, const uint8_t *bytes,
			     size_t size, struct instruction *instruction)
{
	struct x86_rewritten rewritten;
	int status = x86_rex2_rewrite(bytes, size, &rewritten);

	if (status <= 0)
		return status;
	status = x86_library_read(INSTRUCTION_X86_64, address, rewritten.bytes,
				  rewritten.size, instruction);
	if (status <= 0)
		return status;
	instruction->length =
		(uint8_t)(instruction->length + rewritten.removed);
	return instruction->length <= X86_LENGTH_LIMIT ? 1 : -ERROR_UNSUPPORTED;
}

int x86_instruction_read(enum instruction_set set, uint64_t address,
			 const uint8_t *bytes, size_t size,
			 struct instruction *instruction)
{
	int status;

	if (set == INSTRUCTION_X86_64 &&
	    x86_frequent_read(address, bytes, size, instruction))
		return 1;
	status = x86_newer_read(set, bytes, size, instruction);
	if (status == -ERROR_UNSUPPORTED)
		status = x86_library_read(set, address, bytes, size,
					  instruction);
	if (status == -ERROR_UNSUPPORTED)
		status = x86_vector_read(set, bytes, size, instruction);
	if (status == -ERROR_UNSUPPORTED && set == INSTRUCTION_X86_64)
		status = read_without_rex2(address, bytes, size, instruction);
	return status;
}
