/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_E2E_PROGRAMS_PROGRAM_H
#define KT_TESTS_E2E_PROGRAMS_PROGRAM_H

/* Functions of the programs that the end-to-end tests record. explained.c does
 * not include this: a test compiles a copy of it.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

/* The tests find such functions by their names. */
#ifdef __clang__ /* clang makes no clones and does not know the attribute */
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noinline, noclone))
#endif

#define UNUSED_HERE __attribute__((unused)) static

UNUSED_HERE void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* Ends the program if the @result of a system call is an error. */
UNUSED_HERE long check(long result, const char *what)
{
	if (result >= 0)
		return result;
	perror(what);
	exit(1);
}

UNUSED_HERE uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

UNUSED_HERE void sleep_ns(long ns)
{
	const struct timespec time = { 0, ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

/* Returns for how long this thread, ready to run, has waited for a CPU so far. */
UNUSED_HERE uint64_t cpu_delay_ns(void)
{
	FILE *file = fopen("/proc/thread-self/schedstat", "re");
	unsigned long ns = 0;

	check(file && fscanf(file, "%*u %lu", &ns) == 1 ? 0 : -1,
	      "/proc/thread-self/schedstat");
	fclose(file);
	return ns;
}

/* Names the calling thread. */
UNUSED_HERE void name(const char *text)
{
	prctl(PR_SET_NAME, text);
}

#undef UNUSED_HERE

#endif
