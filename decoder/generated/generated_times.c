/* SPDX-License-Identifier: MIT */
#include "decoder/generated/generated_names.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/error.h"
#include "common/formats/generated_chunk.h"

enum {
	PAGE = GENERATED_PAGE_BYTES,
	/* A function whose bytes were replaced more often than this gets no
	 * name. A function is compared with at most this many of those before
	 * it in the list.
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

/* A time when the bytes of a function were the same. */
struct period {
	uint64_t lost_ns; /* the previous bytes were there until then */
	uint64_t from_ns;
	uint64_t to_ns;	  /* UINT64_MAX: without an end */
	uint64_t gone_ns; /* these bytes may be there until then */
	bool was_blank;	  /* the previous bytes were all 0 */
};

/* Returns whether @replacement has a granule of @name; sets *@was_blank to
 * whether all those granules were blank.
 */
static bool replaces(const struct generated_replacement *replacement,
		     const struct generated_name *name, bool is_shared,
		     bool *was_blank)
{
	const uint64_t *bits = is_shared ? replacement->which :
					   replacement->rewritten;
	uint64_t start = name->start < replacement->address ?
				 0 :
				 name->start - replacement->address;
	uint64_t end = name->end - replacement->address < PAGE ?
			       name->end - replacement->address :
			       PAGE;
	bool is_found = false;

	*was_blank = true;
	for (uint64_t at = start / GENERATED_GRANULE;
	     at * GENERATED_GRANULE < end; at++) {
		uint64_t bit = UINT64_C(1) << (at % 64);

		is_found |= (bits[at / 64] & bit) != 0;
		if (replacement->which[at / 64] & bit &
		    ~replacement->blank[at / 64])
			*was_blank = false;
	}
	return is_found;
}

/* Joins periods that start at the same time, or before the previous one has
 * certainly started: pages of a function are read one after another. Sets the
 * ends of the periods.
 */
static void join_periods(struct array *periods)
{
	struct period *list;
	size_t kept = 0;

	array_sort_by(periods, KEYS(RISING(struct period, from_ns),
				    RISING(struct period, lost_ns)));
	list = periods->items;
	for (size_t i = 1; i < periods->count; i++) {
		if (list[i].from_ns == list[kept].from_ns ||
		    list[i].lost_ns < list[kept].from_ns) {
			if (list[i].lost_ns < list[kept].lost_ns)
				list[kept].lost_ns = list[i].lost_ns;
			list[kept].from_ns = list[i].from_ns;
			list[kept].was_blank &= list[i].was_blank;
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

/* Lists the periods of @name. Returns 1, 0 if too many, or -ERROR_MEMORY. */
static int list_periods(struct settling *settling,
			const struct generated_name *name)
{
	bool is_shared = generated_name_is_shared(settling->names, name);
	uint64_t page = name->start & -(uint64_t)PAGE;
	size_t first = array_count_below(
		settling->replacements,
		KEYS(RISING(struct generated_replacement, address)), page);
	struct period period = { 0, 0, UINT64_MAX, UINT64_MAX, false };

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
		if (!replaces(replacement, name, is_shared, &period.was_blank))
			continue;
		period.lost_ns = replacement->lost_ns;
		period.from_ns = replacement->known_ns;
		if (array_append(&settling->periods, &period) < 0)
			return -ERROR_MEMORY;
	}
	join_periods(&settling->periods);
	return 1;
}

/* Returns the time of the look before the one that found @name. */
static uint64_t since(const struct generated_name *name)
{
	return name->time_ns - 1;
}

static void make_void(struct generated_name *name)
{
	name->from_ns = name->to_ns = UINT64_MAX;
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

/* Returns whether @other, before @name in the list, certainly is the function
 * in @period of the first address of @name. By rule 4 a look without a new line
 * makes the function of the first period certain, too.
 */
static bool is_of_period(const struct generated_name *other,
			 const struct generated_name *name,
			 const struct period *period, bool is_first)
{
	return other->order < name->order && other->end > name->start &&
	       other->from_ns < other->to_ns &&
	       other->from_ns <= period->from_ns &&
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

/* Settles @name if the bytes of @period already have the line of @taker, and
 * the bytes of all other periods that @name may belong to have a line, too.
 * @name still names the bytes if rule 1 of generated_names.h applies. Otherwise
 * rule 2 cannot choose: @name, and perhaps @taker as well, names nothing.
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

		if (at < count && periods[at].was_blank) {
			at--;
			continue;
		}
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
	const struct generated_name *const *left = a;
	const struct generated_name *const *right = b;

	return ((*left)->order > (*right)->order) -
	       ((*left)->order < (*right)->order);
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

	array_sort_by(replacements,
		      KEYS(RISING(struct generated_replacement, address),
			   RISING(struct generated_replacement, known_ns)));
	for (size_t i = 0; i < listed.count && !error; i++)
		error = settle(&settling,
			       *(struct generated_name **)array_at(&listed, i));
	array_free(&listed);
	array_free(&settling.periods);
	return error;
}
