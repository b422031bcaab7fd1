/* SPDX-License-Identifier: MIT */
/* Makes system calls by the 32-bit ABIs available to a 64-bit program, for
 * attribution_syscalls.sh: 7 by int 0x80, 5 and 3 by x32. Prints the result of
 * the first of each kind.
 */
#include <stdio.h>

enum {
	COMPAT_GETPPID = 64, /* arch/x86/entry/syscalls/syscall_32.tbl */
	X32_GETPPID = 0x40000000 | 110, /* syscall_64.tbl */
	X32_IOCTL = 0x40000000 | 514,
};

static long compat_call(long number)
{
	long result;

	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "0"(number), "b"(0L), "c"(0L), "d"(0L)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

static long x32_call(long number, long first)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "0"(number), "D"(first), "S"(0L), "d"(0L)
			 : "memory", "rcx", "r11");
	return result;
}

int main(void)
{
	long compat = compat_call(COMPAT_GETPPID);
	long x32 = x32_call(X32_GETPPID, 0);
	long x32_compat = x32_call(X32_IOCTL, -1);

	for (int i = 1; i < 7; i++)
		compat_call(COMPAT_GETPPID);
	for (int i = 1; i < 5; i++)
		x32_call(X32_GETPPID, 0);
	for (int i = 1; i < 3; i++)
		x32_call(X32_IOCTL, -1);
	printf("%ld %ld %ld\n", compat, x32, x32_compat);
	return 0;
}
