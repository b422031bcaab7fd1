/* SPDX-License-Identifier: MIT */
/* Requests by sockets before Linux 6.3, followed by packet events. */
#include "attribution/events/known_events.h"
#include "tests/fixtures/request_story.h"

/* Sends a message by TCP in @packet; 0: the packet leaves later. */
static void sends(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		  int64_t packet)
{
	calls(f, time_ns, cpu, "tcp_sendmsg");
	at(f, time_ns + 5);
	if (packet)
		event(f, cpu, EVENT_NET_QUEUE, packet, 0, 0);
	returns(f, time_ns + 10, cpu);
}

static void reads(struct attribution_fixture *f, uint64_t time_ns, uint32_t cpu,
		  int64_t packet)
{
	calls(f, time_ns, cpu, "tcp_recvmsg");
	at(f, time_ns + 2);
	event(f, cpu, EVENT_SKB_COPY, packet, 0, 0);
	returns(f, time_ns + 5, cpu);
}

/* A datagram leaves in a packet, and may be read without showing that. */
static void datagrams(struct attribution_fixture *f)
{
	all_run(f);
	for (uint32_t cpu = 0; cpu < 2; cpu++) {
		calls(f, 200 + 100 * cpu, cpu, "udp_sendmsg");
		event(f, cpu, EVENT_NET_QUEUE, 0xa0 + cpu, 0, 0);
		returns(f, 210 + 100 * cpu, cpu);
		calls(f, 220 + 100 * cpu, 1 - cpu, "udp_recvmsg");
		returns(f, 230 + 100 * cpu, 1 - cpu);
	}
	at(f, 500);
}

/* Two clients send; the later one is served first. */
static void packets(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends(f, 220, 2, 0xa1);
	reads(f, 300, 1, 0xa1);
	sends(f, 350, 1, 0xb0);
	reads(f, 370, 2, 0xb0);
	reads(f, 400, 1, 0xa0);
	sends(f, 450, 1, 0xb1);
	reads(f, 470, 0, 0xb1);
	at(f, 500);
}

/* The message is delivered after the send, by ksoftirqd. */
static void delivered_later(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, CLIENT);
	starts(f, 1, SERVER);
	calls(f, 110, 1, "tcp_recvmsg");
	waits(f, 120, 1, SERVER, 9);
	sends(f, 200, 0, 0xa0);
	at(f, 220);
	schedules(f, 0, CLIENT, 0, 14);
	enter(f, 0, "handle_softirqs");
	at(f, 230);
	event(f, 0, EVENT_NET_RECEIVE, 0xa0, 0, 0);
	wakes(f, 0, SERVER);
	at(f, 240);
	leave(f, 0);
	schedules(f, 0, 14, 1, CLIENT);
	at(f, 260);
	schedules(f, 1, 9, 0, SERVER);
	goes_on(f, 270, 1);
	event(f, 1, EVENT_SKB_COPY, 0xa0, 0, 0);
	returns(f, 280, 1);
	sends(f, 350, 1, 0xb0);
	reads(f, 370, 0, 0xb0);
	at(f, 500);
}

/* The server sends a request to another server, whose answer arrives in a soft
 * interrupt.
 */
static void behind(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	reads(f, 220, 1, 0xa0);
	sends(f, 240, 1, 0xa1);
	reads(f, 260, 2, 0xa1);
	calls(f, 270, 1, "tcp_recvmsg");
	waits(f, 280, 1, SERVER, 9);
	calls(f, 300, 2, "tcp_sendmsg");
	at(f, 305);
	event(f, 2, EVENT_NET_QUEUE, 0xb1, 0, 0);
	enter(f, 2, "handle_softirqs");
	event(f, 2, EVENT_NET_RECEIVE, 0xb1, 0, 0);
	wakes(f, 2, SERVER);
	leave(f, 2);
	returns(f, 310, 2);
	at(f, 320);
	schedules(f, 1, 9, 0, SERVER);
	goes_on(f, 325, 1);
	event(f, 1, EVENT_SKB_COPY, 0xb1, 0, 0);
	returns(f, 330, 1);
	sends(f, 350, 1, 0xb0);
	reads(f, 370, 0, 0xb0);
	at(f, 500);
}

/* The packet of a send is merged into the previous one. */
static void sends_merged(struct attribution_fixture *f, uint64_t time_ns,
			 uint32_t cpu, int64_t packet)
{
	calls(f, time_ns, cpu, "tcp_sendmsg");
	at(f, time_ns + 5);
	event(f, cpu, EVENT_NET_QUEUE, packet, 0, 0);
	enter(f, cpu, "handle_softirqs");
	event(f, cpu, EVENT_NET_RECEIVE, packet, 0, 0);
	enter(f, cpu, "kfree_skb_partial");
	leave(f, cpu);
	leave(f, cpu);
	returns(f, time_ns + 10, cpu);
}

/* A packet is merged into the previous one, which is read twice. */
static void merged(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends_merged(f, 220, 0, 0xa1);
	reads(f, 300, 1, 0xa0);
	sends(f, 350, 1, 0xb0);
	reads(f, 370, 0, 0xb0);
	reads(f, 400, 1, 0xa0);
	sends(f, 450, 1, 0xb1);
	reads(f, 470, 0, 0xb1);
	at(f, 500);
}

/* Like the previous story, but the send of the merged packet then acknowledges
 * something.
 */
static void merged_then_acknowledges(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	calls(f, 220, 0, "tcp_sendmsg");
	at(f, 225);
	event(f, 0, EVENT_NET_QUEUE, 0xa1, 0, 0);
	enter(f, 0, "handle_softirqs");
	event(f, 0, EVENT_NET_RECEIVE, 0xa1, 0, 0);
	enter(f, 0, "kfree_skb_partial");
	leave(f, 0);
	leave(f, 0);
	at(f, 228);
	event(f, 0, EVENT_NET_QUEUE, 0xa2, 0, 0);
	returns(f, 230, 0);
	reads(f, 300, 1, 0xa0);
	sends(f, 350, 1, 0xb0);
	reads(f, 370, 0, 0xb0);
	reads(f, 400, 1, 0xa0);
	sends(f, 450, 1, 0xb1);
	reads(f, 470, 0, 0xb1);
	at(f, 500);
}

/* A packet that was merged into another is reused, before that is read, for
 * another client's message.
 */
static void merged_then_used_again(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends_merged(f, 220, 0, 0xa1);
	sends(f, 250, 2, 0xc0);
	sends(f, 270, 2, 0);
	reads(f, 300, 1, 0xc0);
	calls(f, 320, 1, "tcp_sendmsg");
	at(f, 325);
	event(f, 1, EVENT_NET_QUEUE, 0xb0, 0, 0);
	enter(f, 1, "handle_softirqs");
	event(f, 1, EVENT_NET_RECEIVE, 0xb0, 0, 0);
	event(f, 1, EVENT_NET_QUEUE, 0xa1, 0, 0);
	leave(f, 1);
	returns(f, 330, 1);
	reads(f, 340, 2, 0xb0);
	reads(f, 360, 1, 0xa1);
	sends(f, 380, 1, 0xb1);
	reads(f, 400, 2, 0xb1);
	reads(f, 410, 1, 0xa0);
	sends(f, 420, 1, 0xb2);
	reads(f, 440, 0, 0xb2);
	reads(f, 450, 1, 0xa0);
	sends(f, 460, 1, 0xb3);
	reads(f, 480, 0, 0xb3);
	at(f, 500);
}

/* A server's answers are merged while another of its answers has to wait. */
static void merged_beside(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends(f, 220, 0, 0xa1);
	sends(f, 240, 2, 0xa2);
	reads(f, 300, 1, 0xa2);
	sends(f, 320, 1, 0);
	reads(f, 340, 1, 0xa0);
	sends(f, 360, 1, 0xb0);
	reads(f, 380, 1, 0xa1);
	sends_merged(f, 400, 1, 0xb1);
	reads(f, 420, 0, 0xb0);
	reads(f, 440, 0, 0xb0);
	reads(f, 460, 2, 0xb2);
	at(f, 500);
}

/* The merged message is read before the send has ended. */
static void merged_early(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	calls(f, 220, 0, "tcp_sendmsg");
	at(f, 225);
	event(f, 0, EVENT_NET_QUEUE, 0xa1, 0, 0);
	enter(f, 0, "handle_softirqs");
	event(f, 0, EVENT_NET_RECEIVE, 0xa1, 0, 0);
	enter(f, 0, "kfree_skb_partial");
	leave(f, 0);
	leave(f, 0);
	reads(f, 300, 1, 0xa0);
	sends(f, 350, 1, 0xb0);
	reads(f, 400, 1, 0xa0);
	returns(f, 410, 0);
	reads(f, 420, 0, 0xb0);
	sends(f, 450, 1, 0xb1);
	reads(f, 470, 0, 0xb1);
	at(f, 500);
}

/* An answer is merged into another untraced, while one to another client waits.
 */
static void merged_late(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends(f, 220, 2, 0xa2);
	sends(f, 240, 2, 0xa3);
	reads(f, 300, 1, 0xa0);
	sends(f, 320, 1, 0);
	reads(f, 340, 1, 0xa2);
	sends(f, 360, 1, 0xb2);
	reads(f, 380, 1, 0xa3);
	sends(f, 400, 1, 0xb3);
	at(f, 415);
	enter(f, 2, "kfree_skb_partial");
	leave(f, 2);
	reads(f, 420, 2, 0xb2);
	reads(f, 440, 2, 0xb2);
	reads(f, 460, 0, 0xb9);
	at(f, 500);
}

/* An answer is merged into another untraced, while a later one to the same
 * client waits: they are read in the order sent.
 */
static void merged_late_in_turn(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 200, 0, 0xa0);
	sends(f, 220, 0, 0xa1);
	sends(f, 240, 0, 0xa2);
	reads(f, 300, 1, 0xa0);
	sends(f, 320, 1, 0xb0);
	reads(f, 340, 1, 0xa1);
	sends(f, 360, 1, 0xb1);
	reads(f, 380, 1, 0xa2);
	sends(f, 400, 1, 0);
	at(f, 415);
	enter(f, 0, "kfree_skb_partial");
	leave(f, 0);
	reads(f, 420, 0, 0xb0);
	reads(f, 440, 0, 0xb0);
	reads(f, 460, 0, 0xb9);
	at(f, 500);
}

/* A message that waited for the first to arrive leaves with its answer; another
 * client has had a message waiting for longer.
 */
static void held_back(struct attribution_fixture *f)
{
	all_run(f);
	sends(f, 150, 2, 0);
	sends(f, 200, 0, 0xa0);
	sends(f, 220, 0, 0);
	reads(f, 300, 1, 0xa0);
	calls(f, 350, 1, "tcp_sendmsg");
	at(f, 355);
	event(f, 1, EVENT_NET_QUEUE, 0xb0, 0, 0);
	enter(f, 1, "handle_softirqs");
	event(f, 1, EVENT_NET_RECEIVE, 0xb0, 0, 0);
	event(f, 1, EVENT_NET_QUEUE, 0xa1, 0, 0);
	leave(f, 1);
	returns(f, 360, 1);
	reads(f, 370, 0, 0xb0);
	reads(f, 400, 1, 0xa1);
	sends(f, 450, 1, 0xb1);
	reads(f, 470, 0, 0xb1);
	at(f, 500);
}

static void writes_unix(struct attribution_fixture *f, uint64_t time_ns,
			uint32_t cpu)
{
	calls(f, time_ns, cpu, "unix_stream_sendmsg");
	returns(f, time_ns + 10, cpu);
}

static void reads_unix(struct attribution_fixture *f, uint64_t time_ns,
		       uint32_t cpu)
{
	calls(f, time_ns, cpu, "unix_stream_read_generic");
	at(f, time_ns + 2);
	event(f, cpu, EVENT_SKB_COPY, 0xc0, 0, 0);
	returns(f, time_ns + 5, cpu);
}

/* A reader makes room for the sender of that message, not for the one that has
 * waited longer.
 */
static void room(struct attribution_fixture *f)
{
	all_run(f);
	writes_unix(f, 200, 0);
	writes_unix(f, 220, 2);
	calls(f, 240, 2, "unix_stream_read_generic");
	waits(f, 250, 2, OTHER, 9);
	calls(f, 300, 1, "unix_stream_read_generic");
	at(f, 305);
	event(f, 1, EVENT_SKB_COPY, 0xc0, 0, 0);
	wakes(f, 1, OTHER);
	returns(f, 310, 1);
	at(f, 320);
	schedules(f, 2, 9, 0, OTHER);
	goes_on(f, 325, 2);
	waits(f, 330, 2, OTHER, 9);
	calls(f, 350, 1, "unix_stream_sendmsg");
	at(f, 355);
	wakes(f, 1, OTHER);
	returns(f, 360, 1);
	at(f, 370);
	schedules(f, 2, 9, 0, OTHER);
	goes_on(f, 375, 2);
	event(f, 2, EVENT_SKB_COPY, 0xc1, 0, 0);
	returns(f, 380, 2);
	at(f, 500);
}

/* The first request and its answer wake no thread; then a message wakes the
 * server: it accepts connections, and is not answered by its client.
 */
static void roles(struct attribution_fixture *f)
{
	all_run(f);
	calls(f, 110, 1, "unix_accept");
	calls(f, 120, 0, "unix_stream_connect");
	returns(f, 130, 0);
	returns(f, 140, 1);
	writes_unix(f, 200, 0);
	reads_unix(f, 220, 1);
	writes_unix(f, 240, 1);
	calls(f, 260, 1, "unix_stream_read_generic");
	waits(f, 270, 1, SERVER, 9);
	calls(f, 300, 0, "unix_stream_sendmsg");
	at(f, 305);
	wakes(f, 0, SERVER);
	returns(f, 310, 0);
	at(f, 320);
	schedules(f, 1, 9, 0, SERVER);
	goes_on(f, 325, 1);
	event(f, 1, EVENT_SKB_COPY, 0xc1, 0, 0);
	returns(f, 330, 1);
	at(f, 500);
}

static const struct request_story stories[] = {
	{ "datagrams", datagrams, "7>8 200+130?: c10 w20 q20 k80 / k200\n",
	  PACKETS_TELL },
	{ "packets", packets,
	  "17>8 220+155: c10 w15 q75 k55 / k45\n"
	  "7>8 200+275: c10 w15 q195 k55 / k45\n",
	  PACKETS_TELL },
	{ "delivered later", delivered_later,
	  "7>8 200+175: c10 w15 q25 r30 k95 / k145\n", PACKETS_TELL },
	{ "behind", behind,
	  "7>8 200+175: c10 w15 q15 r15 k95 d25 by 17 / k145\n"
	  "8>17 240+90 for 200: c15 w15 q15 k45 / k195\n",
	  PACKETS_TELL },
	{ "merged", merged,
	  "7>8 200+175: c10 w15 q95 k55 / k45\n"
	  "7>8 220+255?: c10 w15 q175 k55 / k45\n",
	  PACKETS_TELL },
	{ "merged, then acknowledges", merged_then_acknowledges,
	  "7>8 200+175: c10 w15 q95 k55 / k45\n"
	  "7>8 220+255?: c10 w15 q175 k55 / k45\n",
	  PACKETS_TELL },
	{ "merged, then used again", merged_then_used_again,
	  "17>8 250+95: c10 w15 q45 k25 / k35\n"
	  "17>8 270+135?: c15 w15 q80 k25 / k25\n"
	  "7>8 200+245: c10 w15 q205 k15 / k25\n"
	  "7>8 220+265?: c10 w15 q225 k15 / k35\n",
	  PACKETS_TELL },
	{ "merged late, in turn", merged_late_in_turn,
	  "7>8 200+225: c10 w95 q95 k25 / k15\n"
	  "7>8 220+225?: c10 w75 q115 k25 / k15\n"
	  "7>8 240+225?: c10 w50 q135 k30 / k90\n",
	  PACKETS_TELL },
	{ "merged beside", merged_beside,
	  "7>8 200+225: c10 w55 q135 k25 / k15\n"
	  "17>8 240+225?: c10 w130 q55 k30 / k105\n"
	  "7>8 220+225?: c10 w35 q155 k25\n",
	  PACKETS_TELL },
	{ "merged early", merged_early,
	  "7>8 200+225: c10 w65 q95 k55 / k45\n"
	  "7>8 220+255?: c10 w15 q175 k55 / k45\n",
	  PACKETS_TELL },
	{ "merged late", merged_late,
	  "17>8 220+205: c10 w55 q115 k25 / k15\n"
	  "7>8 200+265?: c10 w130 q95 k30 / k105\n"
	  "17>8 240+205?: c10 w35 q135 k25\n",
	  PACKETS_TELL },
	{ "held back", held_back,
	  "7>8 200+175: c10 w15 q95 k55 / k45\n"
	  "7>8 220+255?: c15 w15 q170 k55 / k45\n",
	  PACKETS_TELL },
	{ "room", room, "17>8 220+160: c20 w15 q70 k55 / k145\n",
	  PACKETS_TELL },
	{ "roles", roles,
	  "7>8 200+70? no answer: c10 q10 k50\n"
	  "7>8 300+200 no answer: c5 r15 k180\n",
	  PACKETS_TELL },
};

SUITE("request_packets")
{
	REQUEST_STORIES(stories);
}
