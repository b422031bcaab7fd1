/* SPDX-License-Identifier: MIT */
/* Sells orders, and writes each to a file before it answers: see fleet.md.
 *
 *	cc -O1 -g -o shop shop.c
 *	./shop FOLDER ORDERS TAX_US
 *
 * Three processes: a customer sends orders to a clerk by UDP, the clerk passes
 * them through a pipe to a bookkeeper, which waits TAX_US microseconds for the
 * tax office and makes a file in FOLDER.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct order {
	unsigned int number;
	unsigned int price;
};

static void check(int is_done, const char *what)
{
	if (is_done)
		return;
	perror(what);
	exit(1);
}

static int udp_socket(void)
{
	struct sockaddr_in here = {
		.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};
	int udp = socket(AF_INET, SOCK_DGRAM, 0);

	check(udp >= 0, "socket");
	check(!bind(udp, (struct sockaddr *)&here, sizeof(here)), "bind");
	return udp;
}

static void udp_connect(int udp, int peer)
{
	struct sockaddr_in there;
	socklen_t size = sizeof(there);

	check(!getsockname(peer, (struct sockaddr *)&there, &size),
	      "getsockname");
	check(!connect(udp, (struct sockaddr *)&there, size), "connect");
}

static void ask_tax_office(unsigned int tax_us)
{
	const struct timespec wait = { .tv_nsec = (long)tax_us * 1000 };

	nanosleep(&wait, NULL);
}

static void keep(const char *folder, const struct order *order)
{
	char path[4096];
	int file;

	snprintf(path, sizeof(path), "%s/order-%u", folder, order->number);
	file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	check(file >= 0, path);
	check(write(file, order, sizeof(*order)) == sizeof(*order), path);
	check(!fsync(file), path);
	close(file);
}

static void book(int orders, int receipts, const char *folder,
		 unsigned int tax_us)
{
	struct order order;

	while (read(orders, &order, sizeof(order)) == sizeof(order)) {
		ask_tax_office(tax_us);
		keep(folder, &order);
		check(write(receipts, &order, sizeof(order)) == sizeof(order),
		      "receipt");
	}
}

static void serve(int udp, int orders, int receipts)
{
	struct order order;

	while (recv(udp, &order, sizeof(order), 0) == sizeof(order)) {
		check(write(orders, &order, sizeof(order)) == sizeof(order),
		      "order");
		check(read(receipts, &order, sizeof(order)) == sizeof(order),
		      "receipt");
		check(send(udp, &order, sizeof(order), 0) == sizeof(order),
		      "answer");
	}
}

static void buy(int udp, unsigned int orders)
{
	for (unsigned int i = 1; i <= orders; i++) {
		struct order order = { .number = i, .price = 7 * i };

		check(send(udp, &order, sizeof(order), 0) == sizeof(order),
		      "send");
		check(recv(udp, &order, sizeof(order), 0) == sizeof(order),
		      "recv");
	}
	check(!send(udp, "", 0, 0), "send"); /* the shop closes */
}

int main(int argc, char **argv)
{
	int orders[2], receipts[2];
	int customer, shop;

	if (argc != 4) {
		fprintf(stderr, "usage: shop FOLDER ORDERS TAX_US\n");
		return 2;
	}
	customer = udp_socket();
	shop = udp_socket();
	udp_connect(customer, shop);
	udp_connect(shop, customer);
	check(!pipe(orders) && !pipe(receipts), "pipe");
	if (!fork()) {
		prctl(PR_SET_NAME, "bookkeeper");
		close(orders[1]);
		book(orders[0], receipts[1], argv[1],
		     (unsigned int)atoi(argv[3]));
		return 0;
	}
	close(orders[0]);
	close(receipts[1]);
	if (!fork()) {
		prctl(PR_SET_NAME, "clerk");
		serve(shop, orders[1], receipts[0]);
		return 0;
	}
	close(orders[1]);
	prctl(PR_SET_NAME, "customer");
	buy(customer, (unsigned int)atoi(argv[2]));
	while (wait(NULL) > 0)
		;
	return 0;
}
