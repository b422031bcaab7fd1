/* SPDX-License-Identifier: MIT */
/* report --network: which of the kernel's events count as one packet's. */
#include "attribution/events/known_events.h"
#include "tables/table.h"
#include "tests/fixtures/attribution.h"
#include "tests/fixtures/table_scene.h"
#include "tests/run_suite.h"

static const char kernel[] = "ffffffff81000000 T entry_SYSCALL_64\n"
			     "ffffffff81000100 T do_idle\n";

enum { PACKET = 0x1000, SOCKET = 0x2000 };

static void packet_event(struct table_scene *scene, enum known_event kind)
{
	static const struct {
		uint64_t address;
		uint64_t bytes;
		char device[8];
	} raw = { PACKET, 52, "lo" };
	static const struct tracepoint_field fields[EVENT_MAX_FIELDS] = {
		[SKB_ADDRESS] = { .offset = 0, .size = 8 },
		[PACKET_BYTES] = { .offset = 8, .size = 8 },
		[PACKET_DEVICE] = { .offset = 16, .size = 8 },
	};

	raw_event(scene->f, 0, kind, fields, &raw, sizeof(raw));
}

/* Thread 7 processes an acknowledgement, and wakes thread 9 in the same system
 * call or in the next one.
 */
static const struct {
	const char *before_wake;
	const char *rows;
} wakes[] = {
	{ "140", "lo,acknowledged,-1,?,1,0,0,1,0,0,52,0,0,0,,,0,0,0,0,0,0,0\n"
		 "lo,acknowledged,9,?,0,0,0,0,0,0,0,0,0,0,,,0,0,0,0,0,1,65\n" },
	{ "140 ) 150 entry_SYSCALL_64(",
	  "lo,acknowledged,-1,?,1,0,0,1,0,0,52,0,0,0,,,0,0,0,0,0,0,0\n" },
};

START_TEST(a_packet_wakes_only_in_the_call_that_processed_it)
{
	struct table_scene scene;

	table_scene_begin(&scene, &network_table, NULL, kernel,
			  sizeof(kernel) - 1);
	follow_script(scene.f, "90 starts:7 cpu:1 starts:9 95 switch:9,1,0 "
			       "cpu:0 100 entry_SYSCALL_64( 110");
	packet_event(&scene, EVENT_NET_RX);
	packet_event(&scene, EVENT_NET_RECEIVE);
	event(scene.f, 0, EVENT_TCP_SEGMENT, PACKET, SOCKET, 0);
	follow_script(scene.f, wakes[_i].before_wake);
	follow_script(scene.f, "160 waking:9 cpu:1 170 switch:0,0,9 cpu:0 "
			       "180 )");
	table_scene_finish(&scene, wakes[_i].rows);
}
END_TEST

SUITE("network_table")
{
	TEST_EACH(a_packet_wakes_only_in_the_call_that_processed_it, wakes);
}
