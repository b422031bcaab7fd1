/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "report/diff/diff_flamegraph.h"
#include "tests/run_suite.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char evil[] = "</text><script>\"\033";

static void add(struct diff_paths *paths, uint32_t depth, const char *name,
		double self_ns)
{
	const struct diff_value value = { .count = 1, .total_ns = self_ns };

	ck_assert_int_eq(diff_paths_add(paths, depth, name, false, &value), 0);
}

/* sh: a (100 to 300), below it b (50, then 20 or 90) and the evil name, new;
 * ls: a, gone.
 */
static struct diff_paths *made_paths(int recordings)
{
	struct diff_paths *paths = diff_paths_new();

	ck_assert_ptr_nonnull(paths);
	diff_paths_begin(paths, 0);
	add(paths, 0, "sh", 0);
	add(paths, 1, "a", 100);
	add(paths, 2, "b", 50);
	add(paths, 0, "ls", 0);
	add(paths, 1, "a", 7);
	for (int i = 0; i < recordings; i++) {
		diff_paths_begin(paths, 1);
		add(paths, 0, "sh", 0);
		add(paths, 1, "a", 200);
		add(paths, 2, "b", i ? 90 : 20);
		add(paths, 2, evil, 30);
		/* Another process of that name. */
		add(paths, 0, "sh", 0);
		add(paths, 1, "a", 100);
	}
	diff_paths_end(paths);
	return paths;
}

static char *drawn(int recordings)
{
	struct diff_paths *paths = made_paths(recordings);
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(diff_flamegraph_write(paths, NULL, out), 0);
	fclose(out);
	diff_paths_free(paths);
	return text;
}

/* Returns whether the frame of @name contains @what. */
static bool has(const char *text, const char *name, const char *what)
{
	char key[64];
	const char *frame;
	const char *end;

	snprintf(key, sizeof(key), "data-n=\"%s\"", name);
	frame = strstr(text, key);
	ck_assert_msg(frame != NULL, "no frame %s", name);
	end = strstr(frame, "</g>");
	frame = strstr(frame, what);
	return frame && frame < end;
}

START_TEST(paths_of_a_name_are_one)
{
	struct diff_paths *paths = made_paths(1);

	/* sh, a, b, ls, a, the new one. */
	ck_assert_uint_eq(diff_paths_count(paths), 6);
	for (uint32_t i = 0; i < 6; i++)
		ck_assert(diff_paths_at(paths, i)->parent == DIFF_PATH_NONE ||
			  diff_paths_at(paths, i)->parent < i);
	ck_assert_str_eq(diff_paths_name(paths, 1), "a");
	ck_assert(diff_paths_at(paths, 1)->sides[1].sum.total_ns == 300);
	diff_paths_free(paths);
}
END_TEST

START_TEST(a_depth_has_a_parent)
{
	struct diff_paths *paths = diff_paths_new();
	const struct diff_value value = { 1, 1, 0 };

	diff_paths_begin(paths, 0);
	ck_assert_int_eq(diff_paths_add(paths, 1, "a", false, &value),
			 -ERROR_FORMAT);
	diff_paths_free(paths);
}
END_TEST

START_TEST(colours_are_of_changes)
{
	char *text = drawn(1);

	ck_assert(has(text, "a", "fill=\"rgb(255,30,30)\""));
	ck_assert(has(text, "a", "in itself +200 ns<"));
	ck_assert(has(text, "b", ",255)\""));
	ck_assert(has(text, "b", "in itself -30 ns<"));
	ck_assert(has(text, "sh", "fill=\"rgb(228,228,228)\""));
	/* Functions that are gone are in the second graph only. */
	ck_assert_ptr_nonnull(
		strstr(text, "data-d=\"0\" data-g=\"1\" data-n=\"ls\""));
	ck_assert_ptr_null(strstr(text, "data-d=\"0\" data-n=\"ls\""));
	ck_assert_ptr_nonnull(strstr(text, "in itself -7 ns (gone)"));
	ck_assert_ptr_nonnull(strstr(text, "data-second=\"157\""));
	ck_assert_ptr_nonnull(strstr(text, "Gone (only in A): 1 paths, 7 ns."));
	ck_assert_ptr_nonnull(strstr(text, "the noise is unknown"));
	free(text);
}
END_TEST

START_TEST(noise_has_no_colour)
{
	char *text = drawn(2);

	ck_assert(has(text, "b", "fill=\"rgb(228,228,228)\""));
	ck_assert(has(text, "b", "(noise)"));
	ck_assert(has(text, "a", "fill=\"rgb(255,30,30)\""));
	free(text);
}
END_TEST

/* A process that has many functions with long names. */
static struct diff_paths *many_paths(uint32_t count)
{
	struct diff_paths *paths = diff_paths_new();

	for (int side = 0; side < 2; side++) {
		diff_paths_begin(paths, side);
		for (uint32_t i = 0; i < count; i++) {
			struct diff_value value = { 1, 1000 + i, 0 };
			char name[128];

			snprintf(name, sizeof(name), "%0100" PRIu32, i);
			ck_assert_int_eq(diff_paths_add(paths, i > 0, name,
							false, &value),
					 0);
		}
	}
	diff_paths_end(paths);
	return paths;
}

START_TEST(a_file_is_below_two_megabytes)
{
	struct diff_paths *paths = many_paths(20000);
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	ck_assert_int_eq(diff_flamegraph_write(paths, NULL, out), 0);
	fclose(out);
	ck_assert_uint_lt(size, 2000000);
	ck_assert_uint_gt(size, 1000000);
	/* The narrowest are left out, in both graphs. */
	ck_assert_ptr_nonnull(strstr(text, "00019999\"><title>"));
	ck_assert_ptr_null(strstr(text, "00000001\"><title>"));
	free(text);
	diff_paths_free(paths);
}
END_TEST

START_TEST(names_are_texts)
{
	char *text = drawn(1);

	ck_assert_ptr_null(strstr(text, evil));
	ck_assert(has(text, "&lt;/text&gt;&lt;script&gt;&quot;\\x1b", "(new)"));
	free(text);
}
END_TEST

SUITE("diff_paths")
{
	TEST(a_file_is_below_two_megabytes);
	TEST(paths_of_a_name_are_one);
	TEST(a_depth_has_a_parent);
	TEST(colours_are_of_changes);
	TEST(noise_has_no_colour);
	TEST(names_are_texts);
}
