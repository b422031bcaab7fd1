/* SPDX-License-Identifier: MIT */
/* Counts its own execution and prints the counts: one line "NAME COUNT" for
 * each source line that ends with a comment of that name. The test compares
 * them with `ktrace-hw annotate`. It runs twice, as a parent and as a child, and
 * both add to the counts of the same functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 200 };

/* In memory that parent and child share. */
struct counts {
	unsigned long halves;
	unsigned long triples;
	unsigned long odd_ends;
	unsigned long adds;
	unsigned long subtracts;
	unsigned long rare;
};

static struct counts *counts;
static volatile unsigned long sink;

__attribute__((noinline)) static void add(void)
{
	counts->adds++;
	sink += 1; /* adds */
}

__attribute__((noinline)) static void subtract(void)
{
	counts->subtracts++;
	sink -= 1; /* subtracts */
}

static void (*volatile const operations[])(void) = { add, subtract, add };

/* The compiler inlines this into follow(). */
__attribute__((always_inline)) static inline unsigned long
next_odd(unsigned long n)
{
	counts->triples++;
	return 3 * n + 1;
}

/* Follows the Collatz sequence from @n to 1. */
__attribute__((noinline)) static void follow(unsigned long n)
{
	while (n != 1) {
		if (n % 2) {
			n = next_odd(n);
			sink += n; /* triples */
		} else {
			counts->halves++;
			n /= 2;
			sink ^= n; /* halves */
		}
	}
	counts->odd_ends++;
}

__attribute__((noinline)) static void run(unsigned long first)
{
	for (unsigned long i = 0; i < RUNS; i++) {
		follow(first + i);
		operations[i % 3]();
		if (sink == first) {
			counts->rare++;
			sink += first; /* rare */
		}
	}
}

int main(void)
{
	counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		return 1;
	if (!fork()) {
		run(1000);
		_exit(0);
	}
	wait(NULL);
	run(1);
	printf("halves %lu\ntriples %lu\nadds %lu\nsubtracts %lu\nrare %lu\n"
	       "calls %d\nfollow %lu\n",
	       counts->halves, counts->triples, counts->adds, counts->subtracts,
	       counts->rare, 2 * RUNS, counts->odd_ends);
	return 0;
}
