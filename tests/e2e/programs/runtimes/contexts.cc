// SPDX-License-Identifier: MIT
// Runs fibers of Boost that a scheduler resumes in turn:
// contexts context|coroutine|fiber. Each descends to a depth of its own and
// yields there; one sleeps. Counts its functions' calls.
#include <boost/context/fiber.hpp>
#include <boost/coroutine2/coroutine.hpp>
#include <boost/fiber/fiber.hpp>
#include <boost/fiber/operations.hpp>

#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#define COUNTED extern "C" __attribute__((noinline, noclone, noipa))

using boost::context::fiber;
using coroutine = boost::coroutines2::coroutine<unsigned int>;

namespace {
constexpr unsigned int fiber_count = 8, rounds = 12, sleeper = 3;
unsigned int costs, descents, naps, yields, sum;
fiber scheduler;
coroutine::push_type *sink;
void (*switch_away)();
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
	switch_away();
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

static void run_contexts()
{
	std::vector<fiber> fibers;

	switch_away = [] { scheduler = std::move(scheduler).resume(); };
	for (unsigned int number = 0; number < fiber_count; number++)
		fibers.emplace_back([number](fiber &&resumer) {
			scheduler = std::move(resumer);
			descend(number, number);
			return std::move(scheduler);
		});
	for (unsigned int round = 0; round <= rounds; round++)
		for (fiber &one : fibers)
			one = std::move(one).resume();
}

static void run_coroutines()
{
	std::vector<coroutine::push_type *> sinks(fiber_count);
	std::vector<coroutine::pull_type> coroutines;

	switch_away = [] { (*sink)(0); };
	coroutines.reserve(fiber_count);
	for (unsigned int number = 0; number < fiber_count; number++)
		coroutines.emplace_back([number, &sinks](
						coroutine::push_type &own) {
			sinks[number] = sink = &own;
			descend(number, number);
		});
	for (unsigned int round = 0; round < rounds; round++)
		for (unsigned int number = 0; number < fiber_count; number++) {
			sink = sinks[number];
			coroutines[number]();
		}
}

static void run_fibers()
{
	std::vector<boost::fibers::fiber> fibers;

	switch_away = [] { boost::this_fiber::yield(); };
	for (unsigned int number = 0; number < fiber_count; number++)
		fibers.emplace_back([number] { descend(number, number); });
	for (boost::fibers::fiber &one : fibers)
		one.join();
}

int main(int argc, char **argv)
{
	const std::string what = argc > 1 ? argv[1] : "";

	if (what == "coroutine")
		run_coroutines();
	else if (what == "fiber")
		run_fibers();
	else
		run_contexts();
	std::printf("cost_of %u\nyield %u\nnap %u\ndescend %u\n", costs,
		    yields, naps, descents);
	return sum == 0;
}
