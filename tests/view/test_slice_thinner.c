/* SPDX-License-Identifier: MIT */
/* The slices that remain visible at a resolution of 10 ns. */
#include "tests/run_suite.h"
#include "view/data/slice_store.h"

#include <stdio.h>
#include <string.h>

struct story {
	const char *title;
	const char *slices; /* "depth begin end name;": in order of ends */
	const char *left;   /* "depth begin end name xcount busy;" */
};

static const struct story stories[] = {
	{ "a long one passes as it is", "0 0 10 1;", "0 0 10 1 x1 10;" },
	{ "a short one alone does, too", "0 0 2 1;", "0 0 2 1 x1 2;" },
	{ "short ones become one, by the longest's name",
	  "0 0 2 1;0 2 6 2;0 7 8 3;", "0 0 8 2 x3 7;" },
	{ "but are not wider than they need be", "0 0 6 1;0 6 11 2;0 12 13 3;",
	  "0 0 11 1 x2 11;0 12 13 3 x1 1;" },
	{ "nor across time in which there is nothing", "0 0 1 1;0 20 21 1;",
	  "0 0 1 1 x1 1;0 20 21 1 x1 1;" },
	{ "nor across the end of a long caller",
	  "1 1 2 7;0 0 12 1;1 13 14 8;0 12 24 2;",
	  "1 1 2 7 x1 1;0 0 12 1 x1 12;1 13 14 8 x1 1;0 12 24 2 x1 12;" },
	{ "depths are apart", "1 1 2 7;0 0 3 1;1 4 5 8;0 3 6 2;",
	  "0 0 6 1 x2 6;1 1 5 7 x2 2;" },
};

struct text_callback {
	struct slice_callback callback;
	char text[512];
};

static void consume(struct slice_callback *callback,
		    const struct view_slice *slice)
{
	struct text_callback *out = (struct text_callback *)callback;
	size_t used = strlen(out->text);

	snprintf(out->text + used, sizeof(out->text) - used,
		 "%u %lu %lu %u x%u %lu;", slice->depth, slice->begin_ns,
		 slice->end_ns, slice->name, slice->count, slice->busy_ns);
}

static void play(const char *text, struct slice_callback *callback)
{
	struct view_slice slice = { .track = 5, .count = 1 };
	int size;

	while (sscanf(text, "%u %lu %lu %u;%n", &slice.depth, &slice.begin_ns,
		      &slice.end_ns, &slice.name, &size) == 4) {
		slice.busy_ns = slice.end_ns - slice.begin_ns;
		callback->consume(callback, &slice);
		text += size;
	}
}

START_TEST(visible_slices_are_left)
{
	const struct story *story = &stories[_i];
	struct text_callback out = { .callback = { .consume = consume } };
	struct slice_thinner *thinner = slice_thinner_new(10, &out.callback);

	play(story->slices, slice_thinner_callback(thinner));
	ck_assert_int_eq(slice_thinner_end(thinner), 0);
	ck_assert_msg(!strcmp(out.text, story->left), "%s: %s", story->title,
		      out.text);
	slice_thinner_free(thinner);
}
END_TEST

static void count(struct slice_callback *callback,
		  const struct view_slice *slice)
{
	((struct text_callback *)callback)->text[0]++;
	ck_assert_uint_gt(slice->count, 0);
}

/* A million, seventy times as long as the resolution: seventy are left. */
START_TEST(few_are_left_of_any_number)
{
	struct text_callback out = { .callback = { .consume = count } };
	struct slice_thinner *thinner =
		slice_thinner_new(100000, &out.callback);
	struct view_slice slice = { .count = 1 };

	for (uint64_t i = 0; i < 1000000; i++) {
		slice.begin_ns = 7 * i;
		slice.end_ns = 7 * i + 3;
		slice.busy_ns = 3;
		slice_thinner_callback(thinner)->consume(
			slice_thinner_callback(thinner), &slice);
	}
	ck_assert_int_eq(slice_thinner_end(thinner), 0);
	ck_assert_int_eq(out.text[0], 70);
	slice_thinner_free(thinner);
}
END_TEST

SUITE("slice_thinner")
{
	TEST_EACH(visible_slices_are_left, stories);
	TEST(few_are_left_of_any_number);
}
