/* SPDX-License-Identifier: MIT */
#include "report/steps/named_functions.h"

#include "common/error.h"
#include "symbolize/functions/function_called.h"
#include "symbolize/functions/function_table.h"

enum answer { ANSWER_UNKNOWN, ANSWER_NO, ANSWER_YES };

struct named_functions
named_functions_of(const struct function_table *functions,
		   const struct name_choice *choice)
{
	return (struct named_functions){
		.functions = functions,
		.choice = choice,
		.answers = ARRAY_OF(uint8_t),
	};
}

void named_functions_free(struct named_functions *named)
{
	array_free(&named->answers);
}

bool named_functions_has(struct named_functions *named, uint32_t function)
{
	uint8_t *answer;

	if (!named->choice)
		return false;
	answer = array_reach(&named->answers, function);
	if (!answer) {
		named->status = -ERROR_MEMORY;
		return false;
	}
	if (*answer == ANSWER_UNKNOWN)
		*answer = function_is_chosen(function_at(named->functions,
							 function),
					     named->choice) ?
				  ANSWER_YES :
				  ANSWER_NO;
	return *answer == ANSWER_YES;
}
