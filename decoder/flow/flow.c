/* SPDX-License-Identifier: MIT */
#include "decoder/flow/flow.h"

#define TEXT_OF(table, index) \
	((index) < sizeof(table) / sizeof(*(table)) && (table)[index] ? \
		 (table)[index] : \
		 "unknown")

const char *flow_kind_text(uint8_t kind)
{
	static const char *const texts[] = {
		[FLOW_BLOCK] = "block",
		[FLOW_ASYNC] = "async",
		[FLOW_START] = "start",
		[FLOW_STOP] = "stop",
		[FLOW_GAP] = "gap",
		[FLOW_SWITCH] = "switch",
		[FLOW_MODE] = "mode",
		[FLOW_ADDRESS_SPACE] = "address-space",
		[FLOW_TRANSACTION] = "transaction",
		[FLOW_PTWRITE] = "ptwrite",
		[FLOW_END] = "end",
	};

	return TEXT_OF(texts, kind);
}

const char *flow_exit_text(uint8_t exit)
{
	static const char *const texts[] = {
		[FLOW_EXIT_NONE] = "none",
		[FLOW_EXIT_CONDITIONAL] = "conditional",
		[FLOW_EXIT_JUMP] = "jump",
		[FLOW_EXIT_CALL] = "call",
		[FLOW_EXIT_RETURN] = "return",
		[FLOW_EXIT_FAR_CALL] = "far-call",
		[FLOW_EXIT_FAR_RETURN] = "far-return",
		[FLOW_EXIT_FAR_JUMP] = "far-jump",
	};

	return TEXT_OF(texts, exit);
}

const char *flow_stop_text(uint8_t stop)
{
	static const char *const texts[] = {
		[FLOW_STOP_LEVEL] = "untraced privilege level",
		[FLOW_STOP_FILTER] = "filtered",
		[FLOW_STOP_OFF] = "switched off",
		[FLOW_STOP_NOT_ASKED] = "not asked for",
		[FLOW_STOP_ASIDE] = "not asked for: switch",
		[FLOW_STOP_GUEST] = "guest",
	};

	return TEXT_OF(texts, stop);
}

const char *flow_gap_text(uint8_t reason)
{
	static const char *const texts[] = {
		[FLOW_GAP_OVERFLOW] = "overflow",
		[FLOW_GAP_LOST] = "lost",
		[FLOW_GAP_NO_CODE] = "no code",
		[FLOW_GAP_CODE_CHANGED] = "code changed",
		[FLOW_GAP_BAD_TRACE] = "bad trace",
		[FLOW_GAP_UNSYNCED] = "not yet synchronised",
		[FLOW_GAP_CUT] = "recording cut",
		[FLOW_GAP_UNKNOWN_CODE] = "unknown instruction",
		[FLOW_GAP_GENERATED] = "generated code, not recorded",
	};

	return TEXT_OF(texts, reason);
}

void flow_item_keep_order(struct flow_item *item, uint64_t time_ns,
			  uint32_t late_ns)
{
	uint64_t early_ns = time_ns - item->time_ns;

	if (item->time_ns >= time_ns)
		return;
	item->early_ns = early_ns < FLOW_NO_BOUND ? (uint32_t)early_ns :
						    FLOW_NO_BOUND;
	item->late_ns = late_ns;
	item->time_ns = time_ns;
}
