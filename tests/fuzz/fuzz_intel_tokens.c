/* SPDX-License-Identifier: MIT */
#include "decoder/intel_pt/intel_clock.h"
#include "decoder/libipt/intel_tokens_internal.h"
#include "tests/fuzz/fuzz.h"

/* Packets, and the times decoded from them. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	const struct intel_clock_setup setup = {
		.mtc_shift = 3,
		.tsc_ctc_n = 100,
		.tsc_ctc_d = 2,
		.max_nonturbo_ratio = 12,
	};
	struct intel_tokens *tokens = intel_tokens_new(bytes, size, &setup);

	while (tokens && intel_tokens_peek(tokens, 0))
		intel_tokens_drop(tokens, 1);
	intel_tokens_free(tokens);
	return 0;
}
