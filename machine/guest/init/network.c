/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine/guest/init/network.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_NAMESPACE "/proc/self/ns/net"

static int set_address(int fd, struct ifreq *request, unsigned long what,
		       const char *address)
{
	struct sockaddr_in in = { .sin_family = AF_INET };

	inet_pton(AF_INET, address, &in.sin_addr);
	memcpy(&request->ifr_addr, &in, sizeof(in));
	return ioctl(fd, what, request);
}

/* Activates @device in the current namespace. @address may be NULL. */
static int bring_up(const char *device, const char *address)
{
	struct ifreq request = { 0 };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int result = -1;

	if (fd < 0)
		return -1;
	snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", device);
	if (address &&
	    (set_address(fd, &request, SIOCSIFADDR, address) ||
	     set_address(fd, &request, SIOCSIFNETMASK, "255.255.255.0")))
		goto out;
	request.ifr_flags = IFF_UP | IFF_RUNNING;
	result = ioctl(fd, SIOCSIFFLAGS, &request);
out:
	close(fd);
	return result;
}

int network_loopback(struct problem *problem)
{
	if (bring_up("lo", NULL))
		return problem_set(problem, "loopback device");
	return 0;
}

struct move_request {
	struct nlmsghdr header;
	struct ifinfomsg link;
	struct rtattr attribute;
	int namespace_fd;
};

struct move_answer {
	struct nlmsghdr header;
	struct nlmsgerr error;
	char echo[256];
};

static int talk(const struct move_request *request)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct move_answer answer = { 0 };
	int result = -1;

	if (fd < 0)
		return -1;
	if (send(fd, request, sizeof(*request), 0) > 0 &&
	    recv(fd, &answer, sizeof(answer), 0) > 0) {
		errno = -answer.error.error;
		result = errno ? -1 : 0;
	}
	close(fd);
	return result;
}

static int move_device(const char *device, int namespace_fd)
{
	struct move_request request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RTM_NEWLINK,
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK,
		},
		.link = { .ifi_index = (int)if_nametoindex(device) },
		.attribute = {
			.rta_len = RTA_LENGTH(sizeof(int)),
			.rta_type = IFLA_NET_NS_FD,
		},
		.namespace_fd = namespace_fd,
	};

	if (!request.link.ifi_index)
		return -1;
	return talk(&request);
}

/* Creates a namespace and leaves this process in it. */
static int make_namespace(const char *path)
{
	int fd = open(path, O_RDONLY | O_CREAT | O_CLOEXEC, 0444);

	if (fd < 0)
		return -1;
	close(fd);
	if (unshare(CLONE_NEWNET))
		return -1;
	return mount(OWN_NAMESPACE, path, NULL, MS_BIND, NULL);
}

static int set_up(const char *path, const char *device, const char *address,
		  int home)
{
	int fd;

	if (make_namespace(path) || bring_up("lo", NULL) ||
	    setns(home, CLONE_NEWNET))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || move_device(device, fd) || setns(fd, CLONE_NEWNET) ||
	    bring_up(device, address))
		return -1;
	close(fd);
	return setns(home, CLONE_NEWNET);
}

int network_link(const char *side, struct problem *problem)
{
	bool is_left = !strcmp(side, "left");

	if (bring_up("eth0", is_left ? "10.8.0.1" : "10.8.0.2"))
		return problem_set(problem, "network to the other machine");
	return 0;
}

int network_namespaces(struct problem *problem)
{
	int home = open(OWN_NAMESPACE, O_RDONLY | O_CLOEXEC);

	mkdir("/run/netns", 0755);
	if (set_up("/run/netns/left", "eth0", "10.9.0.1", home))
		return problem_set(problem, "network namespace left");
	if (set_up("/run/netns/right", "eth1", "10.9.0.2", home))
		return problem_set(problem, "network namespace right");
	close(home);
	return 0;
}
