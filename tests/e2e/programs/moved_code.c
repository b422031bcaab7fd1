/* SPDX-License-Identifier: MIT */
/* Calls the functions one and two 10 times each, moves the code of one to a
 * free address, calls it there, moves it over the code of two, and calls it
 * there.
 */
#include <stdio.h>
#include <sys/mman.h>

enum { PAGE = 4096, CALLS = 10 };

/* These functions use no address, so they run anywhere. */
__attribute__((noipa, section(".text.one"), aligned(4096))) int one(int number);
__attribute__((noipa, section(".text.two"), aligned(4096))) int two(int number);

int one(int number)
{
	return number + 1;
}

int two(int number)
{
	return number ^ 2;
}

__attribute__((noipa, section(".text.rest"), aligned(4096))) static int
call(int (*function)(int))
{
	int sum = 0;

	for (int i = 0; i < CALLS; i++)
		sum += function(i);
	return sum;
}

static void *move(void *code, void *place)
{
	return mremap(code, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, place);
}

int main(void)
{
	void *place =
		mmap(NULL, PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	int sum = call(one) + call(two);

	if (place == MAP_FAILED || move((void *)one, place) != place)
		return 1;
	sum += call((int (*)(int))place);
	if (move(place, (void *)two) != (void *)two)
		return 1;
	printf("%d\n", sum + call(two));
	return 0;
}
