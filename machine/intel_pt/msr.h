/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KT_MACHINE_INTEL_PT_MSR_H
#define KT_MACHINE_INTEL_PT_MSR_H

/* Names and bits of the trace unit's registers.
 *
 * Source: Intel SDM volume 3, chapter "Intel Processor Trace", sections
 * "Configuration and Programming Guide" and "Trace Packets and Data Types";
 * volume 4 for the MSR numbers.
 */
#define MSR_PLATFORM_INFO 0xceu
#define MSR_RTIT_OUTPUT_BASE 0x560u
#define MSR_RTIT_OUTPUT_MASK_PTRS 0x561u
#define MSR_RTIT_CTL 0x570u
#define MSR_RTIT_STATUS 0x571u
#define MSR_RTIT_CR3_MATCH 0x572u
#define MSR_RTIT_ADDR0_A 0x580u
#define MSR_RTIT_ADDR3_B 0x587u

#define CTL_TRACE_EN (1ull << 0)
#define CTL_CYC_EN (1ull << 1)
#define CTL_OS (1ull << 2)
#define CTL_USER (1ull << 3)
#define CTL_PWR_EVT_EN (1ull << 4)
#define CTL_FUP_ON_PTW (1ull << 5)
#define CTL_CR3_FILTER (1ull << 7)
#define CTL_TOPA (1ull << 8)
#define CTL_MTC_EN (1ull << 9)
#define CTL_TSC_EN (1ull << 10)
#define CTL_DIS_RETC (1ull << 11)
#define CTL_PTW_EN (1ull << 12)
#define CTL_BRANCH_EN (1ull << 13)
#define CTL_MTC_FREQ_SHIFT 14
#define CTL_MTC_FREQ (0xfull << CTL_MTC_FREQ_SHIFT)
#define CTL_CYC_THRESH_SHIFT 19
#define CTL_CYC_THRESH (0xfull << CTL_CYC_THRESH_SHIFT)
#define CTL_PSB_FREQ_SHIFT 24
#define CTL_PSB_FREQ (0xfull << CTL_PSB_FREQ_SHIFT)
#define CTL_EVENT_EN (1ull << 31)
#define CTL_ADDR_CFG_SHIFT 32
#define CTL_ADDR_CFG_BITS 4
#define CTL_ADDR_CFGS (0xffffull << CTL_ADDR_CFG_SHIFT)
#define CTL_DIS_TNT (1ull << 55)

#define STATUS_FILTER_EN (1ull << 0)
#define STATUS_CONTEXT_EN (1ull << 1)
#define STATUS_TRIGGER_EN (1ull << 2)
#define STATUS_ERROR (1ull << 4)
#define STATUS_STOPPED (1ull << 5)
#define STATUS_BYTE_COUNT_SHIFT 32
#define STATUS_BYTE_COUNT (0x1ffffull << STATUS_BYTE_COUNT_SHIFT)

#define TOPA_END (1ull << 0)
#define TOPA_INT (1ull << 2)
#define TOPA_STOP (1ull << 4)
#define TOPA_SIZE_SHIFT 6
#define TOPA_SIZE (0xfull << TOPA_SIZE_SHIFT)
#define TOPA_RESERVED (1ull << 1 | 1ull << 3 | 1ull << 5 | 3ull << 10)

enum {
	PT_ADDRESS_RANGES = 4, /* ADDR0 to ADDR3 */
	ADDR_CFG_OFF = 0,
	ADDR_CFG_FILTER = 1,
	ADDR_CFG_STOP = 2,
	PT_PHYSICAL_BITS = 46,
};

#endif
