/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/filter.h"

#define CR3_ADDRESS_MASK (~0x1full)

bool pt_filter_context(const struct pt_registers *registers, uint64_t ip,
		       uint64_t cr3)
{
	bool kernel = ip >> 63;

	if (!(registers->ctl & (kernel ? CTL_OS : CTL_USER)))
		return false;
	return !(registers->ctl & CTL_CR3_FILTER) ||
	       (cr3 & CR3_ADDRESS_MASK) == registers->cr3_match;
}

static bool in_range(const struct pt_registers *registers, unsigned range,
		     uint64_t ip)
{
	return ip >= registers->address[2 * range] &&
	       ip <= registers->address[2 * range + 1];
}

/* Sets *@configured if any range has configuration @config. Returns whether @ip
 * is in such a range.
 */
static bool in_any(const struct pt_registers *registers, unsigned config,
		   uint64_t ip, bool *configured)
{
	*configured = false;
	if (!(registers->ctl & CTL_ADDR_CFGS))
		return false;
	for (unsigned i = 0; i < PT_ADDRESS_RANGES; i++) {
		if (pt_registers_range_config(registers, i) != config)
			continue;
		*configured = true;
		if (in_range(registers, i, ip))
			return true;
	}
	return false;
}

bool pt_filter_range(const struct pt_registers *registers, uint64_t ip)
{
	bool configured;

	return in_any(registers, ADDR_CFG_FILTER, ip, &configured) ||
	       !configured;
}

bool pt_filter_stops(const struct pt_registers *registers, uint64_t ip)
{
	bool configured;

	return in_any(registers, ADDR_CFG_STOP, ip, &configured);
}
