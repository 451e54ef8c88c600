// SPDX-License-Identifier: GPL-2.0-only
/* --listen: an endpoint for Prometheus */
#include <errno.h>
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "clock.h"
#include "report.h"
#include "table.h"
#include "util.h"

/* Scrapers at once, and seconds for a request, and for the answer to it, however they dawdle */
#define MOST_CONNECTIONS	8
#define REQUEST_TIME		2
#define ANSWER_TIME		10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *current;
static const char *address;
static bool loopback;

/* Connections that are open, since when, and the seconds that they have */
static struct client {
	int fd;
	unsigned int time;
	uint64_t since;
} clients[2 * MOST_CONNECTIONS];
static unsigned int turned_away;

static int fd_of(struct MHD_Connection *connection)
{
	return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
}

/* Note what a connection is in, or that it has ended; @fd 0 is a free place. */
static void set_client(int old, int fd, unsigned int time)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clients); i++)
		if (clients[i].fd == old) {
			clients[i] = (struct client){ fd, time, now_ns() };
			return;
		}
}

static void turn_away(struct client *c)
{
	turned_away += c->time == REQUEST_TIME;
	shutdown(c->fd, SHUT_RDWR);
	c->fd = -c->fd;
}

/* When there are too many, the oldest one without a request goes. */
static void note_client(void *cls, struct MHD_Connection *connection, void **state,
			enum MHD_ConnectionNotificationCode code)
{
	bool open = code == MHD_CONNECTION_NOTIFY_STARTED;
	struct client *c, *oldest = NULL;
	int fd = fd_of(connection);
	unsigned int nr = 0;

	(void)cls;
	(void)state;
	pthread_mutex_lock(&lock);
	if (open)
		set_client(0, fd, REQUEST_TIME);
	for (c = clients; c < clients + ARRAY_SIZE(clients); c++) {
		if (!open && (c->fd == fd || c->fd == -fd))
			c->fd = 0;
		nr += c->fd > 0;
		if (c->fd > 0 && c->time == REQUEST_TIME && (!oldest || c->since < oldest->since))
			oldest = c;
	}
	if (open && nr > MOST_CONNECTIONS && oldest)
		turn_away(oldest);
	pthread_mutex_unlock(&lock);
}

/* End connections whose time is over: libmicrohttpd's own timeout begins anew with each byte. */
static void *watch(void *unused)
{
	unsigned int second, said = 0;
	struct client *c;

	for (second = 0; ; second++) {
		pthread_mutex_lock(&lock);
		for (c = clients; c < clients + ARRAY_SIZE(clients); c++)
			if (c->fd > 0 && now_ns() - c->since > c->time * UINT64_C(1000000000))
				turn_away(c);
		if (turned_away && (!said || second - said >= 60)) {
			fprintf(stderr, "uncorestat: --listen: %u connections sent no request in %d s, and were ended\n",
				turned_away, REQUEST_TIME);
			turned_away = 0;
			said = second ?: 1;
		}
		pthread_mutex_unlock(&lock);
		sleep(1);
	}
	return unused;
}

/*
 * Return whether a request is for this endpoint. A web page can have a name that leads to loopback,
 * and read as the user's browser what is bound there.
 */
static bool is_host(struct MHD_Connection *connection)
{
	const char *host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"), *end;
	size_t len;

	if (!loopback || !host)
		return true;
	end = strrchr(host, ':');
	len = end && !strchr(end, ']') ? (size_t)(end - host) : strlen(host);
	return (len == 9 && !strncasecmp(host, "localhost", len)) ||
	       (!strncmp(host, "127.", 4) && strspn(host, "0123456789.") == len) ||
	       (len == 5 && !strncmp(host, "[::1]", len)) ||
	       (len == strlen(address) && !strncmp(host, address, len));
}

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *data,
			      size_t *size, void **state)
{
	/* libmicrohttpd leaves out the body for HEAD. */
	bool get = !strcmp(method, "GET") || !strcmp(method, "HEAD");
	const char *type = "text/plain", *text = "GET /metrics, after the first interval\n";
	struct MHD_Response *response;
	enum MHD_Result result;
	unsigned int code;

	(void)cls;
	(void)version;
	(void)data;
	(void)state;
	*size = 0;
	pthread_mutex_lock(&lock);
	set_client(fd_of(connection), fd_of(connection), ANSWER_TIME);
	if (!is_host(connection)) {
		code = 403;
		text = "bound to loopback: ask for localhost\n";
	} else if (!get) {
		code = 405;
	} else if (!strcmp(url, "/metrics")) {
		/* Nothing has been counted yet: no scrape is better than zeros. */
		code = current ? 200 : 503;
		type = current ? "text/plain; version=0.0.4; charset=utf-8" : type;
		text = current ?: text;
	} else {
		code = strcmp(url, "/") ? 404 : 200;
		type = code == 200 ? "text/html" : type;
		text = code == 200 ? "<h1>uncorestat</h1><a href=\"/metrics\">Metrics</a>\n" : text;
	}
	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_MUST_COPY);
	pthread_mutex_unlock(&lock);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", type);
	/* Each request has a time of its own. */
	MHD_add_response_header(response, "Connection", "close");
	if (code == 405)
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

static bool is_loopback(const struct sockaddr *a)
{
	const struct sockaddr_in *in = (const void *)a;
	const struct sockaddr_in6 *in6 = (const void *)a;

	return a->sa_family == AF_INET6 ? IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr) :
		ntohl(in->sin_addr.s_addr) >> 24 == 127;
}

static void start(const char *where)
{
	const char *colon = strrchr(where, ':');
	char *host = colon ? format("%.*s", (int)(colon - where), where) : "127.0.0.1";
	struct addrinfo hints = {
		.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
		.ai_socktype = SOCK_STREAM,
	};
	const char *port = colon ? colon + 1 : where;
	struct addrinfo *found;
	pthread_t watcher;
	int fd, one = 1;

	address = host;
	if (*host == '[' && host[strlen(host) - 1] == ']')
		host = format("%.*s", (int)strlen(host) - 2, host + 1);
	/* glibc takes the low 16 bits of any number, and "*" as loopback. */
	if (!is_port(port) || !strcmp(host, "*") ||
	    getaddrinfo(*host ? host : NULL, port, &hints, &found))
		die("--listen %s: [ADDRESS:]PORT, both as numbers, the port up to 65535", where);
	loopback = is_loopback(found->ai_addr);
	fd = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (fd < 0 || bind(fd, found->ai_addr, found->ai_addrlen) || listen(fd, MOST_CONNECTIONS))
		die("--listen %s: %s", where, strerror(errno));
	freeaddrinfo(found);
	if (!MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_POLL, 0, NULL, NULL, answer,
			      NULL, MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_NOTIFY_CONNECTION,
			      note_client, NULL, MHD_OPTION_CONNECTION_LIMIT,
			      (unsigned int)ARRAY_SIZE(clients), MHD_OPTION_END) ||
	    pthread_create(&watcher, NULL, watch, NULL))
		die("--listen %s: libmicrohttpd cannot start", where);
}

void out_listen(const struct interval *i)
{
	char *text = i->rates ? prometheus_text(i->rates, i->totals) : NULL;

	if (i->moment == RUN_BEGINS)
		start(i->to);
	if (!text)
		return;
	pthread_mutex_lock(&lock);
	free(current);
	current = text;
	pthread_mutex_unlock(&lock);
}
