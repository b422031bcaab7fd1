/* SPDX-License-Identifier: MIT */
#ifndef KT_DECODER_TOKEN_WINDOW_H
#define KT_DECODER_TOKEN_WINDOW_H

#include <stddef.h>
#include <stdint.h>

struct intel_clock;
struct intel_token;

/* Gives the tokens between two anchors their bounds and estimates.  @clock
 * still counts from the anchor before; each token's low and high are what CYC
 * said had elapsed since then, at the CYC before and after the token.  @next:
 * the anchor behind them, UINT64_MAX if none comes.
 */
void token_window_close(struct intel_token *tokens, size_t count,
			const struct intel_clock *clock, uint64_t next);

#endif
