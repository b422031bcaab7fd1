/* SPDX-License-Identifier: MIT */
/* Counts its own execution and prints the counts: one line "NAME COUNT" for
 * each source line that ends with a comment of that name. The test compares
 * them with `ktrace-hw annotate`. It runs twice, as a parent and as a child,
 * and both add to the counts of the same functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RUNS = 200 };

/* Counts in memory that parent and child share. */
struct counts {
	unsigned long halves;
	unsigned long triples;
	unsigned long odd_ends;
	unsigned long adds;
	unsigned long subtracts;
	unsigned long rare;
	unsigned long digits;
	unsigned long sums;
	unsigned long squares;
	unsigned long notes;
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

__attribute__((noinline)) static void multiply(void)
{
	sink *= 3;
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
		/* Hides that next_odd() is even: gcc 14 would leave out the
		 * test after it.
		 */
		__asm__("" : "+r"(n));
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

/* Inlined, with a loop of its own. */
__attribute__((always_inline)) static inline unsigned long
digits_of(unsigned long n)
{
	unsigned long digits = 0;

	counts->digits++;
	do {
		digits++;
		n /= 10;
	} while (n);
	return digits;
}

/* Inlined into sum_of(), which is inlined, too. */
__attribute__((always_inline)) static inline unsigned long
square_of(unsigned long n)
{
	counts->squares++;
	return n * n;
}

__attribute__((always_inline)) static inline unsigned long
sum_of(unsigned long a, unsigned long b)
{
	counts->sums++;
	return square_of(a) + square_of(b);
}

/* Inlined, and calls a function. */
__attribute__((always_inline)) static inline void note(unsigned long n)
{
	counts->notes++;
	if (n % 3)
		multiply();
	sink ^= n;
}

__attribute__((noinline)) static unsigned long measure(unsigned long n)
{
	unsigned long result = digits_of(n);

	if (n % 4 == 1)
		return sum_of(n, result);
	note(n);
	if (n % 4 == 2)
		note(result);
	return result;
}

__attribute__((noinline)) static void run(unsigned long first)
{
	for (unsigned long i = 0; i < RUNS; i++) {
		follow(first + i);
		operations[i % 3]();
		sink += measure(first + i);
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
	       "calls %d\nfollow %lu\n"
	       "digits_of %lu\nsum_of %lu\nsquare_of %lu\nnote %lu\n",
	       counts->halves, counts->triples, counts->adds, counts->subtracts,
	       counts->rare, 2 * RUNS, counts->odd_ends, counts->digits,
	       counts->sums, counts->squares, counts->notes);
	return 0;
}
