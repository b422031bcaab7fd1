/* SPDX-License-Identifier: MIT */
/* The invariants of serve/client_list_internal.h. Connections are of this
 * process; the test sets the users.
 */
#include "common/budget.h"
#include "serve/client_list_internal.h"
#include "tests/run_suite.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ALICE = 1001, BOB = 1002, OTHERS = 2000, MOST_ACTS = 1000 };

static struct client_list list;

/* The clients that acted, in order, and their users. */
static struct {
	uid_t users[MOST_ACTS];
	const struct client *clients[MOST_ACTS];
	size_t count;
} acts;

static void set_up(void)
{
	list = CLIENT_LIST_NONE;
	acts.count = 0;
}

static void tear_down(void)
{
	client_list_free(&list);
}

/* Returns the user's end of a new connection. */
static int connect_as(uid_t uid)
{
	struct client *client;
	int ends[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0,
				    ends),
			 0);
	client = client_new(ends[0], 0);
	ck_assert_ptr_nonnull(client);
	client->peer.uid = uid;
	client_list_add(&list, client);
	return ends[1];
}

static bool is_closed(int end)
{
	struct pollfd polled = { .fd = end };

	return poll(&polled, 1, 0) == 1 && polled.revents & POLLHUP;
}

/* Adds a client that has a thread; returns it. */
static struct client *serve_as(uid_t uid)
{
	struct client *client;

	close(connect_as(uid));
	client = client_list_at(&list, list.clients.count - 1);
	client->phase = CLIENT_SERVED;
	return client;
}

/* Has the user take threads until it is refused; returns how many it got. */
static unsigned int fill_as(uid_t uid)
{
	unsigned int count = 0;

	for (; !client_list_refusal(&list, uid); count++)
		serve_as(uid);
	return count;
}

static bool has_input(void *context, const struct client *client)
{
	(void)context;
	return client->has_input;
}

static void note(void *context, struct client *client)
{
	(void)context;
	ck_assert_uint_lt(acts.count, MOST_ACTS);
	acts.users[acts.count] = client->peer.uid;
	acts.clients[acts.count++] = client;
	client->has_input = false;
}

static const struct client_actions noting = { NULL, has_input, note };

static struct client *ready_as(uid_t uid)
{
	struct client *client = serve_as(uid);

	client->has_input = true;
	return client;
}

/* Alice's 50 connections are older and all ready. */
START_TEST(invariant_1_users_take_turns)
{
	enum { MANY = 50, FEW = 3 };

	for (int i = 0; i < MANY; i++)
		ready_as(ALICE);
	for (int i = 0; i < FEW; i++)
		ready_as(BOB);
	for (int i = 1; i < FEW + 1; i++) {
		ck_assert(client_list_round(&list, &noting));
		ck_assert_uint_eq(acts.count, 2 * i);
		ck_assert_uint_eq(acts.users[2 * i - 2], ALICE);
		ck_assert_uint_eq(acts.users[2 * i - 1], BOB);
	}
	for (int i = FEW; i < MANY; i++)
		ck_assert_int_eq(client_list_round(&list, &noting),
				 i < MANY - 1);
	ck_assert_uint_eq(acts.count, MANY + FEW);
	ck_assert(!client_list_round(&list, &noting));
	ck_assert_uint_eq(acts.count, MANY + FEW);
}
END_TEST

/* A user whose clients become ready again and again does not delay others, nor
 * its own other clients forever.
 */
START_TEST(invariant_1_the_next_client_is_served_next)
{
	for (int i = 0; i < 50; i++)
		ready_as(ALICE);
	for (int i = 0; i < 20; i++) {
		const struct client *bobs = ready_as(BOB);

		ready_as(ALICE);
		ck_assert(client_list_round(&list, &noting));
		ck_assert_ptr_eq(acts.clients[acts.count - 1], bobs);
		ck_assert_ptr_eq(acts.clients[acts.count - 2],
				 client_list_at(&list, (size_t)i));
	}
}
END_TEST

static void leave(void *context, struct client *client)
{
	note(context, client);
	client_leave(client);
}

START_TEST(invariant_1_a_client_that_left_is_dropped_after_the_round)
{
	const struct client_actions leaving = { NULL, has_input, leave };

	for (int i = 0; i < 3; i++)
		ready_as(ALICE);
	ready_as(BOB);
	ck_assert(client_list_round(&list, &leaving));
	ck_assert_uint_eq(list.clients.count, 2);
	ck_assert(client_list_round(&list, &leaving));
	ck_assert(!client_list_round(&list, &leaving));
	ck_assert_uint_eq(list.clients.count, 0);
}
END_TEST

START_TEST(invariant_2_silent_clients_of_a_user_are_few)
{
	int last = -1;

	for (unsigned int i = 0; i <= BUDGET_SERVE_WAITING_OF_USER; i++) {
		if (last >= 0)
			ck_assert(!is_closed(last));
		last = connect_as(ALICE);
	}
	ck_assert(is_closed(last));
	ck_assert_uint_eq(client_list_silent(&list),
			  BUDGET_SERVE_WAITING_OF_USER);
	ck_assert(!is_closed(connect_as(BOB)));
}
END_TEST

/* As many users as it takes have all of their silent clients. */
START_TEST(invariant_2_another_user_replaces_the_largest_one)
{
	enum { USERS = BUDGET_SERVE_WAITING / BUDGET_SERVE_WAITING_OF_USER };
	int ends[BUDGET_SERVE_WAITING];
	size_t closed = 0;

	for (unsigned int i = 0; i < BUDGET_SERVE_WAITING; i++)
		ends[i] = connect_as(OTHERS + i % USERS);
	for (unsigned int i = 0; i < 3; i++)
		ck_assert(!is_closed(connect_as(BOB)));
	ck_assert_uint_eq(client_list_silent(&list), BUDGET_SERVE_WAITING);
	for (unsigned int i = 0; i < BUDGET_SERVE_WAITING; i++) {
		closed += is_closed(ends[i]);
		/* The first of each user stays. */
		ck_assert(i >= USERS || !is_closed(ends[i]));
	}
	ck_assert_uint_eq(closed, 3);
	/* Users that have as many as any other get none in its place. */
	ck_assert(is_closed(connect_as(OTHERS)));
	ck_assert_uint_eq(client_list_silent(&list), BUDGET_SERVE_WAITING);
}
END_TEST

START_TEST(invariant_3_some_threads_are_left_for_other_users)
{
	ck_assert_uint_eq(fill_as(ALICE), BUDGET_SERVED_THREADS / 2);
	ck_assert_uint_eq(fill_as(BOB), BUDGET_SERVED_THREADS / 4);
	ck_assert_uint_eq(fill_as(OTHERS), BUDGET_SERVED_THREADS / 8);
	ck_assert_ptr_nonnull(client_list_refusal(&list, ALICE));
	/* All together get as many as there are. */
	for (unsigned int i = 1; i < BUDGET_SERVED_THREADS; i++)
		fill_as(OTHERS + i);
	ck_assert_uint_eq(list.clients.count, BUDGET_SERVED_THREADS);
}
END_TEST

/* A client that has left is not charged, unless it holds what it was given. */
START_TEST(invariant_3_held_descriptors_count_until_closed)
{
	int passed = eventfd(0, 0);
	struct client *holder = serve_as(ALICE);

	ck_assert_int_eq(held_descriptors_open(&holder->held), 0);
	ck_assert_int_eq(held_descriptors_add(&holder->held, passed), 0);
	while (!client_list_refusal(&list, ALICE))
		serve_as(ALICE);
	client_leave(holder);
	ck_assert_int_eq(holder->phase, CLIENT_LEFT);
	client_list_round(&list, &noting);
	ck_assert_ptr_nonnull(client_list_refusal(&list, ALICE));
	ck_assert_ptr_null(client_list_refusal(&list, BOB));
	close(passed);
	ck_assert_ptr_null(client_list_refusal(&list, ALICE));
	client_list_round(&list, &noting);
	ck_assert_uint_eq(list.clients.count, BUDGET_SERVED_THREADS / 2 - 1);
}
END_TEST

SUITE("client_list")
{
	FIXTURE(set_up, tear_down);
	TEST(invariant_1_users_take_turns);
	TEST(invariant_1_the_next_client_is_served_next);
	TEST(invariant_1_a_client_that_left_is_dropped_after_the_round);
	TEST(invariant_2_silent_clients_of_a_user_are_few);
	TEST(invariant_2_another_user_replaces_the_largest_one);
	TEST(invariant_3_some_threads_are_left_for_other_users);
	TEST(invariant_3_held_descriptors_count_until_closed);
}
