/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/intel_pt/fault.h"

static const struct unit_fault_kind kinds[PT_FAULT_COUNT] = {
	[PT_FAULT_NONE] = { "none", 1 },
	[PT_FAULT_TNT_LOST] = { "tnt-lost", 5000 },
	[PT_FAULT_TNT_WRONG] = { "tnt-wrong", 5000 },
	[PT_FAULT_FAST_CLOCK] = { "fast-clock", 1 },
	[PT_FAULT_PSB_LOST] = { "psb-lost", 3 },
	[PT_FAULT_CYC_WRONG] = { "cyc-wrong", 64 },
	[PT_FAULT_IP_OFF] = { "ip-off", 1000 },
	[PT_FAULT_OVF_LOST] = { "ovf-lost", 1 },
	[PT_FAULT_RETURN_WRONG] = { "return-wrong", 100 },
	[PT_FAULT_FUP_LOST] = { "fup-lost", 4 },
	[PT_FAULT_MTC_WRONG] = { "mtc-wrong", 100 },
	[PT_FAULT_BYTES_ZERO] = { "bytes-zero", 50 },
};

bool pt_fault_parse(struct unit_fault *fault, const char *name)
{
	return unit_fault_parse(fault, kinds, PT_FAULT_COUNT, name);
}
