/* SPDX-License-Identifier: MIT */
#include "view/answer/answer_names.h"

#include "common/error.h"
#include "symbolize/functions/function_table.h"
#include "view/answer/json_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int answer_names_init(struct answer_names *named,
		      const struct function_table *functions)
{
	named->functions = functions;
	named->is_named =
		calloc(function_count(functions) + 1, sizeof(*named->is_named));
	return named->is_named ? 0 : -ERROR_MEMORY;
}

void answer_names_free(struct answer_names *named)
{
	free(named->is_named);
}

void answer_names_add(struct answer_names *named, uint32_t function)
{
	if (function < function_count(named->functions))
		named->is_named[function] = true;
}

static void write_full_name(const struct function *function,
			    struct json_out *json)
{
	char *full = function_full_name(function);

	json_text(json, full ? full : function->name);
	free(full);
}

void answer_names_write(const struct answer_names *named, struct json_out *json)
{
	char number[16];

	json_key(json, "functions");
	json_begin(json, "{}");
	for (uint32_t i = 0; i < function_count(named->functions); i++) {
		const struct function *function;

		if (!named->is_named[i])
			continue;
		function = function_at(named->functions, i);
		snprintf(number, sizeof(number), "%" PRIu32, i);
		json_key(json, number);
		json_begin(json, "[]");
		json_text(json, function->name);
		json_text(json,
			  function->space == 'u' ? "user" : function->module);
		if (function->demangled)
			write_full_name(function, json);
		json_end(json, "[]");
	}
	json_end(json, "{}");
}
