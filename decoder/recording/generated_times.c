/* SPDX-License-Identifier: MIT */
#include "common/array.h"
#include "common/error.h"
#include "common/formats/generated_chunk.h"
#include "decoder/recording/generated_code.h"
#include "decoder/recording/generated_names.h"
#include "decoder/recording/generated_times_internal.h"

#include <stdbool.h>
#include <stddef.h>

enum {
	PAGE = GENERATED_PAGE_BYTES,
	/* more functions at one address, or replacements, are not compared:
	 * such a function has no name
	 */
	MOST_COMPARED = 4096,
};

/* One function while it is settled. */
struct settling {
	const struct generated_names *names;
	const struct array *replacements; /* by page, then by time */
	struct array *others;
	struct array periods; /* struct period, by time */
};

/* A time in which the bytes of a function were the same. */
struct period {
	uint64_t lost_ns; /* those before were there until then */
	uint64_t from_ns;
	uint64_t to_ns;	  /* UINT64_MAX: without an end */
	uint64_t gone_ns; /* they may be there until then */
};

static int compare_replacements(const void *a, const void *b)
{
	const struct generated_replacement *left = a;
	const struct generated_replacement *right = b;

	if (left->address != right->address)
		return left->address < right->address ? -1 : 1;
	return (left->known_ns > right->known_ns) -
	       (left->known_ns < right->known_ns);
}

static bool is_lower(const void *replacement, const void *address)
{
	return ((const struct generated_replacement *)replacement)->address <
	       *(const uint64_t *)address;
}

/* Returns whether @replacement has a granule of @name. */
static bool replaces(const struct generated_replacement *replacement,
		     const struct generated_name *name, bool is_shared)
{
	const uint64_t *bits = is_shared ? replacement->which :
					   replacement->rewritten;
	uint64_t start = name->start < replacement->address ?
				 0 :
				 name->start - replacement->address;
	uint64_t end = name->end - replacement->address < PAGE ?
			       name->end - replacement->address :
			       PAGE;

	for (uint64_t at = start / GENERATED_GRANULE;
	     at * GENERATED_GRANULE < end; at++)
		if (bits[at / 64] >> (at % 64) & 1)
			return true;
	return false;
}

static int compare_periods(const void *a, const void *b)
{
	const struct period *left = a;
	const struct period *right = b;

	if (left->from_ns != right->from_ns)
		return left->from_ns < right->from_ns ? -1 : 1;
	return (left->lost_ns > right->lost_ns) -
	       (left->lost_ns < right->lost_ns);
}

/* Makes one period of those that begin at one time, or while the one before
 * begins: pages of a function are read one after another. Sets their ends.
 */
static void join_periods(struct array *periods)
{
	struct period *list = periods->items;
	size_t kept = 0;

	array_sort(periods, compare_periods);
	list = periods->items;
	for (size_t i = 1; i < periods->count; i++) {
		if (list[i].from_ns == list[kept].from_ns ||
		    list[i].lost_ns < list[kept].from_ns) {
			if (list[i].lost_ns < list[kept].lost_ns)
				list[kept].lost_ns = list[i].lost_ns;
			list[kept].from_ns = list[i].from_ns;
			continue;
		}
		list[++kept] = list[i];
	}
	periods->count = kept + 1;
	for (size_t i = 0; i < kept; i++) {
		list[i].to_ns = list[i + 1].lost_ns;
		list[i].gone_ns = list[i + 1].from_ns;
	}
}

/* Lists the periods of @name. Returns 1; 0 if there are too many; or
 * -ERROR_MEMORY.
 */
static int list_periods(struct settling *settling,
			const struct generated_name *name)
{
	bool is_shared = generated_name_is_shared(settling->names, name);
	uint64_t page = name->start & -(uint64_t)PAGE;
	size_t first =
		array_partition_point(settling->replacements, &page, is_lower);
	struct period period = { 0, 0, UINT64_MAX, UINT64_MAX };

	settling->periods.count = 0;
	if (array_append(&settling->periods, &period) < 0)
		return -ERROR_MEMORY;
	for (size_t i = first; i < settling->replacements->count; i++) {
		const struct generated_replacement *replacement =
			array_at(settling->replacements, i);

		if (replacement->address >= name->end)
			break;
		if (i - first == MOST_COMPARED)
			return 0;
		if (!replaces(replacement, name, is_shared))
			continue;
		period.lost_ns = replacement->lost_ns;
		period.from_ns = replacement->known_ns;
		if (array_append(&settling->periods, &period) < 0)
			return -ERROR_MEMORY;
	}
	join_periods(&settling->periods);
	return 1;
}

/* The time of the look before the line. */
static uint64_t since(const struct generated_name *name)
{
	return name->time_ns - 1;
}

static bool is_void(const struct generated_name *name)
{
	return name->from_ns >= name->to_ns;
}

static void make_void(struct generated_name *name)
{
	name->from_ns = UINT64_MAX;
	name->to_ns = UINT64_MAX;
}

/* Returns whether the line of @name may have been written in @period. */
static bool touches(const struct generated_name *name,
		    const struct period *period)
{
	return name->until_ns >= period->lost_ns &&
	       since(name) < period->gone_ns;
}

/* Returns whether the line of @name was certainly written in its period. */
static bool is_inside(const struct generated_name *name)
{
	return since(name) >= name->from_ns && name->until_ns <= name->to_ns;
}

/* Returns whether @name is uncertain by rule 4; @is_first: its period is the
 * first one.
 */
static bool is_uncertain(const struct generated_name *name, bool is_first)
{
	return is_first && !is_inside(name);
}

/* Returns whether @other, before @name in the list, certainly is the function in
 * @period of the first address of @name. By rule 4 a look without a new line
 * makes the function of the first period certain, too.
 */
static bool is_of_period(const struct generated_name *other,
			 const struct generated_name *name,
			 const struct period *period, bool is_first)
{
	return other->order < name->order && other->end > name->start &&
	       !is_void(other) && other->from_ns <= period->from_ns &&
	       other->to_ns >= period->to_ns &&
	       (!is_uncertain(other, is_first) ||
		since(name) > other->until_ns);
}

/* Returns the function before @name in the list that is certainly that of
 * @period, or NULL.
 */
static struct generated_name *find_taker(const struct settling *settling,
					 struct generated_name *name,
					 const struct period *period,
					 bool is_first)
{
	struct generated_name *first = settling->names->names.items;
	size_t left = (size_t)(name - first);

	if (left > MOST_COMPARED)
		left = MOST_COMPARED;
	for (size_t i = 1; i <= left; i++)
		if (is_of_period(name - i, name, period, is_first))
			return name - i;
	return NULL;
}

static void claim(struct generated_name *name, const struct period *period)
{
	name->from_ns = period->from_ns;
	name->to_ns = period->to_ns;
}

/* The bytes of @period have the line of @taker already, and those of all periods
 * that the line of @name may be of have one.
 */
static void settle_again(struct generated_name *name,
			 struct generated_name *taker,
			 const struct period *period, bool is_first)
{
	bool is_other = taker->start != name->start;

	claim(name, period);
	if (is_inside(name) && (is_other || is_uncertain(taker, is_first)))
		return;
	/* Two lines since one look: which is of the new bytes is unknown. */
	if (!is_inside(taker) && since(taker) == since(name))
		make_void(taker);
	make_void(name);
}

/* Settles a function of a perf map, by rules 1 to 4. */
static void settle_listed(const struct settling *settling,
			  struct generated_name *name)
{
	struct period *periods = settling->periods.items;
	size_t count = settling->periods.count;
	size_t first = count > 1 && !periods[1].lost_ns;
	struct generated_name *taker = NULL;
	struct period *found = NULL;
	size_t at = count;

	make_void(name);
	while (at > first) {
		struct period *period = &periods[at - 1];

		taker = find_taker(settling, name, period, at - 1 == first);
		if (taker)
			break;
		at--;
		if (!touches(name, period))
			continue;
		if (found)
			return;
		found = period;
	}
	if (found)
		claim(name, found);
	else if (taker)
		settle_again(name, taker, &periods[at - 1], at - 1 == first);
}

/* Settles a function of a jitdump, by rule 6. */
static int settle_dumped(const struct settling *settling,
			 struct generated_name *name)
{
	const struct period *period = settling->periods.items;
	const struct period *end = period + settling->periods.count;

	while (period + 1 < end && period[1].from_ns <= name->time_ns)
		period++;
	claim(name, period);
	if (!find_taker(settling, name, period, false))
		return 0;
	name->from_ns = name->time_ns;
	return array_append(settling->others, &name->time_ns);
}

static int settle(struct settling *settling, struct generated_name *name)
{
	int status = list_periods(settling, name);

	if (status <= 0)
		make_void(name);
	else if (name->until_ns)
		settle_listed(settling, name);
	else
		status = settle_dumped(settling, name);
	return status < 0 ? status : 0;
}

static int compare_orders(const void *a, const void *b)
{
	const struct generated_name *left =
		*(const struct generated_name *const *)a;
	const struct generated_name *right =
		*(const struct generated_name *const *)b;

	return (left->order > right->order) - (left->order < right->order);
}

/* Collects the functions of @extent in the order of the list. */
static int list_names(struct generated_names *names,
		      const struct generated_extent *extent,
		      struct array *listed)
{
	int error = 0;

	for (size_t i = 0; i < names->names.count && !error; i++) {
		struct generated_name *name = array_at(&names->names, i);

		uint64_t time_ns = generated_name_time(name);

		if (name->start >= extent->start && name->start < extent->end &&
		    time_ns >= extent->first_ns && time_ns < extent->end_ns)
			error = array_append(listed, &name);
	}
	array_sort(listed, compare_orders);
	return error;
}

int generated_times_settle(struct generated_names *names,
			   const struct generated_extent *extent,
			   struct array *replacements, struct array *others)
{
	struct settling settling = {
		.names = names,
		.replacements = replacements,
		.others = others,
		.periods = ARRAY_OF(struct period),
	};
	struct array listed = ARRAY_OF(struct generated_name *);
	int error = list_names(names, extent, &listed);

	array_sort(replacements, compare_replacements);
	for (size_t i = 0; i < listed.count && !error; i++)
		error = settle(&settling,
			       *(struct generated_name **)array_at(&listed, i));
	array_free(&listed);
	array_free(&settling.periods);
	return error;
}
