/* SPDX-License-Identifier: MIT */
#include "symbolize/arch/arch.h"

#include <string.h>

static const struct arch *const known_archs[] = {
	&arch_x86_64,
	&arch_arm64,
	&arch_arm,
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
	size_t at = 0;

	if (length < size)
		return false;
	switch (rule->match) {
	case ARCH_WHOLE:
		if (length > size)
			return false;
		break;
	case ARCH_PREFIX:
		break;
	case ARCH_SUFFIX:
		at = length - size;
		break;
	}
	return memcmp(rule->name, name + at, size) == 0;
}

enum code_role arch_role(const struct arch *arch, const char *name,
			 size_t length)
{
	for (size_t i = 0; i < arch->rule_count; i++)
		if (rule_fits(&arch->rules[i], name, length))
			return arch->rules[i].role;
	return CODE_FUNCTION;
}
