/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program that test_truth_exec_log.sh runs in the guest: every kind of
 * branch of user code, each at its own address, without a library.
 */
#include <sys/syscall.h>

static long system_call(long number, long argument)
{
	long result;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(argument)
			 : "rcx", "r11", "memory");
	return result;
}

__attribute__((noinline)) static unsigned int fibonacci(unsigned int n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

__attribute__((noinline)) static unsigned int twice(unsigned int n)
{
	return 2 * n;
}

__attribute__((noinline)) static unsigned int odd_part(unsigned int n)
{
	while (n && !(n & 1))
		n >>= 1;
	return n;
}

static unsigned int (*const volatile functions[])(unsigned int) = { fibonacci,
								    twice,
								    odd_part };

static char pages[64][4096];

void _start(void);

__attribute__((noreturn)) void _start(void)
{
	unsigned int sum = 0;

	for (unsigned int i = 0; i < 60; i++) {
		sum += functions[i % 3](i % 16);
		pages[i][0] = (char)sum; /* a page fault */
		if (i % 4 == 0)
			sum += (unsigned int)system_call(SYS_getpid, 0);
	}
	system_call(SYS_exit, pages[7][0] == pages[8][0]);
	__builtin_unreachable();
}
