// SPDX-License-Identifier: MIT
// Templates, lambdas and exceptions through several frames; counts its
// functions' calls.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#define COUNTED __attribute__((noinline, noclone))

namespace shop {

static unsigned refusals, destroyed;
template <typename T> static unsigned costs;
template <typename T> static unsigned sums;

struct Guard {
	COUNTED ~Guard()
	{
		destroyed++;
	}
};

template <typename T> struct Order {
	std::vector<T> items;
	template <int Rate> COUNTED T cost(T item) const;
	COUNTED T sum(int number) const;
};

COUNTED static void refuse(int number, int depth)
{
	Guard guard;

	refusals++;
	if (depth)
		refuse(number, depth - 1);
	else
		throw std::runtime_error("refused " + std::to_string(number));
	asm volatile("");
}

template <typename T>
template <int Rate>
COUNTED T Order<T>::cost(T item) const
{
	T cost = 0;

	costs<T>++;
	for (int i = 0; i < 50; i++)
		cost += item * Rate / (i + 1);
	return cost;
}

template <typename T> COUNTED T Order<T>::sum(int number) const
{
	T sum = 0;

	sums<T>++;
	for (T item : items)
		sum += cost<3>(item);
	if (number % 5 == 0)
		refuse(number, number % 4);
	return sum;
}

} // namespace shop

int main()
{
	shop::Order<int> whole{ { 1, 2, 3 } };
	shop::Order<double> parts{ { 1.5, 2.5 } };
	double sum = 0;
	int caught = 0;

	for (int number = 0; number < 200; number++) {
		try {
			sum += parts.sum(number) + whole.sum(number);
		} catch (const std::runtime_error &error) {
			caught++;
		}
	}
	printf("shop::Order<int>::cost<3> %u\nshop::Order<double>::cost<3> %u\n"
	       "shop::Order<int>::sum %u\nshop::Order<double>::sum %u\n"
	       "shop::refuse %u\nshop::Guard::~Guard %u\n",
	       shop::costs<int>, shop::costs<double>, shop::sums<int>,
	       shop::sums<double>, shop::refusals, shop::destroyed);
	return !caught || sum < 0;
}
