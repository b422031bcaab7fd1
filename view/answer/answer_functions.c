/* SPDX-License-Identifier: MIT */
#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/answer_names.h"
#include "view/answer/answers.h"
#include "view/data/call_sums.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 50, LIKE_BYTES = 128 };

/* Returns how well a name matches: exactly, by prefix, or by a substring. */
static int fit_name(const char *name, const char *like)
{
	const char *at = strstr(name, like);

	if (!at)
		return 0;
	if (at != name)
		return 1;
	return name[strlen(like)] ? 2 : 3;
}

/* Returns how well the best of @function's names matches. */
static int fit(const struct function *function, const char *like)
{
	const char *const names[] = {
		function->name,
		function->base,
		function_symbol(function),
	};
	char *full = function->demangled ? function_full_name(function) : NULL;
	int best = full ? fit_name(full, like) : 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		int found = fit_name(names[i], like);

		if (found > best)
			best = found;
	}
	free(full);
	return best;
}

/* Marks the functions that ran in the recording. */
static bool *find_run(const struct view_sources *sources)
{
	uint32_t paths_count;
	const struct call_path *paths =
		call_sums_paths(sources->summary->calls, &paths_count);
	uint32_t count = function_count(sources->functions);
	bool *run = calloc(count + 1, sizeof(*run));

	for (uint32_t i = 1; run && i < paths_count; i++)
		if (paths[i].function < count)
			run[paths[i].function] = true;
	return run;
}

static void write_found(const struct view_sources *sources, const bool *run,
			const char *like, struct answer_names *named,
			struct json_out *json)
{
	uint32_t count = function_count(sources->functions);
	uint32_t shown = 0;

	json_key(json, "found");
	json_begin(json, "[]");
	for (int wanted = 3; wanted; wanted--)
		for (uint32_t i = 0; i < count && shown < SHOWN; i++) {
			if (!run[i] || fit(function_at(sources->functions, i),
					   like) != wanted)
				continue;
			json_number(json, i);
			answer_names_add(named, i);
			shown++;
		}
	json_end(json, "[]");
}

enum view_status answer_functions(const struct view_sources *sources,
				  const struct view_request *request,
				  struct json_out *json)
{
	const char *like = request->argument(request, "like");
	struct answer_names named;
	bool *run;

	if (!like || !*like || strlen(like) > LIKE_BYTES)
		return VIEW_BAD;
	if (answer_names_init(&named, sources->functions) < 0)
		return VIEW_FAILED;
	run = find_run(sources);
	if (run) {
		write_found(sources, run, like, &named, json);
		answer_names_write(&named, json);
	}
	answer_names_free(&named);
	free(run);
	return run ? VIEW_OK : VIEW_FAILED;
}
