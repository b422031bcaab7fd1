/* SPDX-License-Identifier: MIT */
#include "execution/instruction/x86_instruction.h"
#include "common/error.h"
#include "execution/instruction/x86_frequent.h"
#include "execution/instruction/x86_library.h"
#include "execution/instruction/x86_newer.h"
#include "execution/instruction/x86_opcode.h"
#include "execution/instruction/x86_rex2.h"
#include "execution/instruction/x86_vector.h"

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
