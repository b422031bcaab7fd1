/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Executes PTWRITE in its forms, without headers or libraries that would have
 * to know it: a guest program of test_trace_unit.sh.
 */
#include <stdint.h>

int main(void)
{
	static volatile uint64_t memory[2];
	uint64_t value = 0x1111222233334444;

	/* Touches the memory, since the unit reads only mapped pages and cannot
	 * raise a page fault.
	 */
	memory[1] = 0x3333444455556666;

	/* ptwrite %rax; ptwrite %eax; ptwrite 8(%rdx) as 64 bits */
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0xe0" : : "a"(value));
	__asm__ volatile(".byte 0xf3, 0x0f, 0xae, 0xe0" : : "a"(value));
	__asm__ volatile(".byte 0xf3, 0x48, 0x0f, 0xae, 0x62, 0x08"
			 :
			 : "d"(memory)
			 : "memory");
	return 0;
}
