/* SPDX-License-Identifier: MIT */
/* Messages by a pipe that are never answered, such as a command's output, are
 * not requests.
 */
#include "decoder/recording/sideband.h"
#include "tests/fixtures/request_story.h"

enum { CHILD = 9 };

/* The client's output wakes the server. */
static void tells(struct attribution_fixture *f)
{
	all_run(f);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	rises(f, 220, 1, SERVER);
}

static void output(struct attribution_fixture *f)
{
	tells(f);
	sleeps(f, 240, 1, SERVER, "pipe_read");
	writes_to(f, 260, 0, SERVER);
	rises(f, 280, 1, SERVER);
	at(f, 400);
}

/* The reader then sends a request to another server, on its own account. */
static void output_then_asks(struct attribution_fixture *f)
{
	all_run(f);
	sleeps(f, 105, 2, OTHER, "pipe_read");
	sleeps(f, 110, 1, SERVER, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	rises(f, 220, 1, SERVER);
	writes_to(f, 240, 1, OTHER);
	sleeps(f, 252, 1, SERVER, "pipe_read");
	rises(f, 260, 2, OTHER);
	writes_to(f, 280, 2, SERVER);
	rises(f, 300, 1, SERVER);
	sleeps(f, 310, 1, SERVER, "pipe_read");
	at(f, 400);
}

/* A server reads the output of a command that it runs for a request. */
static void for_a_request(struct attribution_fixture *f)
{
	all_run(f);
	sleeps(f, 110, 1, SERVER, "pipe_read");
	writes_to(f, 200, 0, SERVER);
	sleeps(f, 215, 0, CLIENT, "pipe_read");
	rises(f, 220, 1, SERVER);
	at(f, 230);
	life(f, 1, SIDEBAND_FORK, CHILD);
	sleeps(f, 240, 1, SERVER, "pipe_read");
	at(f, 250);
	starts(f, 3, CHILD);
	writes_to(f, 260, 3, SERVER);
	rises(f, 280, 1, SERVER);
	writes_to(f, 300, 1, CLIENT);
	rises(f, 340, 0, CLIENT);
	at(f, 400);
}

static const struct request_story stories[] = {
	{ "output", output, "", NOTHING_TELLS },
	{ "output, and a request", output_then_asks,
	  "8>17 240+65: c10 w15 r15 k25 / k115\n", NOTHING_TELLS },
	{ "output for a request", for_a_request,
	  "7>8 200+145: c10 w35 q20 r30 k50 by 9 / k242\n", NOTHING_TELLS },
};

SUITE("request_one_way")
{
	REQUEST_STORIES(stories);
}
