/* SPDX-License-Identifier: MIT */
#include "report/timeline/timeline_text_internal.h"
#include "tests/run_suite.h"

#include <string.h>

/* The output: 'e' an entry, 'x' an exit, 's' a switch, 'L' a leaf; each after
 * the number of its task.
 */
struct letters {
	char text[512];
};

static void write_letter(void *ctx, const struct call_step *step,
			 const struct call_step *leaf_exit)
{
	struct letters *letters = ctx;
	char *end = letters->text + strlen(letters->text);

	*end++ = (char)('0' + step->task->index);
	*end = leaf_exit		? 'L' :
	       step->kind == STEP_ENTER ? 'e' :
	       step->kind == STEP_EXIT	? 'x' :
					  's';
}

static const struct task tasks[] = { { .index = 0 }, { .index = 1 } };

/* @text: "0e" is an entry of task 0, as above; depths follow from that. */
static void send(struct leaf_queue *queue, const char *text)
{
	uint32_t depths[2] = { 0, 0 };

	for (; *text; text += 2) {
		int task = *text - '0';
		struct call_step step = {
			.kind = text[1] == 'e' ? STEP_ENTER :
				text[1] == 'x' ? STEP_EXIT :
						 STEP_SWITCH,
			.task = &tasks[task],
		};

		if (text[1] == 'x')
			depths[task]--;
		step.depth = depths[task];
		if (text[1] == 'e')
			depths[task]++;
		leaf_queue_consume(queue, &step);
	}
}

static const struct {
	const char *sent;
	const char *at_once; /* before the end */
	const char *all;
} cases[] = {
	{ "0e0x", "0L", "0L" },
	{ "0e", "", "0e" },
	{ "0e0e0x0e0x0x", "0e0L0L0x", "0e0L0L0x" },
	{ "0e0s0x", "0e0s0x", "0e0s0x" },
	/* Two CPUs: all events in order, whichever CPU waits. */
	{ "0e1e1x0x", "0L1L", "0L1L" },
	{ "0e1e0e1x0x0x", "0e1L0L0x", "0e1L0L0x" },
	{ "0e1s1s", "", "0e1s1s" },
};

START_TEST(entries_wait_for_the_next_event)
{
	struct letters letters = { "" };
	struct leaf_queue queue = { .write = write_letter, .ctx = &letters };

	send(&queue, cases[_i].sent);
	ck_assert_str_eq(letters.text, cases[_i].at_once);
	leaf_queue_end(&queue);
	ck_assert_str_eq(letters.text, cases[_i].all);
}
END_TEST

/* A CPU that continues for long while another has a function open. */
START_TEST(the_queue_has_an_end)
{
	struct letters letters = { "" };
	struct leaf_queue queue = { .write = write_letter, .ctx = &letters };

	send(&queue, "0e");
	for (int i = 1; i < LEAF_QUEUE_STEPS; i++)
		send(&queue, "1s");
	ck_assert_str_eq(letters.text, "");
	send(&queue, "1s");
	ck_assert_int_eq(strncmp(letters.text, "0e1s", 4), 0);
	ck_assert_uint_eq(strlen(letters.text), 2 * (LEAF_QUEUE_STEPS + 1));
}
END_TEST

SUITE("leaf_queue")
{
	TEST_EACH(entries_wait_for_the_next_event, cases);
	TEST(the_queue_has_an_end);
}
