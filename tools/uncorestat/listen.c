// SPDX-License-Identifier: GPL-2.0-only
#include "listen.h"

#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "table.h"
#include "util.h"

/* As many scrapers, and seconds for each connection, however it dawdles */
#define MOST_CONNECTIONS	8
#define TIMEOUT			10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *current;

/* Connections that are open, and since when */
static struct {
	int fd;
	uint64_t since;
} clients[MOST_CONNECTIONS];

/* Note when a connection began: libmicrohttpd's own timeout begins anew with each byte. */
static void note_client(void *cls, struct MHD_Connection *connection, void **state,
			enum MHD_ConnectionNotificationCode code)
{
	bool open = code == MHD_CONNECTION_NOTIFY_STARTED;
	int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	unsigned int i;

	(void)cls;
	(void)state;
	pthread_mutex_lock(&lock);
	for (i = 0; i < MOST_CONNECTIONS && clients[i].fd != (open ? 0 : fd); i++)
		;
	if (i < MOST_CONNECTIONS) {
		clients[i].fd = open ? fd : 0;
		clients[i].since = now_ns();
	}
	pthread_mutex_unlock(&lock);
}

/* End connections whose time is over. An interval may be longer than that. */
static void *watch(void *unused)
{
	unsigned int i;

	for (;; sleep(1)) {
		pthread_mutex_lock(&lock);
		for (i = 0; i < MOST_CONNECTIONS; i++)
			if (clients[i].fd &&
			    now_ns() - clients[i].since > TIMEOUT * UINT64_C(1000000000))
				shutdown(clients[i].fd, SHUT_RDWR);
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

void listen_set(char *text)
{
	pthread_mutex_lock(&lock);
	free(current);
	current = text;
	pthread_mutex_unlock(&lock);
}

static struct MHD_Response *make_response(const char *text, enum MHD_ResponseMemoryMode mode)
{
	return MHD_create_response_from_buffer(strlen(text), (void *)text, mode);
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	bool known = !strcmp(url, "/metrics");
	/* libmicrohttpd leaves out the body for HEAD. */
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	unsigned int code = !get ? 405 : known ? 200 : 404;
	struct MHD_Response *response;
	enum MHD_Result result;

	(void)cls;
	(void)version;
	(void)data;
	(void)state;
	*size = 0;
	pthread_mutex_lock(&lock);
	if (code == 200 && current) {
		response = make_response(current, MHD_RESPMEM_MUST_COPY);
	} else {
		/* Nothing has been counted yet: no scrape is better than zeros. */
		code = code == 200 ? 503 : code;
		response = make_response("GET /metrics, after the first interval\n",
					 MHD_RESPMEM_PERSISTENT);
	}
	pthread_mutex_unlock(&lock);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", code == 200 ?
				"text/plain; version=0.0.4; charset=utf-8" : "text/plain");
	if (!get)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	result = MHD_queue_response(connection, code, response);
	MHD_destroy_response(response);
	return result;
}

static bool is_port(const char *s)
{
	unsigned long port = strtoul(s, NULL, 10);

	return !s[strspn(s, "0123456789")] && port > 0 && port <= 65535;
}

void listen_start(const char *where)
{
	const char *colon = strrchr(where, ':');
	char *host = colon ? format("%.*s", (int)(colon - where), where) : "127.0.0.1";
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM,
	};
	const char *port = colon ? colon + 1 : where;
	struct addrinfo *found;
	pthread_t watcher;
	int fd, one = 1;

	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = 0;
		host++;
	}
	/* glibc takes the low 16 bits of any number, and "*" as loopback. */
	if (!is_port(port) || !strcmp(host, "*") || getaddrinfo(host, port, &hints, &found))
		die("--listen %s: [ADDRESS:]PORT, both as numbers, the port up to 65535", where);
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, MOST_CONNECTIONS))
		die("--listen %s: %s", where, strerror(errno));
	freeaddrinfo(found);
	if (!MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, answer,
			      NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_CONNECTION,
			      note_client, NULL,
			      MHD_OPTION_CONNECTION_LIMIT, MOST_CONNECTIONS,
			      MHD_OPTION_CONNECTION_TIMEOUT, TIMEOUT, MHD_OPTION_END) ||
	    pthread_create(&watcher, NULL, watch, NULL))
		die("--listen %s: libmicrohttpd cannot start", where);
}
