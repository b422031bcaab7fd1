/* SPDX-License-Identifier: MIT */
#include "symbolize/events/graph_roles.h"

#include "symbolize/functions/function_table.h"
#include "symbolize/symbols/symbols.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct function_role {
	uint32_t entry;
	uint8_t role; /* enum graph_role */
};

struct graph_roles {
	uint32_t idle;
	uint32_t count;
	struct function_role roles[];
};

/* Returns the kernel's own function named @name, or FUNCTION_UNKNOWN. */
static uint32_t find_function(const struct function_table *functions,
			      const char *name)
{
	uint32_t found = function_table_kernel(functions, name);

	return found == FUNCTION_NONE ? FUNCTION_UNKNOWN : found;
}

/* Caches the last entry found: hundreds of functions, all system calls, imply
 * the same one.
 */
struct entry_search {
	const struct arch *arch;
	const struct function_table *functions;
	const char *last;
	uint32_t last_found;
};

static uint32_t find_entry(struct entry_search *search,
			   const struct arch_graph_rule *rule, const char *name)
{
	char entry[256];

	if (!*rule->entry)
		return FUNCTION_UNKNOWN;
	if (*rule->entry == '+') {
		snprintf(entry, sizeof(entry), "%s%s", rule->entry + 1,
			 name + 2);
		return find_function(search->functions, entry);
	}
	if (!search->last || strcmp(search->last, rule->entry) != 0) {
		search->last = rule->entry;
		search->last_found =
			find_function(search->functions, rule->entry);
	}
	return search->last_found;
}

static struct function_role role_of(struct entry_search *search,
				    uint32_t number)
{
	const struct function *function =
		function_at(search->functions, number);
	const struct arch_graph_rule *rule =
		function->space == 'k' ?
			arch_graph_rule(search->arch, function->base) :
			NULL;
	struct function_role role = { .entry = FUNCTION_UNKNOWN };

	if (!rule)
		return role;
	role.entry = find_entry(search, rule, function->base);
	role.role = (uint8_t)rule->role;
	/* The kernel does not have the entry under this name: the function is
	 * used instead.
	 */
	if (role.entry == FUNCTION_UNKNOWN &&
	    rule->role != GRAPH_ROLE_INTERRUPT_END &&
	    rule->role != GRAPH_ROLE_INTERRUPT_TAIL &&
	    !graph_role_is_way_out(rule->role))
		role.entry = number;
	return role;
}

struct graph_roles *graph_roles_new(const struct symbols *symbols)
{
	const struct function_table *functions = symbols_functions(symbols);
	uint32_t count = function_count(functions);
	struct entry_search search = {
		.arch = symbols_arch(symbols),
		.functions = functions,
	};
	struct graph_roles *roles =
		calloc(1, sizeof(*roles) + count * sizeof(*roles->roles));

	if (!roles)
		return NULL;
	roles->count = count;
	roles->idle = find_function(functions, "do_idle");
	for (uint32_t i = 0; i < count; i++)
		roles->roles[i] = role_of(&search, i);
	return roles;
}

void graph_roles_free(struct graph_roles *roles)
{
	free(roles);
}

enum graph_role graph_role_of(const struct graph_roles *roles,
			      uint32_t function)
{
	return function < roles->count ?
		       (enum graph_role)roles->roles[function].role :
		       GRAPH_ROLE_NONE;
}

uint32_t graph_role_entry(const struct graph_roles *roles, uint32_t function)
{
	return function < roles->count ? roles->roles[function].entry :
					 FUNCTION_UNKNOWN;
}

uint32_t graph_roles_idle(const struct graph_roles *roles)
{
	return roles->idle;
}
