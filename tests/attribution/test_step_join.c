/* SPDX-License-Identifier: MIT */
/* A join of steps and records that resumes from the state in a checkpoint. */
#include "attribution/events/step_join.h"
#include "common/bytes.h"
#include "common/error.h"
#include "decoder/recording/recording.h"
#include "decoder/recording/recording_data.h"
#include "decoder/recording_open.h"
#include "report/steps/call_step.h"
#include "tests/fixtures/recording.h"
#include "tests/run_suite.h"

#include <string.h>

/* A handler whose state is a number that must be odd. */
struct odd_handler {
	struct event_handler handler; /* first */
	uint32_t state;
};

static void pack_odd(struct event_handler *handler,
		     const struct task_pack *tasks)
{
	struct odd_handler *odd = (struct odd_handler *)handler;

	pack_u32(tasks->pack, &odd->state);
	pack_check(tasks->pack, odd->state % 2);
}

struct story {
	struct recording_fixture fixture;
	struct recording *recording;
	struct known_events *events;
	struct odd_handler odd;
	struct event_handler *handlers[1];
	struct step_join *join;
};

static void begin(struct story *story)
{
	*story = (struct story){ .odd = { { .pack = pack_odd }, 7 } };
	recording_fixture_begin(&story->fixture);
	recording_fixture_write(&story->fixture);
	ck_assert_int_eq(recording_open(story->fixture.path, NULL,
					&story->recording),
			 0);
	story->events = known_events_new(story->recording);
	story->handlers[0] = &story->odd.handler;
	story->join = step_join_new(story->recording, story->events,
				    story->handlers, 1);
	ck_assert_ptr_nonnull(story->join);
	step_join_pack_as(story->join, "odd_index");
}

static void finish(struct story *story)
{
	step_join_free(story->join);
	known_events_free(story->events);
	recording_close(story->recording);
	recording_fixture_end(&story->fixture);
}

/* Writes the state to @pack, or reads it. */
static void pack_state(const struct story *story, struct pack *pack)
{
	struct step_callback *callback = step_join_callback(story->join);

	callback->pack(callback, &(struct task_pack){ .pack = pack });
}

START_TEST(a_state_that_can_be_read_is_no_error)
{
	struct pack written = pack_to_write();
	struct pack pack;
	struct story story;

	begin(&story);
	pack_state(&story, &written);
	pack = pack_to_read(written.out.bytes, written.out.size);
	story.odd.state = 1;
	pack_state(&story, &pack);
	ck_assert_uint_eq(story.odd.state, 7);
	ck_assert_int_eq(step_join_end(story.join), 0);
	pack_free(&written);
	finish(&story);
}
END_TEST

/* The state is damaged in the handler's part, too short or too long: a result
 * from it would be wrong.
 */
START_TEST(a_damaged_state_is_reported_at_the_end)
{
	static const int sizes[] = { 0, -1, 1 };
	struct pack written = pack_to_write();
	uint8_t bytes[64] = { 0 };
	struct story story;
	struct pack pack;

	begin(&story);
	pack_state(&story, &written);
	ck_assert_uint_lt(written.out.size, sizeof(bytes));
	memcpy(bytes, written.out.bytes, written.out.size);
	if (!sizes[_i])
		bytes[written.out.size - 4] = 8;
	pack = pack_to_read(bytes, written.out.size + (size_t)sizes[_i]);
	pack_state(&story, &pack);
	ck_assert_int_eq(step_join_end(story.join), -ERROR_FORMAT);
	pack_free(&written);
	finish(&story);
}
END_TEST

SUITE("step_join")
{
	TEST(a_state_that_can_be_read_is_no_error);
	TEST_TIMES(a_damaged_state_is_reported_at_the_end, 3);
}
