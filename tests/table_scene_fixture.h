/* SPDX-License-Identifier: MIT */
#ifndef KT_TESTS_TABLE_SCENE_FIXTURE_H
#define KT_TESTS_TABLE_SCENE_FIXTURE_H

#include "attribution/attribution_input.h"
#include "report/steps/task_choice.h"
#include "tables/table.h"
#include "tests/attribution_fixture.h"

/* A table of report that made-up events fill. */
struct table_scene {
	struct symbols *symbols;
	struct task_names *names;
	struct attribution_fixture *f; /* of the kernel's events and functions */
	struct step_filter filter;
	struct attribution_input input;
	const struct attribution_table *shown;
	struct event_handler *table;
};

/* Opens table @shown. @kernel is a text as of /proc/kallsyms, with @size bytes. */
void table_scene_begin(struct table_scene *scene,
		       const struct attribution_table *shown,
		       const char *kernel, size_t size);

/* Ends the events and frees @scene. The rows of the table as CSV must be @rows. */
void table_scene_finish(struct table_scene *scene, const char *rows);

#endif
