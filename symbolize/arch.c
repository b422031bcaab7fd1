/* SPDX-License-Identifier: MIT */
#include "symbolize/arch.h"

#include <string.h>

static const struct arch *const known_archs[] = {
	&arch_x86_64,
};

const struct arch *arch_for(enum recording_arch arch)
{
	for (size_t i = 0; i < sizeof(known_archs) / sizeof(*known_archs); i++)
		if (known_archs[i]->arch == arch)
			return known_archs[i];
	return &arch_x86_64;
}

static bool rule_fits(const struct arch_rule *rule, const char *name,
		      size_t length)
{
	size_t size = strlen(rule->name);

	return (rule->is_prefix ? length >= size : length == size) &&
	       memcmp(rule->name, name, size) == 0;
}

enum code_role arch_role(const struct arch *arch, const char *name,
			 size_t length)
{
	for (size_t i = 0; i < arch->rule_count; i++)
		if (rule_fits(&arch->rules[i], name, length))
			return arch->rules[i].role;
	return CODE_FUNCTION;
}
