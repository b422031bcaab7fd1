/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A program whose calls are known: they are looked for in its trace. */

static volatile unsigned long total;

__attribute__((noinline)) static void leaf(unsigned long number)
{
	total += number;
}

__attribute__((noinline)) static void branch(unsigned long number)
{
	leaf(number);
	leaf(number + 1);
}

/* clock_gettime() is the vdso's, memchr() a library's. */
int main(void)
{
	char text[64];
	struct timespec now;

	for (unsigned long i = 0; i < 10; i++)
		branch(i);
	for (int i = 0; i < 5; i++)
		clock_gettime(CLOCK_MONOTONIC, &now);
	memset(text, 'a', sizeof(text));
	text[63] = '\0';
	for (int i = 0; i < 3; i++)
		total += memchr(text, '\0', sizeof(text)) != NULL;
	return getppid() == 0;
}
