/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Prints the address of an INT3 and executes it: a guest program of
 * test_trace_unit.sh.
 */
#include <signal.h>
#include <stdio.h>

extern const char breakpoint[];

static void go_on(int signal)
{
	(void)signal;
}

int main(void)
{
	signal(SIGTRAP, go_on);
	printf("%lx\n", (unsigned long)breakpoint);
	__asm__ volatile("breakpoint: int3");
	return 0;
}
