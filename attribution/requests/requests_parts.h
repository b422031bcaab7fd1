/* SPDX-License-Identifier: MIT */
#ifndef KT_ATTRIBUTION_REQUESTS_PARTS_H
#define KT_ATTRIBUTION_REQUESTS_PARTS_H

#include "attribution/events/event_handler.h"
#include "attribution/requests/message_kinds.h"
#include "attribution/requests/request.h"
#include "attribution/requests/requests.h"
#include "attribution/time/time_span.h"
#include "common/array.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call_step;
struct channels;
struct connection_state;
struct connections;
struct event_record;
struct function_marks;
struct number_map;
struct packets;
struct sideband_record;
struct task_names;
struct task_paths;
struct task_time;

/* A function that sends or waits, which a thread is in. */
struct message_call {
	bool is_open;
	struct message_function function;
	uint32_t number; /* the function's */
	uint32_t depth;	 /* DEPTH_LOST: there was a gap in it */
};

#define DEPTH_LOST UINT32_MAX

/* So many senders are kept that a thread read from since it last looked which of
 * several have sent something.
 */
enum { ROUND = 16 };

/* A thread that sends or takes messages. */
struct party {
	const struct task *task;
	bool is_recorder;
	struct thread_clock clock;
	struct hold *hold;   /* that goes on */
	struct hold *before; /* up to its newest wait; or NULL */
	struct message_call wait;
	bool has_polled; /* what it waited for is still to be read */
	/* So often it was woken: who was so between two messages did not send
	 * both ahead of their answers, so that the first may have wanted none.
	 */
	uint32_t wakes;
	struct message_call send;
	struct clock_mark *send_begin;
	/* Of its newest send: when the first packet went out; NULL: none did.
	 */
	struct clock_mark *transmitted;
	struct message *message; /* of the newest send; or NULL */
	bool is_heard;		 /* that woke somebody */
	bool is_listed;		 /* that is among unheard */
	struct array arrived;	 /* struct message *: woke it, not read yet */
	/* In its wait: something was copied to it, this packet last (0: none
	 * of the network), which are those messages.
	 */
	bool has_copied;
	uint64_t packet;
	struct array copied; /* struct message * */
	const struct task *round[ROUND];
	uint32_t round_count;
	/* Room became free for it, as @party read what it had sent. */
	const struct task *freed;
	struct array unheard; /* struct message *: it sent, woke nobody */
	struct array asked;   /* struct request *: it waits for answers */
	struct array taken;   /* struct request *: it is to answer */
	/* It works for a message that it found and nobody is known to have
	 * sent; 0: it does not.
	 */
	uint64_t found_ns;
	uint32_t found_asks; /* requests that it sent meanwhile */
};

/* When a thread of a process found a message that nobody is known to have sent.
 */
struct find {
	int32_t pid;
	uint64_t time_ns;
};

enum { FINDS = 32 };

struct requests {
	struct event_handler handler;
	struct span_callback span_callback;
	struct array callbacks; /* struct request_callback * */
	bool has_wakes;		/* else nobody knows whom a message woke */
	bool has_socket_events;
	bool has_packets; /* packets are followed in place of sockets */
	bool sees_copies; /* of what is read from a pipe */
	struct packets *packets;
	uint32_t late_merges;	  /* of packets that are not known */
	struct number_map *roles; /* enum role bits, by pid */
	const struct task_names *names;
	const char *recorder; /* recorder_task.h: its messages ask nobody */
	const struct task_time *time;
	const struct task_paths *paths;
	struct function_marks *kinds;
	struct channels *channels;
	struct connections *connections;
	bool is_over;
	struct find finds[FINDS]; /* the last ones */
	uint32_t find_count;
	struct number_map *partners; /* pids of client and server that met */
	struct number_map *children; /* struct hold *, by tid of the child */
	struct array parties;	     /* struct party *, by task index; NULL */
	struct array open;	     /* struct request *: not handed out */
	size_t known_marks; /* spans that told some, since handing out */
	uint64_t numbers;
	uint64_t end_ns;
	int status;
};

/* The inside of requests, shared by its files: requests_events.c takes what the
 * handler sees; requests_party.c keeps threads and what they hold;
 * requests_send.c, requests_wake.c and requests_take.c follow messages;
 * requests_answer.c tells requests from answers; requests_guess.c and
 * requests_found.c infer who took what nobody was woken by, requests_roles.c knows who accepts connections; requests_packets.c follows
 * packets; requests_far.c finds those whose other side is on another machine.
 */

/* Sets what @requests handles: steps, events and spans. */
void requests_follow(struct requests *requests);

/* Returns what is known of @task, from @time_ns on if it is new; NULL when out
 * of memory.
 */
struct party *requests_party(struct requests *requests, const struct task *task,
			     uint64_t time_ns);

/* Returns the party of number @index that was seen, or NULL. */
struct party *requests_party_at(const struct requests *requests, size_t index);

/* Ends what @party holds at @time_ns; what it holds next is nobody's.
 *
 * Returns what ended, with a reference that is the caller's; NULL when out of
 * memory.
 */
struct hold *requests_cut(struct requests *requests, struct party *party,
			  uint64_t time_ns);

/* The same at @mark, a reference that it takes; NULL when out of memory. */
struct hold *requests_cut_at(struct requests *requests, struct party *party,
			     struct clock_mark *mark);

/* hold_give(), and @request's way goes on there. */
void requests_give(struct requests *requests, struct hold *hold,
		   struct request *request, struct hold *parent);

/* What @party holds is what it held before its newest wait. */
void requests_resume(struct requests *requests, struct party *party);

/* The same, until a message that it waits for now tells better. */
void requests_wait(struct requests *requests, struct party *party);

/* Returns whether what @party holds is still to be given to a request. */
bool requests_is_free(const struct party *party);

/* @party has taken @request, which it works on from now on. */
void requests_serve(struct requests *requests, struct party *party,
		    struct request *request, uint64_t time_ns);

/* Adds to an array of messages or requests, referring to them; there are no
 * more than a few dozen: the oldest give way.
 */
void requests_list_message(struct requests *requests, struct array *list,
			   struct message *message);
void requests_list_request(struct requests *requests, struct array *list,
			   struct request *request);

/* Takes item @index out of such an array.  Its reference is the caller's. */
void *requests_unlist(struct array *list, size_t index);

/* A thread ends, or executes another program: that is not what its requests
 * were for.  A new one goes on for whom its parent works.
 */
void requests_leave(struct requests *requests, struct party *party,
		    uint64_t time_ns);
void requests_fork(struct requests *requests, struct party *parent,
		   const struct sideband_record *record);

/* Returns whether sockets' events tell of what @party sends. */
bool requests_has_events(const struct requests *requests,
			 const struct party *party);

/* A function that sends begins or ends; sockets' events. */
void requests_send_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_send_end(struct requests *requests, struct party *party,
		       uint64_t time_ns);

/* Its end was not seen: it may go on behind a gap. */
void requests_send_lost(struct requests *requests, struct party *party,
			uint64_t time_ns);

/* Returns whether @step goes on with a send that a gap is in; any other ends that.
 */
bool requests_send_resumes(struct requests *requests, struct party *party,
			   const struct call_step *step);
void requests_socket_ready(struct requests *requests, struct party *party,
			   const struct event_record *event);
void requests_socket_sent(struct requests *requests, struct party *party,
			  const struct event_record *event);

/* Who takes the message of @party's send will have to be guessed, unless it
 * wakes somebody.
 */
void requests_list_unheard(struct requests *requests, struct party *party);

/* Hands over what others than @reader are about to send by @medium, which may be
 * there already.  Returns whether there was such a message.
 */
bool requests_hand_over_open(struct requests *requests,
			     const struct party *reader,
			     enum message_medium medium, uint64_t time_ns);

/* @waker, or NULL: nobody who sends, wakes @woken, who waits for messages. */
void requests_wake(struct requests *requests, struct party *waker,
		   struct party *woken, uint64_t time_ns);

/* @message, or NULL: none that is known, wakes @woken. */
void requests_wake_by(struct requests *requests, struct message *message,
		      struct party *woken, uint64_t time_ns);

/* Makes the message of @party's send, which is handed over at @mark, a reference
 * that it takes, NULL when out of memory: what the thread did until then may be
 * what its receiver waited for.  Borrowed; NULL when out of memory.
 */
struct message *requests_hand_over(struct requests *requests,
				   struct party *party,
				   struct clock_mark *mark);

/* A packet leaves in @party's send; goes on elsewhere; is delivered, in the soft
 * interrupt of number @softirq; is added to the one before it; is copied to
 * @party.
 */
void requests_packet_sent(struct requests *requests, struct party *party,
			  const struct event_record *event);
void requests_packet_passed(struct requests *requests,
			    const struct event_record *event, uint64_t softirq);
void requests_packet_received(struct requests *requests,
			      const struct event_record *event,
			      uint64_t softirq);
void requests_packet_merged(struct requests *requests, int32_t cpu,
			    uint64_t softirq);
void requests_packet_copied(struct requests *requests, struct party *party,
			    const struct event_record *event);

/* The packet that @party read last, which is nobody's that is known, has
 * @message.
 */
void requests_packet_guessed(struct requests *requests, struct party *party,
			     struct message *message);

/* A function that waits begins or ends; sockets' event. */
void requests_wait_begin(struct requests *requests, struct party *party,
			 struct message_function function,
			 const struct call_step *step);
void requests_wait_end(struct requests *requests, struct party *party,
		       const struct call_step *step);
void requests_socket_taken(struct requests *requests, struct party *party,
			   const struct event_record *event);

/* Returns the request that @message to @receiver answers, or NULL. */
struct request *requests_find_answered(struct requests *requests,
				       struct message *message,
				       struct party *receiver);

/* @message is the answer to @request. */
void requests_answer(struct requests *requests, struct request *request,
		     struct message *message);

/* Returns whether @server has answered @client before, and never asked it; or if
 * neither is known, accepts connections (by @medium), which only @client makes.
 */
bool requests_is_server(const struct requests *requests,
			const struct task *server, const struct task *client,
			enum message_medium medium);

/* @task's process asks for a connection, accepts one; @child is made by
 * @parent.
 */
void requests_connects(struct requests *requests, const struct task *task);
void requests_accepts(struct requests *requests, const struct task *task);
void requests_inherit_roles(struct requests *requests, int32_t parent,
			    int32_t child);

/* Returns whether of these two only @client can have asked for a connection, or
 * only @server accepted one.
 */
bool requests_connect_as(const struct requests *requests,
			 const struct task *client, const struct task *server);

/* Makes a request of @message, which nobody has taken yet.  Borrowed; NULL when
 * out of memory.
 */
struct request *requests_ask(struct requests *requests,
			     struct message *message);

/* Takes @request, which is nobody's yet, among those that are open.  Returns
 * whether there was memory.
 */
bool requests_open(struct requests *requests, struct request *request);

/* @party has the answer to @request, and goes on with what it asked for. */
void requests_take_answer(struct requests *requests, struct party *party,
			  struct request *request, uint64_t time_ns);

/* @request was sent from its socket: whose addresses are its own. */
void requests_name(const struct requests *requests, struct request *request);

/* @party has sent to, or read from, a connection whose other end is on another
 * machine.
 */
void requests_far_sent(struct requests *requests, struct party *party,
		       struct connection_state *state, uint64_t time_ns);
void requests_far_taken(struct requests *requests, struct party *party,
			struct connection_state *state, uint64_t time_ns);

/* Returns the message that @receiver found by @medium without being woken, if it
 * can be inferred, with a reference that is the caller's; or NULL.  @is_polled:
 * it looked for those of several.
 */
struct message *requests_find_unheard(struct requests *requests,
				      struct party *receiver,
				      enum message_medium medium,
				      bool is_polled);

/* Which of two threads of a server has which of two requests that another handed
 * to them is decided in user space, by who gets the lock first.  If both have
 * answered before either client reads that, nothing tells them apart: marks the
 * requests that @answer, which nobody was woken by, and another may be swapped of.
 */
void requests_mark_swapped(const struct requests *requests,
			   const struct message *answer);

/* Makes a request of what @receiver sent and nobody was woken by, if @message
 * may be the answer to that.  Borrowed, or NULL.
 */
struct request *requests_ask_found(struct requests *requests,
				   const struct message *answer,
				   struct party *receiver);

/* The same, if somebody of the answer's process found it by @until_ns. */
struct request *requests_ask_found_by(struct requests *requests,
				      const struct message *answer,
				      struct party *receiver,
				      uint64_t until_ns);

/* Returns whether a thread of @pid found a message, nobody knows whose, from
 * @since_ns until before @until_ns.
 */
bool requests_has_found(const struct requests *requests, int32_t pid,
			uint64_t since_ns, uint64_t until_ns);

/* Returns the oldest from @index on that @sender sent by @medium, which can
 * only be guessed, borrowed, and where in *@index; NULL: none.
 */
struct message *requests_next_unheard(const struct party *sender, size_t *index,
				      enum message_medium medium);

/* Returns whether @message may be for @client; @is_bold: also where it is not
 * certain that its sender works for another.
 */
bool requests_may_be_for(const struct message *message,
			 const struct task *client, bool is_bold);

/* Returns whether who took @message can only be guessed, by @medium. */
bool requests_is_guessable(const struct message *message,
			   enum message_medium medium);

/* @party wakes from waiting for the next message: which requests that it has
 * not answered nobody waits for any more.
 */
void requests_pass(struct party *party);

/* Hands out what is ended and known. */
void requests_hand_out(struct requests *requests);

#endif
