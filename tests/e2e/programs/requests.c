/* SPDX-License-Identifier: MIT */
/* Servers of several kinds and their two clients, for attribution_requests.sh:
 * "requests KIND WAY FILE". KIND: a poll loop, a pool of threads, a fork for
 * each connection, a chain of two servers, a poll loop that is sent several
 * requests at a time, one that needs kworkers for each request, a proxy whose
 * clients have several connections each, one that executes a program for each
 * request, an io_uring, one whose entries a thread of the kernel takes (sqpoll),
 * one whose entries its workers execute (iowq), an epoll for one client and an
 * io_uring for the other (both), an epoll that finds what an io_uring reads
 * (watch). WAY: pipe, pty, unix, tcp. Each
 * client writes the truth about its requests to FILE: when it sent them and had the
 * answers, by CLOCK_MONOTONIC, the threads that served, how often the first of
 * them slept until the downstream server had answered, and how long it was
 * busy.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 2, REQUESTS = 6, WORKERS = 3, AHEAD = 3, US = 1000 };
enum { PROXIED = CLIENTS * AHEAD }; /* connections to the proxy */

struct message {
	int number;
	int kib;     /* the server is to read */
	int tid;     /* the thread that served */
	int back;    /* thread of the downstream server, or 0 */
	int sleeps;  /* of the first server until the second had answered */
	int busy_us; /* minimum time that the server was busy */
};

/* One end of a connection: of pipes it has two files. */
struct line {
	int in;
	int out;
};

struct way {
	const char *name;
	/* Makes the endpoint that clients connect to. */
	int (*listen)(void);
	struct line (*connect)(int client);
	struct line (*accept)(int listener);
};

static struct line lines[2][CLIENTS + 1][2]; /* server, client side, if made
					      * at once */
static int control[2];
static struct sockaddr_un unix_address = { .sun_family = AF_UNIX };
static struct sockaddr_in tcp_address = { .sin_family = AF_INET };
static struct sockaddr_in back_address; /* of the proxy's server */
static int layer; /* 0: the clients' server, 1: the downstream server */

static long check(long result)
{
	if (result >= 0)
		return result;
	perror("requests");
	exit(1);
}

static long now_ns(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000L + time.tv_nsec;
}

static int listen_pipe(void)
{
	for (int i = 0; i <= CLIENTS; i++) {
		int to[2], from[2];

		check(pipe(to));
		check(pipe(from));
		lines[layer][i][0] = (struct line){ to[0], from[1] };
		lines[layer][i][1] = (struct line){ from[0], to[1] };
	}
	check(pipe(control));
	return control[0];
}

/* The client has the terminal, the server its master. */
static int listen_pty(void)
{
	struct termios raw;
	int server, client;

	for (int i = 0; i <= CLIENTS; i++) {
		check(openpty(&server, &client, NULL, NULL, NULL));
		check(tcgetattr(client, &raw));
		cfmakeraw(&raw);
		check(tcsetattr(client, TCSANOW, &raw));
		lines[layer][i][0] = (struct line){ server, server };
		lines[layer][i][1] = (struct line){ client, client };
	}
	check(pipe(control));
	return control[0];
}

static struct line connect_pipe(int client)
{
	unsigned char byte = (unsigned char)client;

	check(write(control[1], &byte, 1));
	return lines[layer][client][1];
}

static struct line accept_pipe(int listener)
{
	unsigned char byte;

	check(read(listener, &byte, 1));
	return lines[layer][byte][0];
}

static int listen_at(int family, void *address, socklen_t size)
{
	int listener = (int)check(socket(family, SOCK_STREAM, 0));

	check(bind(listener, address, size));
	check(getsockname(listener, address, &size));
	check(listen(listener, CLIENTS + 1));
	return listener;
}

static struct line connect_to(int family, const void *address, socklen_t size)
{
	int file = (int)check(socket(family, SOCK_STREAM, 0));

	check(connect(file, address, size));
	return (struct line){ file, file };
}

static struct line accept_socket(int listener)
{
	int file = (int)check(accept(listener, NULL, NULL));

	return (struct line){ file, file };
}

static int listen_unix(void)
{
	snprintf(unix_address.sun_path + 1, 32, "requests-%d-%d", getpid(),
		 layer);
	return listen_at(AF_UNIX, &unix_address, sizeof(unix_address));
}

static struct line connect_unix(int client)
{
	(void)client;
	return connect_to(AF_UNIX, &unix_address, sizeof(unix_address));
}

static int listen_tcp(void)
{
	tcp_address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	tcp_address.sin_port = 0;
	return listen_at(AF_INET, &tcp_address, sizeof(tcp_address));
}

static struct line connect_tcp(int client)
{
	(void)client;
	return connect_to(AF_INET, &tcp_address, sizeof(tcp_address));
}

static const struct way ways[] = {
	{ "pipe", listen_pipe, connect_pipe, accept_pipe },
	{ "pty", listen_pty, connect_pipe, accept_pipe },
	{ "unix", listen_unix, connect_unix, accept_socket },
	{ "tcp", listen_tcp, connect_tcp, accept_socket },
};

static const struct way *way;
static struct line behind = { -1, -1 }; /* to the second server */

static void name(const char *comm)
{
	prctl(PR_SET_NAME, comm);
}

static int count_sleeps(void)
{
	struct rusage usage;

	check(getrusage(RUSAGE_THREAD, &usage));
	return (int)usage.ru_nvcsw;
}

/* The answer contains the downstream server's thread and times. */
static void ask_behind(struct message *message)
{
	int sleeps;

	check(write(behind.out, message, sizeof(*message)));
	sleeps = count_sleeps();
	check(read(behind.in, message, sizeof(*message)));
	message->sleeps = count_sleeps() - sleeps;
	message->back = message->tid;
}

static bool drains; /* the server has kworkers do something */

/* Migrates a page: the kernel first lets each CPU's kworker flush the pages
 * that it caches there, and waits for that.
 */
static void drain(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *pages[] = { page };
	int node = 0;
	int status;

	if (page == MAP_FAILED)
		check(-1);
	*page = 1;
	check(syscall(SYS_move_pages, 0, 1UL, pages, &node, &status, 2));
	check(munmap(page, 4096));
}

static bool syncs; /* the server waits for the disk */

/* Appends to a file on the disk, and waits until data and size are on it: for
 * the data a kworker runs after the disk's interrupt, for the size the
 * journal's thread.
 */
static void append(void)
{
	static const char block[4096] = "request";
	static int file = -1;

	if (file < 0)
		file = (int)check(open("/scratch/requests",
				       O_WRONLY | O_CREAT | O_TRUNC, 0600));
	check(write(file, block, sizeof(block)));
	check(fsync(file));
}

static void fulfil(struct message *message)
{
	static _Thread_local char buffer[64 << 10];
	long begin_ns = now_ns();
	int zero = (int)check(open("/dev/zero", O_RDONLY));

	check(read(zero, buffer, (size_t)message->kib << 10));
	check(close(zero));
	if (behind.in >= 0)
		ask_behind(message);
	if (drains)
		drain();
	if (syncs)
		append();
	message->tid = gettid();
	message->busy_us = (int)((now_ns() - begin_ns) / US);
}

static void answer(struct line line, struct message message)
{
	fulfil(&message);
	check(write(line.out, &message, sizeof(message)));
}

/* Returns whether there was a request. */
static bool take(struct line line, struct message *message)
{
	ssize_t size = read(line.in, message, sizeof(*message));

	/* The terminal is closed. */
	if (size < 0 && errno == EIO)
		return false;
	return check(size) == sizeof(*message);
}

static void serve_line(struct line line)
{
	struct message message;

	while (take(line, &message))
		answer(line, message);
}

/* Calls @handle for each request of all clients, until no more can arrive. */
static void poll_lines(int listener, int clients,
		       void (*handle)(struct line line, struct message message))
{
	struct line open[CLIENTS];
	struct pollfd files[CLIENTS];
	struct message message;
	int left = clients;

	for (int i = 0; i < clients; i++) {
		open[i] = way->accept(listener);
		files[i] =
			(struct pollfd){ .fd = open[i].in, .events = POLLIN };
	}
	while (left) {
		check(poll(files, (nfds_t)clients, -1));
		for (int i = 0; i < clients; i++) {
			if (!files[i].revents)
				continue;
			if (take(open[i], &message)) {
				handle(open[i], message);
				continue;
			}
			files[i].fd = -1;
			left--;
		}
	}
}

static void serve_poll(int listener)
{
	poll_lines(listener, CLIENTS, answer);
}

static void serve_drain(int listener)
{
	drains = true;
	serve_poll(listener);
}

static void serve_sync(int listener)
{
	syncs = true;
	serve_poll(listener);
}

/* A server that receives requests from other servers. */
static void serve_behind(int listener)
{
	name("back");
	serve_line(way->accept(listener));
}

static struct {
	pthread_mutex_t lock;
	pthread_cond_t filled;
	int count;
	struct {
		struct line line;
		struct message message;
	} items[CLIENTS];
} queue = { .lock = PTHREAD_MUTEX_INITIALIZER,
	    .filled = PTHREAD_COND_INITIALIZER };

static void enqueue(struct line line, struct message message)
{
	pthread_mutex_lock(&queue.lock);
	queue.items[queue.count].line = line;
	queue.items[queue.count++].message = message;
	pthread_cond_signal(&queue.filled);
	pthread_mutex_unlock(&queue.lock);
}

static void *work(void *unused)
{
	(void)unused;
	name("worker");
	for (;;) {
		struct line line;
		struct message message;

		pthread_mutex_lock(&queue.lock);
		while (!queue.count)
			pthread_cond_wait(&queue.filled, &queue.lock);
		line = queue.items[0].line;
		message = queue.items[0].message;
		queue.items[0] = queue.items[--queue.count];
		pthread_mutex_unlock(&queue.lock);
		answer(line, message);
	}
	return NULL;
}

static void serve_pool(int listener)
{
	pthread_t worker;

	for (int i = 0; i < WORKERS; i++)
		check(-pthread_create(&worker, NULL, work, NULL));
	poll_lines(listener, CLIENTS, enqueue);
}

static void serve_fork(int listener)
{
	signal(SIGCHLD, SIG_IGN);
	for (int i = 0; i < CLIENTS; i++) {
		struct line line = way->accept(listener);

		if (!check(fork())) {
			name("child");
			serve_line(line);
			_exit(0);
		}
		/* Only the child may hold the connection: otherwise its client
		 * sees no end.
		 */
		if (line.in == line.out)
			check(close(line.in));
	}
}

/* Executes this program, which answers. */
static void execute(struct line line, struct message message)
{
	char words[3][16];

	if (check(fork()))
		return;
	snprintf(words[0], sizeof(words[0]), "%d", line.out);
	snprintf(words[1], sizeof(words[1]), "%d", message.number);
	snprintf(words[2], sizeof(words[2]), "%d", message.kib);
	check(execl("/proc/self/exe", "requests", "handle", words[0], words[1],
		    words[2], NULL));
}

static void serve_exec(int listener)
{
	signal(SIGCHLD, SIG_IGN);
	poll_lines(listener, CLIENTS, execute);
}

static struct {
	int fd;
	unsigned int submitted; /* since the last io_uring_enter(2) */
	uint8_t entry_flags;
	struct io_uring_params params;
	struct io_uring_sqe *entries;
	char *queues;
} ring;

static unsigned int *in_ring(unsigned int offset)
{
	return (unsigned int *)(void *)(ring.queues + offset);
}

/* Both queues are one mapping (IORING_FEAT_SINGLE_MMAP). */
static void open_ring(void)
{
	const size_t size = 4096;

	ring.fd = (int)check(
		syscall(SYS_io_uring_setup, 2 * CLIENTS, &ring.params));
	ring.queues = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			   ring.fd, IORING_OFF_SQ_RING);
	ring.entries = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
			    ring.fd, IORING_OFF_SQES);
	if (ring.queues == MAP_FAILED || ring.entries == MAP_FAILED)
		check(-1);
}

static void submit(uint8_t operation, int file, struct message *message,
		   uint64_t number)
{
	const struct io_sqring_offsets *offsets = &ring.params.sq_off;
	unsigned int *tail = in_ring(offsets->tail);
	unsigned int at = *tail & *in_ring(offsets->ring_mask);

	ring.entries[at] = (struct io_uring_sqe){
		.opcode = operation,
		.flags = ring.entry_flags,
		.fd = file,
		.off = UINT64_MAX,
		.addr = (uintptr_t)message,
		.len = sizeof(*message),
		.user_data = number,
	};
	in_ring(offsets->array)[at] = at;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	ring.submitted++;
}

/* Returns whether the kernel's thread that takes the entries is asleep. */
static bool needs_wakeup(void)
{
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return __atomic_load_n(in_ring(ring.params.sq_off.flags),
			       __ATOMIC_RELAXED) &
	       IORING_SQ_NEED_WAKEUP;
}

/* Submits, and waits for @count completed operations. */
static void enter_ring(unsigned int count)
{
	unsigned int flags = needs_wakeup() ? IORING_ENTER_SQ_WAKEUP : 0;

	if (count)
		flags |= IORING_ENTER_GETEVENTS;
	check(syscall(SYS_io_uring_enter, ring.fd, ring.submitted, count, flags,
		      NULL, 0));
	ring.submitted = 0;
}

/* Submits, and returns the result of the next completed operation. */
static int complete(uint64_t *number)
{
	const struct io_cqring_offsets *offsets = &ring.params.cq_off;
	unsigned int *head = in_ring(offsets->head);
	const struct io_uring_cqe *done = (void *)in_ring(offsets->cqes);

	if (ring.submitted ||
	    *head == __atomic_load_n(in_ring(offsets->tail), __ATOMIC_ACQUIRE))
		enter_ring(1);
	done += *head & *in_ring(offsets->ring_mask);
	*number = done->user_data;
	/* Nothing overwrites it before the next submission. */
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return (int)check(done->res);
}

/* Reads and writes by an io_uring. */
static void serve_uring(int listener)
{
	struct message messages[CLIENTS];
	struct line open[CLIENTS];

	open_ring();
	for (int i = 0; i < CLIENTS; i++) {
		open[i] = way->accept(listener);
		submit(IORING_OP_READ, open[i].in, &messages[i], (uint64_t)i);
	}
	for (int left = CLIENTS; left;) {
		uint64_t number;
		int size = complete(&number);
		uint64_t i = number % CLIENTS;

		if (size != sizeof(*messages)) {
			left--;
		} else if (number >= CLIENTS) {
			submit(IORING_OP_READ, open[i].in, &messages[i], i);
		} else {
			fulfil(&messages[i]);
			submit(IORING_OP_WRITE, open[i].out, &messages[i],
			       CLIENTS + i);
		}
	}
}

static void watch(int epoll, int file, uint64_t number)
{
	struct epoll_event event = { EPOLLIN, { .u64 = number } };

	check(epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event));
}

/* Waits until one is ready; the ring's work may interrupt that. */
static uint64_t await(int epoll)
{
	struct epoll_event event;

	while (epoll_wait(epoll, &event, 1, -1) < 0)
		check(errno == EINTR ? 0 : -1);
	return event.data.u64;
}

/* Handles the next completed operation for the client of @line, whose message is
 * @message. Returns whether more can follow.
 */
static bool proceed(struct line line, struct message *message)
{
	enum { READ, WRITE }; /* numbers of operations */
	uint64_t number;
	int size = complete(&number);

	if (size != sizeof(*message))
		return false;
	if (number == READ)
		fulfil(message);
	submit(number == READ ? IORING_OP_WRITE : IORING_OP_READ,
	       number == READ ? line.out : line.in, message, number ^ WRITE);
	enter_ring(0);
	return true;
}

/* Serves one client by epoll, and the other by an io_uring, whose file is ready
 * for epoll if an operation completed.
 */
static void serve_both(int listener)
{
	int epoll = (int)check(epoll_create1(0));
	struct line open[CLIENTS];
	struct message message, queued;
	int left = CLIENTS;

	open_ring();
	for (int i = 0; i < CLIENTS; i++)
		open[i] = way->accept(listener);
	watch(epoll, open[0].in, 0);
	watch(epoll, ring.fd, 1);
	submit(IORING_OP_READ, open[1].in, &queued, 0);
	enter_ring(0);
	while (left) {
		uint64_t ready = await(epoll);

		if (ready) {
			left -= !proceed(open[1], &queued);
		} else if (take(open[0], &message)) {
			answer(open[0], message);
		} else {
			check(epoll_ctl(epoll, EPOLL_CTL_DEL, open[0].in,
					NULL));
			left--;
		}
	}
}

/* Reads and writes by an io_uring as soon as epoll reports a file. */
static void serve_watch(int listener)
{
	int epoll = (int)check(epoll_create1(0));
	struct line open[CLIENTS];
	struct message message;
	uint64_t number;

	open_ring();
	for (int i = 0; i < CLIENTS; i++) {
		open[i] = way->accept(listener);
		watch(epoll, open[i].in, (uint64_t)i);
	}
	for (int left = CLIENTS; left;) {
		uint64_t i = await(epoll);

		submit(IORING_OP_READ, open[i].in, &message, i);
		if (complete(&number) == sizeof(message)) {
			fulfil(&message);
			submit(IORING_OP_WRITE, open[i].out, &message, i);
			complete(&number);
			continue;
		}
		check(epoll_ctl(epoll, EPOLL_CTL_DEL, open[i].in, NULL));
		left--;
	}
}

static void use_sqpoll(void)
{
	ring.params.flags = IORING_SETUP_SQPOLL;
	ring.params.sq_thread_idle = 1; /* ms */
}

static void use_iowq(void)
{
	ring.entry_flags = IOSQE_ASYNC;
}

/* A server that a proxy asks: a process for each connection, so that a later
 * request may be answered before an earlier one.
 */
static void serve_slowly(int listener)
{
	signal(SIGCHLD, SIG_IGN);
	for (;;) {
		struct line line = way->accept(listener);
		struct message message;

		if (!check(fork())) {
			name("back");
			if (take(line, &message)) {
				usleep((useconds_t)(3 - message.number % 3) *
				       2000);
				answer(line, message);
			}
			_exit(0);
		}
		check(close(line.in));
	}
}

/* An event loop between clients and a server: it forwards each request by a
 * connection of its own and does something else until the answer arrives.
 */
static void serve_proxy(int listener)
{
	struct line clients[PROXIED];
	struct pollfd files[2 * PROXIED];
	struct message message;

	for (int i = 0; i < PROXIED; i++) {
		clients[i] = way->accept(listener);
		files[i] = (struct pollfd){ clients[i].in, POLLIN, 0 };
		files[PROXIED + i] = (struct pollfd){ -1, POLLIN, 0 };
	}
	for (;;) {
		check(poll(files, 2 * PROXIED, -1));
		for (int i = 0; i < PROXIED; i++) {
			struct pollfd *ahead = &files[PROXIED + i];

			if (files[i].revents && take(clients[i], &message)) {
				ahead->fd = connect_to(AF_INET, &back_address,
						       sizeof(back_address))
						    .in;
				check(write(ahead->fd, &message,
					    sizeof(message)));
			} else if (files[i].revents) {
				files[i].fd = -1;
			}
			if (ahead->fd < 0 || !ahead->revents)
				continue;
			check(read(ahead->fd, &message, sizeof(message)));
			check(close(ahead->fd));
			ahead->fd = -1;
			ahead->revents = 0;
			message.back = message.tid;
			message.tid = gettid();
			check(write(clients[i].out, &message, sizeof(message)));
		}
	}
}

/* A pipe end that two processes hold open never reports its end: each closes
 * the ends it does not use.
 */
static void keep_side(int client)
{
	if (way->connect != connect_pipe)
		return;
	for (int i = 0; i <= CLIENTS; i++) {
		struct line *both = lines[layer][i];

		if (client < 0 || client != i) {
			close(both[1].in);
			close(both[1].out);
		}
		if (client >= 0) {
			close(both[0].in);
			close(both[0].out);
		}
	}
}

static void note(FILE *out, long begin_ns, const struct message *message)
{
	fprintf(out, "%d %ld %ld %d %d %d %d\n", gettid(), begin_ns, now_ns(),
		message->tid, message->back, message->sleeps, message->busy_us);
}

/* Returns when it was sent. */
static long send_number(int file, int number)
{
	struct message message = { .number = number, .kib = 4 };
	long begin_ns = now_ns();

	check(write(file, &message, sizeof(message)));
	return begin_ns;
}

/* Sends requests by several connections at a time. */
static void ask_abreast(int client, FILE *out)
{
	struct pollfd files[AHEAD];
	long begin_ns[AHEAD];
	int sent = 0;

	name(client ? "small" : "big");
	for (int i = 0; i < AHEAD; i++) {
		files[i] =
			(struct pollfd){ way->connect(client).in, POLLIN, 0 };
		begin_ns[i] = send_number(files[i].fd, sent++);
	}
	for (int left = REQUESTS; left;) {
		check(poll(files, AHEAD, -1));
		for (int i = 0; i < AHEAD; i++) {
			struct message message;

			if (!files[i].revents)
				continue;
			check(read(files[i].fd, &message, sizeof(message)));
			note(out, begin_ns[i], &message);
			left--;
			if (sent < REQUESTS)
				begin_ns[i] = send_number(files[i].fd, sent++);
		}
	}
	fclose(out);
	_exit(0);
}

static void ask(int client, int ahead, FILE *out)
{
	struct line line;
	long begin_ns[REQUESTS];
	struct message message;

	name(client ? "small" : "big");
	line = way->connect(client);
	keep_side(client);
	for (int i = 0; i < REQUESTS; i += ahead) {
		usleep(500);
		for (int k = i; k < i + ahead; k++) {
			message = (struct message){ .number = k,
						    .kib = client ? 4 : 48 };
			begin_ns[k] = now_ns();
			check(write(line.out, &message, sizeof(message)));
		}
		for (int k = i; k < i + ahead; k++) {
			check(read(line.in, &message, sizeof(message)));
			note(out, begin_ns[message.number], &message);
		}
	}
	fclose(out);
	_exit(0);
}

static const struct {
	const char *name;
	void (*serve)(int listener);
	int ahead; /* number of requests sent before their answers */
	bool is_chain;
	bool is_proxy;
	void (*prepare)(void); /* configures the ring */
} kinds[] = {
	{ "poll", serve_poll, 1, false, false, NULL },
	{ "pool", serve_pool, 1, false, false, NULL },
	{ "fork", serve_fork, 1, false, false, NULL },
	{ "chain", serve_poll, 1, true, false, NULL },
	{ "ahead", serve_poll, AHEAD, false, false, NULL },
	{ "drain", serve_drain, 1, false, false, NULL },
	{ "sync", serve_sync, 1, false, false, NULL },
	{ "proxy", serve_proxy, 0, false, true, NULL },
	{ "exec", serve_exec, 1, false, false, NULL },
	{ "uring", serve_uring, 1, false, false, NULL },
	{ "sqpoll", serve_uring, 1, false, false, use_sqpoll },
	{ "iowq", serve_uring, 1, false, false, use_iowq },
	{ "both", serve_both, AHEAD, false, false, NULL },
	{ "both_sqpoll", serve_both, AHEAD, false, false, use_sqpoll },
	{ "both_iowq", serve_both, AHEAD, false, false, use_iowq },
	{ "watch", serve_watch, 1, false, false, NULL },
	{ "watch_sqpoll", serve_watch, 1, false, false, use_sqpoll },
	{ "watch_iowq", serve_watch, 1, false, false, use_iowq },
};

static pid_t start(int listener, void (*serve)(int listener), const char *comm)
{
	pid_t pid = (pid_t)check(fork());

	if (pid)
		return pid;
	name(comm);
	keep_side(-1);
	serve(listener);
	_exit(0);
}

/* The second server, and the first's connection to it. */
static pid_t start_behind(void)
{
	int listener;
	pid_t pid;

	layer = 1;
	listener = way->listen();
	pid = start(listener, serve_behind, "back");
	behind = way->connect(0);
	keep_side(0);
	layer = 0;
	return pid;
}

/* Starts the server after a proxy, which connects to it for each request. */
static pid_t start_slow(void)
{
	int listener = way->listen();
	pid_t pid = start(listener, serve_slowly, "back");

	back_address = tcp_address;
	check(close(listener));
	return pid;
}

static void run(size_t kind, const char *path)
{
	bool is_proxy = kinds[kind].is_proxy;
	pid_t back = kinds[kind].is_chain ? start_behind() :
		     is_proxy		  ? start_slow() :
					    0;
	int listener = way->listen();
	pid_t pids[CLIENTS];
	pid_t server;

	if (kinds[kind].prepare)
		kinds[kind].prepare();
	server = start(listener, kinds[kind].serve, "server");
	close(behind.in);
	close(behind.out);
	behind = (struct line){ -1, -1 };
	for (int i = 0; i < CLIENTS; i++) {
		FILE *out = fopen(path, "a");

		pids[i] = (pid_t)check(fork());
		if (!pids[i] && is_proxy)
			ask_abreast(i, out);
		if (!pids[i])
			ask(i, kinds[kind].ahead, out);
		fclose(out);
	}
	for (int i = 0; i <= CLIENTS; i++) {
		close(lines[0][i][1].in);
		close(lines[0][i][1].out);
		close(lines[0][i][0].in);
		close(lines[0][i][0].out);
	}
	for (int i = 0; i < CLIENTS; i++)
		waitpid(pids[i], NULL, 0);
	kill(server, SIGTERM);
	waitpid(server, NULL, 0);
	if (is_proxy)
		kill(back, SIGTERM);
	if (back)
		waitpid(back, NULL, 0);
}

/* The program that execute() runs. */
static int handle(char **words)
{
	name("handler");
	answer((struct line){ .out = atoi(words[0]) },
	       (struct message){ .number = atoi(words[1]),
				 .kib = atoi(words[2]) });
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "handle"))
		return handle(argv + 2);
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++)
		if (argc == 4 && !strcmp(ways[i].name, argv[2]))
			way = &ways[i];
	for (size_t i = 0; way && i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].name, argv[1])) {
			run(i, argv[3]);
			return 0;
		}
	}
	fprintf(stderr, "requests: what?\n");
	return 2;
}
