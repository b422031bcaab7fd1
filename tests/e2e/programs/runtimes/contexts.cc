// SPDX-License-Identifier: MIT
// Runs fibers of Boost.Context, which a scheduler resumes in turn. Each descends
// to a depth of its own and yields there; one sleeps. Counts its functions' calls.
#include <boost/context/fiber.hpp>

#include <cstdio>
#include <ctime>
#include <utility>
#include <vector>

#define COUNTED extern "C" __attribute__((noinline, noclone, noipa))

using boost::context::fiber;

namespace {
constexpr unsigned int fiber_count = 8, rounds = 12, sleeper = 3;
unsigned int costs, descents, naps, yields, sum;
fiber scheduler;
} // namespace

COUNTED void cost_of(unsigned int item)
{
	costs++;
	for (unsigned int i = 0; i < 50; i++)
		sum = (sum * 31 + item + i) % 10007;
}

COUNTED void yield()
{
	yields++;
	scheduler = std::move(scheduler).resume();
}

COUNTED void nap()
{
	const struct timespec time = { 0, 1000000 };

	naps++;
	nanosleep(&time, nullptr);
}

COUNTED void descend(unsigned int number, unsigned int depth)
{
	descents++;
	if (depth) {
		descend(number, depth - 1);
		asm volatile("");
		return;
	}
	for (unsigned int i = 0; i < rounds; i++) {
		cost_of(number);
		if (number == sleeper)
			nap();
		yield();
	}
}

int main()
{
	std::vector<fiber> fibers;

	for (unsigned int number = 0; number < fiber_count; number++)
		fibers.emplace_back([number](fiber &&resumer) {
			scheduler = std::move(resumer);
			descend(number, number);
			return std::move(scheduler);
		});
	for (unsigned int round = 0; round <= rounds; round++)
		for (fiber &one : fibers)
			one = std::move(one).resume();
	std::printf("cost_of %u\nyield %u\nnap %u\ndescend %u\n", costs,
		    yields, naps, descents);
	return sum == 0;
}
