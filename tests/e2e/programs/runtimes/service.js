// SPDX-License-Identifier: MIT
// A service and its client in one process: counts its functions' calls.
'use strict';

const http = require('http');

const REQUESTS = 40;
const calls = { parseOrder: 0, costOf: 0, handle: 0 };

function parseOrder(url) {
	calls.parseOrder++;
	return { items: url.slice(1).split(',').map(Number) };
}

function costOf(item) {
	calls.costOf++;
	let cost = 0;
	for (let i = 0; i < 50; i++)
		cost = (cost * 31 + item + i) % 10007;
	return cost;
}

function handle(request, response) {
	calls.handle++;
	let sum = 0;
	for (const item of parseOrder(request.url).items)
		sum += costOf(item);
	response.end(String(sum));
}

function requestNext(port, count) {
	if (!count) {
		for (const name in calls)
			console.log('JS:' + name, calls[name]);
		process.exit(0);
	}
	http.get({ port, path: '/1,2,3,' + count }, (response) => {
		response.resume();
		response.on('end', () => requestNext(port, count - 1));
	});
}

const server = http.createServer(handle);
// A busy machine may pause for longer than the default of 5 s.
server.keepAliveTimeout = 0;
server.headersTimeout = 0;
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', () => {
	requestNext(server.address().port, REQUESTS);
});
