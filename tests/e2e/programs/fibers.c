/* SPDX-License-Identifier: MIT */
/* Runs FIBERS fibers that switch to each other: fibers swap|jump|return
 *
 *	swap	by swapcontext(), through a scheduler
 *	jump	by a routine that ends in a jump, as boost.context's, in a ring
 *	return	by a routine that returns, as libco's, in a ring
 *
 * Each fiber descends to a depth of its own and yields ROUNDS times there; one
 * sleeps. Prints "FUNCTION CALLS", a line each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <ucontext.h>

#define COUNTED static __attribute__((noinline, noclone, noipa))

enum { FIBERS = 8, ROUNDS = 12, STACK_BYTES = 65536, SLEEPER = 3 };

static unsigned int costs;
static unsigned int descents;
static unsigned int naps;
static unsigned int yields;
static unsigned int sum;

static char stacks[FIBERS][STACK_BYTES] __attribute__((aligned(16)));
static ucontext_t contexts[FIBERS];
static ucontext_t scheduler;
static void *saved[FIBERS + 1]; /* stack pointers; the last one is main's */
static unsigned int running;
/* saves the stack pointer in *@from and continues where @to was saved; NULL: by
 * swapcontext()
 */
static void (*switch_to)(void **from, void *to);

#ifdef __x86_64__
void jump_to(void **from, void *to);
void return_to(void **from, void *to);

#define SWITCH(name, end) \
	".globl " name "\n" \
	".type " name ", @function\n" name ":\n" \
	"	push %rbp\n	push %rbx\n	push %r12\n" \
	"	push %r13\n	push %r14\n	push %r15\n" \
	"	mov %rsp, (%rdi)\n" \
	"	mov %rsi, %rsp\n" \
	"	pop %r15\n	pop %r14\n	pop %r13\n" \
	"	pop %r12\n	pop %rbx\n	pop %rbp\n" end ".size " name \
	", . - " name "\n"

__asm__(SWITCH("jump_to", "	pop %rcx\n	jmp *%rcx\n")
		SWITCH("return_to", "	ret\n"));
#else
static void jump_to(void **from, void *to)
{
	(void)from;
	(void)to;
	exit(77);
}

#define return_to jump_to
#endif

COUNTED void cost_of(unsigned int item)
{
	costs++;
	for (unsigned int i = 0; i < 50; i++)
		sum = (sum * 31 + item + i) % 10007;
}

COUNTED void yield(unsigned int fiber)
{
	yields++;
	if (switch_to) {
		running = (fiber + 1) % FIBERS;
		switch_to(&saved[fiber], saved[running]);
	} else {
		swapcontext(&contexts[fiber], &scheduler);
	}
}

COUNTED void nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	naps++;
	nanosleep(&time, NULL);
}

COUNTED void descend(unsigned int fiber, unsigned int depth)
{
	descents++;
	if (depth) {
		descend(fiber, depth - 1);
		__asm__ volatile("");
		return;
	}
	for (int i = 0; i < ROUNDS; i++) {
		cost_of(fiber);
		if (fiber == SLEEPER)
			nap();
		yield(fiber);
	}
}

static void run_fiber(void)
{
	unsigned int fiber = running;

	descend(fiber, fiber);
	/* All other fibers have ended, or wait in yield() of their last round.
	 */
	if (switch_to)
		switch_to(&saved[fiber],
			  saved[fiber == FIBERS - 1 ? FIBERS : ++running]);
}

static void run_by_swapping(void)
{
	for (unsigned int i = 0; i < FIBERS; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = STACK_BYTES;
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], run_fiber, 0);
	}
	for (int round = 0; round <= ROUNDS; round++)
		for (running = 0; running < FIBERS; running++)
			swapcontext(&scheduler, &contexts[running]);
}

static void run_in_ring(void)
{
	void (*const entry)(void) = run_fiber;

	for (unsigned int i = 0; i < FIBERS; i++) {
		char *top = stacks[i] + STACK_BYTES - 64;

		memcpy(top + 48, &entry, sizeof(entry));
		saved[i] = top;
	}
	switch_to(&saved[FIBERS], saved[0]);
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "jump"))
		switch_to = jump_to;
	else if (argc > 1 && !strcmp(argv[1], "return"))
		switch_to = return_to;
	if (switch_to)
		run_in_ring();
	else
		run_by_swapping();
	printf("cost_of %u\nyield %u\nnap %u\ndescend %u\n", costs, yields,
	       naps, descents);
	return sum == 0;
}
