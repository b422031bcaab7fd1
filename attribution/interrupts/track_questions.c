/* SPDX-License-Identifier: MIT */
#include "attribution/interrupts/object_tracker.h"

#include <stdlib.h>

/* A task that has asked a device something and waits. */
struct question {
	int32_t tid;
	struct claim *claim;
};

/* Questions to devices that have one answer for each, as a 9p server's, from
 * who asks to the interrupt that hands the answer over.  Which one it answers
 * is not recorded: it is inferred to be for those who wait.
 */
struct questions {
	struct claims *claims;
	struct array waiting; /* struct question */
};

static void *open_questions(struct claims *claims)
{
	struct questions *questions = calloc(1, sizeof(*questions));

	if (!questions)
		return NULL;
	questions->claims = claims;
	questions->waiting = ARRAY_OF(struct question);
	return questions;
}

static void close_questions(void *state)
{
	struct questions *questions = state;
	const struct question *items = questions->waiting.items;

	for (size_t i = 0; i < questions->waiting.count; i++)
		claim_drop(questions->claims, items[i].claim);
	array_free(&questions->waiting);
	free(questions);
}

static void forget(struct questions *questions, int32_t tid)
{
	struct question *items = questions->waiting.items;
	size_t count = questions->waiting.count;

	for (size_t i = 0; i < count; i++) {
		if (items[i].tid != tid)
			continue;
		claim_drop(questions->claims, items[i].claim);
		items[i] = items[count - 1];
		questions->waiting.count--;
		return;
	}
}

static void ask(struct questions *questions, const struct moment *moment)
{
	struct question *question;

	forget(questions, moment->tid);
	question = array_add(&questions->waiting);
	if (question)
		*question =
			(struct question){ moment->tid,
					   claim_refer(moment_claim(moment)) };
	else
		claims_fail(questions->claims);
}

static void answer(const struct questions *questions,
		   const struct moment *moment)
{
	const struct question *items = questions->waiting.items;
	struct interrupt_piece *piece = moment->piece;

	if (!piece || !interrupt_piece_is_open(piece))
		return;
	for (size_t i = 0; i < questions->waiting.count; i++)
		stakes_add(moment->claims, &piece->effects, items[i].claim, 1,
			   CERTAIN_INFERRED);
}

static void role(void *state, const struct moment *moment,
		 enum interrupt_role role, bool has_ended)
{
	if (role == ROLE_ASKS && has_ended)
		forget(state, moment->tid);
	else if (role == ROLE_ASKS)
		ask(state, moment);
	else if (role == ROLE_ANSWERS)
		answer(state, moment);
}

const struct object_tracker track_questions = {
	.open = open_questions,
	.close = close_questions,
	.role = role,
};
