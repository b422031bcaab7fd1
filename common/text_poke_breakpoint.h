/* SPDX-License-Identifier: MIT */
#ifndef KT_COMMON_TEXT_POKE_BREAKPOINT_H
#define KT_COMMON_TEXT_POKE_BREAKPOINT_H

/* How a recording reports the patches of a kernel without TEXT_POKE records: as
 * samples of a breakpoint on the function that patches the kernel's text, with
 * the registers of its first two arguments, the address and the instruction.
 * The function is __aarch64_insn_write(addr, insn) of
 * arch/arm64/kernel/patching.c; register numbers are those of
 * arch/arm64/include/uapi/asm/perf_regs.h. Kernels are little-endian.
 */
#define TEXT_POKE_BREAKPOINT_EVENT "text_patch"
#define TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER 0
#define TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER 1
#define TEXT_POKE_BREAKPOINT_REGISTERS \
	(1 << TEXT_POKE_BREAKPOINT_ADDRESS_REGISTER | \
	 1 << TEXT_POKE_BREAKPOINT_INSTRUCTION_REGISTER)

#endif
