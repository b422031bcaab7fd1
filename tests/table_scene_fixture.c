/* SPDX-License-Identifier: MIT */
#include "tests/table_scene_fixture.h"
#include "attribution/trackers.h"
#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void table_scene_begin(struct table_scene *scene,
		       const struct attribution_table *shown,
		       const char *kernel, size_t size)
{
	memset(scene, 0, sizeof(*scene));
	scene->shown = shown;
	ck_assert_int_eq(symbols_from_text(&arch_x86_64, kernel, size, "", 0,
					   &scene->symbols),
			 0);
	scene->names = task_names_empty();
	scene->f = attribution_fixture_of(scene->symbols);
	scene->input = (struct attribution_input){
		.symbols = scene->symbols,
		.names = scene->names,
		.kinds = attribution_fixture_kinds(scene->f),
		.filter = &scene->filter,
		.window = TIME_WINDOW_ALL,
	};
	scene->input.trackers = trackers_new_with(&(struct trackers_options){
		.input = &scene->input,
		.time.kinds = scene->input.kinds,
		.time.functions = symbols_functions(scene->symbols),
	});
	scene->table = attribution_table_open(shown, &scene->input);
	ck_assert_ptr_nonnull(scene->table);
	attribution_fixture_follow(scene->f, scene->input.trackers);
}

void table_scene_finish(struct table_scene *scene, const char *rows)
{
	char *text = NULL;
	const char *found;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	const struct attribution_output output = {
		.out = out,
		.format = RECORD_CSV,
		.top = UINT64_MAX,
	};

	ends(scene->f);
	ck_assert_int_eq(trackers_end(scene->input.trackers), 0);
	ck_assert_int_eq(scene->shown->render(scene->table, &output), 0);
	fclose(out);
	found = strchr(text, '\n');
	ck_assert_str_eq(found ? found + 1 : text, rows);
	free(text);
	attribution_table_close(scene->shown, scene->table);
	trackers_free(scene->input.trackers);
	attribution_fixture_free(scene->f);
	task_names_close(scene->names);
	symbols_close(scene->symbols);
}
