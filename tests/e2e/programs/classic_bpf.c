/* SPDX-License-Identifier: MIT */
/* Runs classic BPF filters that it loads itself: one of a socket on 20 packets,
 * and two of seccomp, one that refuses getppid() five times and one that kills
 * for it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PACKETS = 20, CALLS = 5, PAUSE_US = 20000 };

static int receive(void)
{
	struct sock_filter code[] = {
		{ BPF_LD | BPF_W | BPF_LEN, 0, 0, 0 },
		{ BPF_JMP | BPF_JGT | BPF_K, 0, 1, 5 },
		{ BPF_RET | BPF_K, 0, 0, 65535 },
		{ BPF_RET | BPF_K, 0, 0, 65535 },
	};
	const struct sock_fprog filter = { 4, code };
	const struct sockaddr_in address = {
		.sin_family = AF_INET,
		.sin_port = htons(7777),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	const struct sockaddr *to = (const void *)&address;
	int in = socket(AF_INET, SOCK_DGRAM, 0);
	int out = socket(AF_INET, SOCK_DGRAM, 0);
	char packet[64] = { 0 };

	if (bind(in, to, sizeof(address)) ||
	    setsockopt(in, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
		       sizeof(filter)))
		return 1;
	for (int i = 0; i < PACKETS; i++)
		if (sendto(out, packet, 20, 0, to, sizeof(address)) != 20 ||
		    recv(in, packet, sizeof(packet), 0) != 20)
			return 1;
	return 0;
}

static void load_seccomp(unsigned int action)
{
	struct sock_filter code[] = {
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0,
		  offsetof(struct seccomp_data, nr) },
		{ BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_getppid },
		{ BPF_RET | BPF_K, 0, 0, action },
		{ BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW },
	};
	const struct sock_fprog filter = { 4, code };

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter);
}

static void call(unsigned int action, int times)
{
	if (!fork()) {
		load_seccomp(action);
		/* Time for the recorder to read the filter. */
		usleep(PAUSE_US);
		for (int i = 0; i < times; i++)
			syscall(SYS_getppid);
		_exit(0);
	}
	wait(NULL);
}

int main(void)
{
	if (receive())
		return 1;
	call(SECCOMP_RET_ERRNO | EPERM, CALLS);
	call(SECCOMP_RET_KILL_PROCESS, 1);
	return 0;
}
