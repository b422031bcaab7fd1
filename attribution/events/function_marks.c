/* SPDX-License-Identifier: MIT */
#include "attribution/events/function_marks.h"

#include "common/maps.h"
#include "symbolize/functions/function_table.h"

#include <stdlib.h>

struct function_marks *function_marks_new(uint32_t count)
{
	struct function_marks *marks = calloc(1, sizeof(*marks) + count);

	if (marks)
		marks->count = count;
	return marks;
}

struct function_marks *
function_marks_by_rules(const struct function_table *functions,
			const struct name_rule *rules, size_t count)
{
	const struct name_lookup lookup = name_lookup_of(rules, count);
	struct function_marks *marks =
		function_marks_new(function_count(functions));

	for (uint32_t i = 0; marks && i < marks->count; i++) {
		const struct function *function = function_at(functions, i);
		const struct name_rule *rule =
			function->space == 'k' ?
				name_lookup_find(&lookup, function->base) :
				NULL;

		marks->values[i] = rule ? rule->value : 0;
	}
	return marks;
}
