/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

#include "report/text/task_names.h"
#include "symbolize/symbols/symbols.h"

#include <string.h>

bool moment_is_task(const struct moment *moment)
{
	return moment->is_traced && !moment->piece && moment->tid > 0;
}

struct claim *moment_claim(const struct moment *moment)
{
	if (moment->piece)
		return interrupt_piece_claim(moment->claims, moment->piece);
	return moment_is_task(moment) ?
		       claim_process(moment->claims, moment->pid) :
		       claim_nobody(moment->claims);
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

	if (piece && interrupt_piece_is_open(piece))
		stakes_add(moment->claims, &piece->effects, claim, weight,
			   CERTAIN_EXACT);
}

struct claim *moment_process(const struct moment *moment, int32_t tid)
{
	int32_t pid = task_names_process(moment->names, tid);

	return claim_process(moment->claims, pid < 0 ? tid : pid);
}

/* Threads that work for others: that they are woken says nothing. */
static bool is_servant(const char *comm)
{
	static const char *const names[] = {
		"kworker/", "irq/",   "ksoftirqd/", "migration/", "rcu_",
		"rcuc/",    "rcuog/", "rcuop/",	    "rcuos/",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(comm, names[i], strlen(names[i])))
			return true;
	return false;
}

struct claim *moment_woken(const struct moment *moment, int32_t tid)
{
	const char *comm = task_names_comm(moment->names, tid, moment->time_ns);

	return is_servant(comm) ? NULL : moment_process(moment, tid);
}
