/* SPDX-License-Identifier: MIT */
/* Three threads, each in the kernel and asleep by turns, until killed. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static void *work(void *unused)
{
	char bytes[64];

	for (;;) {
		int fd = open("/proc/uptime", O_RDONLY);

		if (fd < 0 || read(fd, bytes, sizeof(bytes)) < 0)
			break;
		close(fd);
		usleep(2000);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
