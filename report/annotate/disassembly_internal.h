/* SPDX-License-Identifier: MIT */
#ifndef KT_REPORT_ANNOTATE_DISASSEMBLY_INTERNAL_H
#define KT_REPORT_ANNOTATE_DISASSEMBLY_INTERNAL_H

#include <stddef.h>
#include <stdint.h>

enum disassembly_set {
	DISASSEMBLY_X86_64,
	DISASSEMBLY_X86_32,
	DISASSEMBLY_A64,
	DISASSEMBLY_T32,
	DISASSEMBLY_A32,
};

enum { DISASSEMBLY_TEXT_BYTES = 160 };

struct disassembly {
	uint8_t size_bytes; /* of the instruction; 0: not an instruction */
	/* In AT&T syntax. The target of a direct branch is left out: see
	 * target.
	 */
	char text[DISASSEMBLY_TEXT_BYTES];
	uint64_t target; /* of a direct branch, else 0 */
};

/* Disassembles the instruction at @bytes, of which @size are known and which
 * run at @address, with Zydis.
 *
 * Arm's instructions are written as numbers (".inst 0xd503201f"), since Zydis
 * only knows x86. An instruction that is not known has size 0 and the text
 * "(bad)".
 */
void disassemble(enum disassembly_set set, const uint8_t *bytes, size_t size,
		 uint64_t address, struct disassembly *line);

#endif
