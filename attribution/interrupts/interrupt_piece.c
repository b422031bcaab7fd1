/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/interrupt_piece.h"

#include "symbolize/functions/function_table.h"

struct interrupt_piece interrupt_piece_of(enum interrupt_kind kind,
					  enum interrupt_role role)
{
	return (struct interrupt_piece){
		.kind = (uint8_t)kind,
		.role = (uint8_t)role,
		.irq = -1,
		.parts = ARRAY_OF(struct stake),
		.effects = ARRAY_OF(struct stake),
		.woken = ARRAY_OF(struct stake),
		.causes = ARRAY_OF(struct claim *),
		.paths = ARRAY_OF(struct path_work),
		.expected = FUNCTION_NONE,
	};
}

struct claim *interrupt_piece_claim(struct claims *claims,
				    struct interrupt_piece *piece)
{
	if (piece->owner)
		return piece->owner;
	if (piece->current)
		return piece->current;
	if (!piece->self)
		piece->self = claim_open(claims);
	return piece->self;
}

void interrupt_piece_own(struct interrupt_piece *piece, struct claim *owner,
			 uint8_t certainty)
{
	if (piece->owner)
		return;
	piece->owner = claim_refer(owner);
	piece->owner_certainty = certainty;
}

bool interrupt_piece_is_open(const struct interrupt_piece *piece)
{
	return !piece->owner || claim_is_abandoned(piece->owner);
}

void interrupt_piece_focus(struct claims *claims, struct interrupt_piece *piece,
			   struct claim *claim)
{
	struct claim *before = piece->current;

	piece->current = claim_refer(claim);
	claim_drop(claims, before);
}

void interrupt_piece_cause(struct claims *claims, struct interrupt_piece *piece,
			   struct claim *cause)
{
	struct claim **slot = array_add(&piece->causes);

	if (slot) {
		*slot = cause;
		return;
	}
	claims_fail(claims);
	claim_drop(claims, cause);
}

void interrupt_piece_expect(struct claims *claims,
			    struct interrupt_piece *piece, uint32_t function,
			    enum interrupt_kind kind, struct claim *owner)
{
	claim_drop(claims, piece->expected_owner);
	piece->expected = function;
	piece->expected_kind = (uint8_t)kind;
	piece->expected_owner = owner ? claim_refer(owner) : NULL;
}

/* What it turned out to be for, its owner aside. */
static const struct array *findings(const struct interrupt_piece *piece)
{
	if (piece->parts.count)
		return &piece->parts;
	return piece->effects.count ? &piece->effects : &piece->woken;
}

/* Only what comes of it can tell, if anything does. */
static bool is_open_end(const struct interrupt_piece *piece)
{
	return !piece->owner && piece->self && !findings(piece)->count;
}

static void judge(struct claims *claims, struct interrupt_piece *piece,
		  struct array *stakes)
{
	const struct array *found = findings(piece);
	const struct stake *items = found->items;

	if (piece->owner && claim_is_abandoned(piece->owner) && found->count)
		claim_settle(claims, piece->owner, found);
	if (is_open_end(piece))
		claim_abandon(piece->self);
	if (piece->owner)
		stakes_add(claims, stakes, piece->owner, 1,
			   piece->owner_certainty);
	else if (is_open_end(piece))
		stakes_add(claims, stakes, piece->self, 1, CERTAIN_EXACT);
	else
		for (size_t i = 0; i < found->count; i++)
			stakes_add(claims, stakes, items[i].claim,
				   items[i].weight, items[i].certainty);
}

static void tell_around(struct claims *claims,
			const struct interrupt_piece *piece,
			const struct array *stakes,
			struct interrupt_piece *around)
{
	const struct stake *items = stakes->items;
	double whole_ns = piece->whole_ns + (double)piece->own_ns;
	double sum = 0;

	if (whole_ns <= 0)
		return;
	around->whole_ns += whole_ns;
	for (size_t i = 0; i < stakes->count; i++)
		sum += items[i].weight;
	for (size_t i = 0; i < stakes->count; i++)
		stakes_add(claims, &around->parts, items[i].claim,
			   whole_ns * items[i].weight / sum,
			   items[i].certainty);
	if (!stakes->count)
		stakes_add(claims, &around->parts, claim_nobody(claims),
			   whole_ns, CERTAIN_EXACT);
}

static void settle_others(struct claims *claims,
			  const struct interrupt_piece *piece,
			  const struct array *stakes)
{
	struct claim **causes = piece->causes.items;

	for (size_t i = 0; i < piece->causes.count; i++)
		claim_settle(claims, causes[i], stakes);
	if (piece->self && !claim_is_abandoned(piece->self))
		claim_settle(claims, piece->self, stakes);
}

static void free_piece(struct claims *claims, struct interrupt_piece *piece)
{
	struct claim **causes = piece->causes.items;

	for (size_t i = 0; i < piece->causes.count; i++)
		claim_drop(claims, causes[i]);
	array_free(&piece->causes);
	array_free(&piece->paths);
	stakes_free(claims, &piece->parts);
	stakes_free(claims, &piece->effects);
	stakes_free(claims, &piece->woken);
	claim_drop(claims, piece->owner);
	claim_drop(claims, piece->self);
	claim_drop(claims, piece->current);
	claim_drop(claims, piece->expected_owner);
}

/* Time and entries go to the same, and in the same parts. */
static void bill_path(struct claims *claims, const struct array *stakes,
		      const struct path_work *work)
{
	struct interrupt_share share = {
		.work = work->path,
		.is_of_path = true,
		.ns = work->ns,
	};

	for (uint8_t how = 0; how < CALL_HOWS; how++) {
		if (!work->entries[how] && !share.ns)
			continue;
		share.how = how;
		share.count = work->entries[how];
		stakes_bill(claims, stakes, &share);
		share.ns = 0;
	}
}

static void bill_paths(struct claims *claims, const struct array *stakes,
		       const struct interrupt_piece *piece)
{
	const struct path_work *works = piece->paths.items;

	for (size_t i = 0; i < piece->paths.count; i++)
		bill_path(claims, stakes, &works[i]);
}

void interrupt_piece_end(struct claims *claims, struct interrupt_piece *piece,
			 uint32_t number, struct interrupt_piece *around)
{
	struct array stakes = ARRAY_OF(struct stake);
	const struct interrupt_share share = {
		.work = number,
		.count = 1,
		.ns = piece->own_ns,
	};

	judge(claims, piece, &stakes);
	if (number != INTERRUPT_WORK_NONE)
		stakes_bill(claims, &stakes, &share);
	bill_paths(claims, &stakes, piece);
	settle_others(claims, piece, &stakes);
	if (around)
		tell_around(claims, piece, &stakes, around);
	stakes_free(claims, &stakes);
	free_piece(claims, piece);
}
