/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/qemu/x86_branch.h"

#include <string.h>

static bool is_legacy_prefix(uint8_t byte)
{
	switch (byte) {
	case 0x26:
	case 0x2e:
	case 0x36:
	case 0x3e: /* segments */
	case 0x64:
	case 0x65:
	case 0x66:
	case 0x67: /* sizes */
	case 0xf0:
	case 0xf2:
	case 0xf3: /* lock, rep, bnd */
		return true;
	default:
		return false;
	}
}

/* A REX prefix counts only directly before the opcode. In 32-bit code the same
 * bytes are inc and dec, which are not branches, so skipping them does no harm.
 */
static size_t prefix_size(const uint8_t *bytes, size_t size)
{
	size_t i = 0;

	while (i < size && is_legacy_prefix(bytes[i]))
		i++;
	if (i < size && (bytes[i] & 0xf0) == 0x40)
		i++;
	return i;
}

static enum pt_branch two_byte_branch(uint8_t opcode)
{
	if ((opcode & 0xf0) == 0x80)
		return PT_BRANCH_CONDITIONAL;
	switch (opcode) {
	case 0x05:
	case 0x07: /* syscall, sysret */
	case 0x34:
	case 0x35: /* sysenter, sysexit */
	case 0xaa: /* rsm */
		return PT_BRANCH_FAR;
	default:
		return PT_BRANCH_NONE;
	}
}

static enum pt_branch group5_branch(uint8_t modrm)
{
	switch (modrm >> 3 & 7) {
	case 2:
		return PT_BRANCH_INDIRECT_CALL;
	case 3:
	case 5:
		return PT_BRANCH_FAR;
	case 4:
		return PT_BRANCH_INDIRECT_JUMP;
	default:
		return PT_BRANCH_NONE;
	}
}

static enum pt_branch one_byte_branch(uint8_t opcode, uint8_t next)
{
	if ((opcode & 0xf0) == 0x70 || (opcode >= 0xe0 && opcode <= 0xe3))
		return PT_BRANCH_CONDITIONAL;
	switch (opcode) {
	case 0xe9:
	case 0xeb:
		return PT_BRANCH_JUMP;
	case 0xe8:
		return PT_BRANCH_CALL;
	case 0xc2:
	case 0xc3:
		return PT_BRANCH_RETURN;
	case 0x9a:
	case 0xea: /* far call, far jump */
	case 0xca:
	case 0xcb: /* far return */
	case 0xcc:
	case 0xcd:
	case 0xce: /* int3, int n, into */
	case 0xf1: /* int1 */
		return PT_BRANCH_FAR;
	case 0xcf:
		return PT_BRANCH_IRET;
	case 0xff:
		return group5_branch(next);
	default:
		return PT_BRANCH_NONE;
	}
}

enum pt_branch x86_branch(const uint8_t *bytes, size_t size)
{
	size_t at = prefix_size(bytes, size);

	if (at >= size)
		return PT_BRANCH_NONE;

	uint8_t next = at + 1 < size ? bytes[at + 1] : 0;

	if (bytes[at] == 0x0f)
		return two_byte_branch(next);
	return one_byte_branch(bytes[at], next);
}

bool x86_is_software_interrupt(const uint8_t *bytes, size_t size)
{
	size_t at = prefix_size(bytes, size);

	if (at >= size)
		return false;
	return (bytes[at] >= 0xcc && bytes[at] <= 0xce) || bytes[at] == 0xf1;
}

static bool has_prefix(const uint8_t *bytes, size_t size, uint8_t prefix)
{
	for (size_t i = 0; i < size; i++)
		if (bytes[i] == prefix)
			return true;
	return false;
}

static enum x86_special group7_special(uint8_t modrm)
{
	switch (modrm) {
	case 0xf9: /* rdtscp */
		return X86_RDTSC;
	case 0xc9:
		return X86_MWAIT;
	default:
		return X86_ORDINARY;
	}
}

static enum x86_special one_byte_special(uint8_t opcode)
{
	switch (opcode) {
	case 0xf4:
		return X86_HLT;
	case 0xfa:
		return X86_CLI;
	case 0xfb:
		return X86_STI;
	case 0x9d:
		return X86_POPF;
	default:
		return X86_ORDINARY;
	}
}

static enum x86_special two_byte_special(const uint8_t *opcode, size_t size)
{
	if (size < 2)
		return X86_ORDINARY;
	switch (opcode[1]) {
	case 0xa2:
		return X86_CPUID;
	case 0x32:
		return X86_RDMSR;
	case 0x30:
		return X86_WRMSR;
	case 0x31:
		return X86_RDTSC;
	case 0x33:
		return X86_RDPMC;
	case 0x01:
		return group7_special(size > 2 ? opcode[2] : 0);
	case 0x22:
		return size > 2 && (opcode[2] >> 3 & 7) == 3 ? X86_MOV_TO_CR3 :
							       X86_ORDINARY;
	default:
		return X86_ORDINARY;
	}
}

enum x86_special x86_special(const uint8_t *bytes, size_t size)
{
	size_t at = prefix_size(bytes, size);

	if (at >= size)
		return X86_ORDINARY;
	if (bytes[at] != 0x0f)
		return one_byte_special(bytes[at]);
	/* ptwrite is F3 0F AE /4; with other prefixes the opcode is xsave and
	 * others.
	 */
	if (size - at > 2 && bytes[at + 1] == 0xae &&
	    (bytes[at + 2] >> 3 & 7) == 4 && has_prefix(bytes, at, 0xf3))
		return X86_PTWRITE;
	return two_byte_special(bytes + at, size - at);
}

bool x86_enters_machine(const uint8_t *bytes, size_t size)
{
	static const uint8_t vmrun[] = { 0x0f, 0x01, 0xd8 };

	return size == sizeof(vmrun) && !memcmp(bytes, vmrun, size);
}

bool x86_may_ring(const uint8_t *bytes, size_t size)
{
	static const uint8_t mov_di_to_rsi[] = { 0x66, 0x89, 0x3e };

	return size == sizeof(mov_di_to_rsi) &&
	       !memcmp(bytes, mov_di_to_rsi, size);
}
