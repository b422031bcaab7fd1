/* SPDX-License-Identifier: MIT */
#include "report/steps/switch_roles.h"

#include "symbolize/functions/function_table.h"

#include <stdlib.h>
#include <string.h>

/* Names after "runtime.", without the ABI suffix of Go 1.17 and later. */
static const struct {
	const char *name;
	uint8_t role;
} names[] = {
	{ "gogo", ROLE_GOGO },	       { "mcall", ROLE_TO_G0 },
	{ "morestack", ROLE_TO_G0 },   { "morestack_noctxt", ROLE_TO_G0 },
	{ "newstack", ROLE_NEWSTACK }, { "goexit0", ROLE_LAST },
};

static uint8_t role_of(const struct function *function)
{
	static const char prefix[] = "runtime.";
	const char *name = function->base;
	size_t length;

	if (strncmp(name, prefix, strlen(prefix)))
		return ROLE_NONE;
	name += strlen(prefix);
	length = strcspn(name, ".");
	if (name[length] && strncmp(name + length, ".abi", 4))
		return ROLE_NONE;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i].name) == length &&
		    !memcmp(names[i].name, name, length))
			return names[i].role;
	return ROLE_NONE;
}

static void set_role(struct switch_roles *roles, uint32_t count,
		     uint32_t function, uint8_t role)
{
	if (!roles->of)
		roles->of = calloc(count, 1);
	if (!roles->of)
		return;
	roles->count = count;
	roles->of[function] = role;
}

/* Since Go 1.17, runtime.gogo jumps to a local function gogo, which does the
 * work.
 */
static void add_local_gogo(struct switch_roles *roles,
			   const struct function_table *functions,
			   const char *module)
{
	for (uint32_t i = 0; i < roles->count; i++) {
		const struct function *function = function_at(functions, i);

		if (function->module == module &&
		    !strcmp(function->base, "gogo"))
			roles->of[i] = ROLE_GOGO;
	}
}

struct switch_roles switch_roles_of(const struct function_table *functions)
{
	struct switch_roles roles = { 0 };
	uint32_t count = function_count(functions);

	for (uint32_t i = 0; i < count; i++) {
		const struct function *function = function_at(functions, i);
		uint8_t role = role_of(function);

		if (role == ROLE_NONE)
			continue;
		set_role(&roles, count, i, role);
		if (role == ROLE_GOGO)
			add_local_gogo(&roles, functions, function->module);
	}
	return roles;
}

void switch_roles_free(struct switch_roles *roles)
{
	free(roles->of);
	*roles = (struct switch_roles){ 0 };
}
