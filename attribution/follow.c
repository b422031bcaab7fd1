/* SPDX-License-Identifier: MIT */
#include "attribution/follow.h"

#include "report/task_names.h"
#include "symbolize/symbols.h"

struct claim *moment_claim(const struct moment *moment)
{
	if (moment->piece)
		return interrupt_piece_claim(moment->claims, moment->piece);
	return claim_process(moment->claims, moment->pid);
}

uint32_t moment_function(const struct moment *moment, int64_t address)
{
	struct symbol symbol;

	symbols_find(moment->symbols, moment->pid, (uint64_t)address, &symbol);
	return symbol.function;
}

void moment_effect(const struct moment *moment, struct claim *claim,
		   double weight)
{
	struct interrupt_piece *piece = moment->piece;

	if (piece && !piece->owner)
		stakes_add(moment->claims, &piece->effects, claim, weight,
			   CERTAIN_EXACT);
}

struct claim *moment_process(const struct moment *moment, int32_t tid)
{
	int32_t pid = task_names_process(moment->names, tid);

	return claim_process(moment->claims, pid < 0 ? tid : pid);
}
