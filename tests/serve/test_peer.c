/* SPDX-License-Identifier: MIT */
#include "serve/service_socket.h"
#include "tests/run_suite.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static int ends[2];
static struct peer peer;

/* Both ends are this process's. */
static void set_up(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	ck_assert_int_eq(peer_find(ends[0], &peer), 0);
}

static void tear_down(void)
{
	peer_close(&peer);
	close(ends[0]);
	close(ends[1]);
}

START_TEST(a_peer_is_the_connecting_process)
{
	ck_assert_int_eq(peer.pid, getpid());
	ck_assert_uint_eq(peer.uid, geteuid());
	ck_assert_uint_eq(peer.gid, getegid());
}
END_TEST

static void *tell_tid(void *tid)
{
	*(pid_t *)tid = gettid();
	return NULL;
}

START_TEST(its_threads_are_its_own)
{
	pthread_t thread;
	pid_t tid;

	ck_assert(peer_owns_thread(&peer, gettid()));
	ck_assert_int_eq(pthread_create(&thread, NULL, tell_tid, &tid), 0);
	pthread_join(thread, NULL);
	/* A thread that has ended may be in /proc for a moment. */
	for (int i = 0; i < 1000 && peer_owns_thread(&peer, tid); i++)
		usleep(1000);
	ck_assert(!peer_owns_thread(&peer, tid));
	ck_assert(!peer_owns_thread(&peer, 1));
	ck_assert(!peer_owns_thread(&peer, getppid()));
	ck_assert(!peer_owns_thread(&peer, -1));
}
END_TEST

/* The process is as after the exec of a program with more rights: its files in
 * /proc are root's.
 */
START_TEST(a_process_that_hides_is_not_served)
{
	if (!peer.uid) {
		ck_assert_int_eq(setuid(65534), 0);
		peer.uid = 65534;
	}
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0);
	ck_assert(peer_owns_thread(&peer, gettid()));
	ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 0), 0);
	ck_assert(!peer_owns_thread(&peer, gettid()));
}
END_TEST

START_TEST(a_process_that_has_ended_owns_nothing)
{
	struct peer other;
	int pair[2];
	pid_t child = fork();

	if (!child) {
		pause();
		_exit(0);
	}
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair), 0);
	other = peer;
	other.pid = child;
	other.pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	ck_assert_int_ge(other.pidfd, 0);
	ck_assert(peer_owns_thread(&other, child));
	kill(child, SIGKILL);
	/* The process is a zombie, and still in /proc. */
	ck_assert_int_eq(waitid(P_PID, (id_t)child, &(siginfo_t){ 0 },
				WEXITED | WNOWAIT),
			 0);
	ck_assert(!peer_owns_thread(&other, child));
	waitpid(child, NULL, 0);
	peer_close(&other);
	close(pair[0]);
	close(pair[1]);
}
END_TEST

START_TEST(groups_are_those_of_the_connection)
{
	enum { NO_GROUP = 54321 };
	struct peer nobody = peer;

	nobody.uid = 65534;
	ck_assert(peer_is_allowed(&nobody, ends[0], peer.gid));
	ck_assert(!peer_is_allowed(&nobody, ends[0], NO_GROUP));
	nobody.uid = 0;
	ck_assert(peer_is_allowed(&nobody, ends[0], NO_GROUP));
}
END_TEST

/* Of all groups that this process has.  Suites of arm64 run in QEMU, which does
 * not know SO_PEERGROUPS.
 */
START_TEST(other_groups_count_too)
{
	gid_t groups[64];
	int count = getgroups(64, groups);
	struct peer nobody = peer;

#ifdef __aarch64__
	count = 0;
#endif
	nobody.uid = 65534;
	nobody.gid = 65534;
	for (int i = 0; i < count; i++)
		ck_assert(peer_is_allowed(&nobody, ends[0], groups[i]));
}
END_TEST

SUITE("peer")
{
	APART();
	FIXTURE(set_up, tear_down);
	TEST(a_peer_is_the_connecting_process);
	TEST(its_threads_are_its_own);
	TEST(a_process_that_hides_is_not_served);
	TEST(a_process_that_has_ended_owns_nothing);
	TEST(groups_are_those_of_the_connection);
	TEST(other_groups_count_too);
}
