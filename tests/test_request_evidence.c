/* SPDX-License-Identifier: MIT */
/* Requests where no socket tells what is sent and read there. */
#include "attribution/events/known_events.h"
#include "tests/request_story_fixture.h"

#include <stdbool.h>

enum { CLIENT = 7, OTHER = 17, SERVER = 8 };

/* Client 7 has CPU 0, server 8 CPU 1, another client CPU 2. */
static void all_run(struct attribution_fixture *f)
{
	at(f, 100);
	starts(f, 0, CLIENT);
	starts(f, 1, SERVER);
	starts(f, 2, OTHER);
}

/* A message by TCP, which @packet has; 0: it is to leave later. */
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

/* Two ask; the one that asked later is served first. */
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

/* What was sent is delivered after the send, by the thread of soft interrupts. */
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

/* The server asks another, whose answer a soft interrupt brings. */
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

/* The packet of a send is added to the one before it. */
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

/* A packet is added to the one before it, which is read twice. */
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

/* The same of a server's answers, while another of its has to wait. */
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

/* The same is read before the send is over. */
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

/* An answer is added to another unseen, while one to another client waits. */
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

/* What waited for the first to arrive leaves as its answer does; another client
 * has something waiting, too, and for longer.
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

/* Who reads makes room for who had sent that: the other, not the older one. */
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

/* Nobody is woken by the first request and its answer; a message wakes the
 * server then: it accepts connections, and is not answered by its client.
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

static void writes(struct attribution_fixture *f, uint64_t time_ns,
		   uint32_t cpu)
{
	calls(f, time_ns, cpu, "pipe_write");
	returns(f, time_ns + 10, cpu);
}

static void reads_pipe(struct attribution_fixture *f, uint64_t time_ns,
		       uint32_t cpu, bool has_any)
{
	calls(f, time_ns, cpu, "pipe_read");
	at(f, time_ns + 2);
	if (has_any) {
		enter(f, cpu, "copy_page_to_iter");
		leave(f, cpu);
	}
	returns(f, time_ns + 5, cpu);
}

/* Neither what is asked nor the answer wakes anybody. */
static void exchange(struct attribution_fixture *f)
{
	all_run(f);
	writes(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	writes(f, 240, 1);
	reads_pipe(f, 260, 0, true);
	at(f, 500);
}

/* The same, and what is asked is read before its write is over. */
static void early_exchange(struct attribution_fixture *f)
{
	all_run(f);
	calls(f, 200, 0, "pipe_write");
	reads_pipe(f, 220, 1, true);
	writes(f, 240, 1);
	returns(f, 255, 0);
	reads_pipe(f, 260, 0, true);
	at(f, 500);
}

/* The server sleeps in @function, or goes on from there. */
static void server_waits(struct attribution_fixture *f, uint64_t time_ns,
			 const char *function)
{
	calls(f, time_ns, 1, function);
	waits(f, time_ns + 5, 1, SERVER, 9);
}

static void server_wakes(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	schedules(f, 1, 9, 0, SERVER);
	goes_on(f, time_ns + 5, 1);
	returns(f, time_ns + 10, 1);
}

static void wakes_by_pipe(struct attribution_fixture *f, uint64_t time_ns,
			  uint32_t cpu, int32_t tid)
{
	calls(f, time_ns, cpu, "pipe_write");
	at(f, time_ns + 5);
	wakes(f, cpu, tid);
	returns(f, time_ns + 10, cpu);
}

/* The client's timer: it did not send both ahead. */
static void client_slept(struct attribution_fixture *f, uint64_t time_ns)
{
	at(f, time_ns);
	wakes(f, 2, CLIENT);
}

/* The client says hello, which wants no answer, sleeps, and asks. */
static void hello(struct attribution_fixture *f)
{
	all_run(f);
	server_waits(f, 110, "do_sys_poll");
	wakes_by_pipe(f, 200, 0, SERVER);
	server_wakes(f, 220);
	reads_pipe(f, 240, 1, true);
	server_waits(f, 250, "do_sys_poll");
	client_slept(f, 300);
	wakes_by_pipe(f, 320, 0, SERVER);
	server_wakes(f, 340);
	reads_pipe(f, 360, 1, true);
	writes(f, 380, 1);
	reads_pipe(f, 400, 0, true);
	at(f, 500);
}

/* The same, the server finds it, and then another that was sent ahead. */
static void hello_found(struct attribution_fixture *f)
{
	all_run(f);
	writes(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	server_waits(f, 240, "do_sys_poll");
	client_slept(f, 280);
	wakes_by_pipe(f, 300, 0, SERVER);
	writes(f, 320, 0);
	calls(f, 335, 0, "do_sys_poll");
	waits(f, 338, 0, CLIENT, 10);
	server_wakes(f, 340);
	reads_pipe(f, 355, 1, true);
	wakes_by_pipe(f, 365, 1, CLIENT);
	reads_pipe(f, 380, 1, true);
	at(f, 390);
	schedules(f, 0, 10, 0, CLIENT);
	goes_on(f, 393, 0);
	returns(f, 395, 0);
	reads_pipe(f, 400, 0, true);
	writes(f, 420, 1);
	reads_pipe(f, 440, 0, true);
	at(f, 500);
}

/* The server reads the end of another pipe in between, where nothing was. */
static void nothing(struct attribution_fixture *f)
{
	all_run(f);
	writes(f, 200, 0);
	reads_pipe(f, 220, 1, true);
	writes(f, 240, 1);
	reads_pipe(f, 260, 0, true);
	writes(f, 280, 0);
	reads_pipe(f, 300, 1, false);
	reads_pipe(f, 350, 1, true);
	writes(f, 380, 1);
	reads_pipe(f, 400, 0, true);
	at(f, 500);
}

/* Both clients have been answered. */
static void both_known(struct attribution_fixture *f)
{
	nothing(f);
	writes(f, 520, 2);
	reads_pipe(f, 540, 1, true);
	writes(f, 560, 1);
	reads_pipe(f, 580, 2, true);
}

/* Once the server looked who has sent something, it reads once of each. */
static void rounds(struct attribution_fixture *f)
{
	both_known(f);
	writes(f, 600, 0);
	writes(f, 620, 0);
	writes(f, 640, 2);
	calls(f, 660, 1, "do_sys_poll");
	returns(f, 665, 1);
	reads_pipe(f, 670, 1, true);
	writes(f, 700, 1);
	reads_pipe(f, 720, 1, true);
	writes(f, 740, 1);
	reads_pipe(f, 760, 0, true);
	reads_pipe(f, 780, 2, true);
	at(f, 900);
}

/* One that has been answered does not wait, though it has not read that yet. */
static void second_round(struct attribution_fixture *f)
{
	both_known(f);
	writes(f, 600, 0);
	writes(f, 620, 0);
	writes(f, 640, 2);
	for (uint64_t time_ns = 660; time_ns < 760; time_ns += 50) {
		calls(f, time_ns, 1, "do_sys_poll");
		returns(f, time_ns + 5, 1);
		reads_pipe(f, time_ns + 10, 1, true);
		writes(f, time_ns + 30, 1);
	}
	reads_pipe(f, 760, 1, true);
	writes(f, 770, 1);
	reads_pipe(f, 790, 0, true);
	reads_pipe(f, 800, 0, true);
	reads_pipe(f, 810, 2, true);
	at(f, 900);
}

/* The server is woken by one client, and reads what the other had sent first. */
static void woken_by_other(struct attribution_fixture *f)
{
	both_known(f);
	server_waits(f, 600, "do_sys_poll");
	calls(f, 610, 0, "pipe_write");
	wakes_by_pipe(f, 620, 2, SERVER);
	returns(f, 640, 0);
	server_wakes(f, 650);
	reads_pipe(f, 665, 1, true);
	writes(f, 680, 1);
	reads_pipe(f, 700, 1, true);
	calls(f, 710, 2, "pipe_read");
	waits(f, 712, 2, OTHER, 11);
	reads_pipe(f, 715, 0, true);
	wakes_by_pipe(f, 725, 1, OTHER);
	at(f, 740);
	schedules(f, 2, 11, 0, OTHER);
	goes_on(f, 745, 2);
	enter(f, 2, "copy_page_to_iter");
	leave(f, 2);
	returns(f, 750, 2);
	at(f, 900);
}

static const struct request_story stories[] = {
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
	{ "exchange", exchange, "7>8 200+65?: c15 w10 q10 k30 / k250\n",
	  NOTHING_TELLS },
	{ "read while it is written", early_exchange,
	  "7>8 200+65?: c30 w10 k25 / k255\n", NOTHING_TELLS },
	{ "hello", hello,
	  "7>8 200+55? no answer: c5 r15 k35\n"
	  "7>8 320+85?: c10 w10 r15 k50 / k110\n",
	  NOTHING_TELLS },
	{ "hello, found", hello_found,
	  "7>8 300+105?: c20 w20 r35 k30 / k10\n"
	  "7>8 320+125?: c15 w10 q50 k50 / k70\n",
	  NOTHING_TELLS },
	{ "second round", second_round,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k90\n"
	  "7>8 600+195?: c15 w90 q50 k40 / k10\n"
	  "7>8 620+185?: c15 w50 q80 k40 / k10\n"
	  "17>8 640+175?: c15 w30 q110 k20 / k120\n",
	  NOTHING_TELLS },
	{ "woken by the other", woken_by_other,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k30\n"
	  "7>8 610+110?: c35 w25 r10 k40 by 17 / r15\n"
	  "17>8 620+130?: c15 w10 q65 k40 / k170\n",
	  NOTHING_TELLS },
	{ "no wake-ups", exchange, "", NO_WAKES },
	{ "nothing", nothing,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k110\n",
	  NOTHING_TELLS },
	{ "rounds", rounds,
	  "7>8 200+65?: c15 w10 q10 k30 / k50\n"
	  "7>8 280+125?: c15 w10 q60 k40 / k150\n"
	  "17>8 520+65?: c15 w10 q10 k30 / k90\n"
	  "7>8 600+165?: c15 w50 q50 k50 / k10\n"
	  "17>8 640+145?: c15 w30 q70 k30 / k150\n",
	  NOTHING_TELLS },
};

int main(void)
{
	return request_story_run("request_evidence", stories,
				 sizeof(stories) / sizeof(*stories));
}
