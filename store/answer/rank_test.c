/* SPDX-License-Identifier: MIT */
#include "store/answer/rank_test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

enum { MOST_EXACT = 40 };

struct ranked {
	double value;
	bool is_a;
	size_t rank; /* twice the mean rank of equal values, an integer */
};

static int compare(const void *a, const void *b)
{
	double first = ((const struct ranked *)a)->value;
	double second = ((const struct ranked *)b)->value;

	return (first > second) - (first < second);
}

/* Ranks the values. Returns the sum of t³ - t over all ties of t values. */
static double rank_all(struct ranked *all, size_t count)
{
	double ties = 0;
	size_t next;

	qsort(all, count, sizeof(*all), compare);
	for (size_t i = 0; i < count; i = next) {
		double equal;

		for (next = i; next < count; next++)
			if (all[next].value > all[i].value)
				break;
		for (size_t j = i; j < next; j++)
			all[j].rank = i + next + 1;
		equal = (double)(next - i);
		ties += equal * equal * equal - equal;
	}
	return ties;
}

static size_t rank_sum(const struct ranked *all, size_t count)
{
	size_t sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += all[i].is_a ? all[i].rank : 0;
	return sum;
}

/* Counts in @ways[n * room + s] the ways to choose n values, at most @most,
 * whose ranks add up to s, which is below @room.
 */
static void count_ways(const struct ranked *all, size_t count, size_t most,
		       size_t room, double *ways)
{
	ways[0] = 1;
	for (size_t i = 0; i < count; i++)
		for (size_t n = most < i + 1 ? most : i + 1; n > 0; n--)
			for (size_t s = all[i].rank; s < room; s++)
				ways[n * room + s] +=
					ways[(n - 1) * room + s - all[i].rank];
}

static double exact(const struct ranked *all, size_t count, size_t a_count)
{
	size_t room = count * (count + 1) + 1; /* twice the sum of all ranks */
	double *ways = calloc((a_count + 1) * room, sizeof(*ways));
	double middle = (double)(a_count * (count + 1));
	double distance = fabs((double)rank_sum(all, count) - middle);
	double total = 0;
	double far = 0;

	if (!ways)
		return -1;
	count_ways(all, count, a_count, room, ways);
	for (size_t s = 0; s < room; s++) {
		total += ways[a_count * room + s];
		if (fabs((double)s - middle) >= distance)
			far += ways[a_count * room + s];
	}
	free(ways);
	return far / total;
}

static double approximate(const struct ranked *all, size_t a_count,
			  size_t b_count, double ties)
{
	double a = (double)a_count;
	double b = (double)b_count;
	double n = a + b;
	double u =
		(double)rank_sum(all, a_count + b_count) / 2 - a * (a + 1) / 2;
	double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
	/* The sum of ranks has steps of 1: subtract a half for continuity. */
	double z = (fabs(u - a * b / 2) - 0.5) / sqrt(variance);

	return variance > 0 && z > 0 ? erfc(z / sqrt(2)) : 1;
}

double rank_test(const double *a, size_t a_count, const double *b,
		 size_t b_count)
{
	size_t count = a_count + b_count;
	struct ranked *all = calloc(count + 1, sizeof(*all));
	double ties;
	double p = 1;

	if (!all)
		return -1;
	for (size_t i = 0; i < count; i++)
		all[i] = (struct ranked){
			.value = i < a_count ? a[i] : b[i - a_count],
			.is_a = i < a_count,
		};
	ties = rank_all(all, count);
	if (a_count && b_count)
		p = count <= MOST_EXACT ?
			    exact(all, count, a_count) :
			    approximate(all, a_count, b_count, ties);
	free(all);
	return p;
}

double rank_test_least(size_t a_count, size_t b_count)
{
	double ways = 1;

	for (size_t i = 1; i <= a_count; i++)
		ways *= (double)(b_count + i) / (double)i;
	return a_count && b_count ? fmin(2 / ways, 1) : 1;
}

void rank_test_adjust(double *p, size_t count)
{
	double least = 1;

	for (size_t i = count; i > 0; i--) {
		least = fmin(least, p[i - 1] * (double)count / (double)i);
		p[i - 1] = least;
	}
}
