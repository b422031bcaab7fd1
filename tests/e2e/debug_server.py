#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A debuginfod server, for a test: right answers, and wrong ones."""

import contextlib
import http.server
import socket
import subprocess
import threading
import time


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by the file of the path, unless the server is silent."""

    def do_GET(self):
        self.server.paths.append(self.path)
        if self.server.is_silent:
            self.server.over.wait()
            return
        body = self.server.files.get(self.path)
        self.send_response(404 if body is None else 200)
        self.send_header("Content-Length", str(len(body or b"")))
        self.end_headers()
        self.wfile.write((body or b"")[:self.server.sent_bytes])

    def log_message(self, *_arguments):
        pass


@contextlib.contextmanager
def debug_server(files, sent_bytes=None, is_silent=False):
    """Serves @files, by path; of each the first @sent_bytes. Yields the server's
    URL and the list of the paths that were requested."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.files, server.sent_bytes = files, sent_bytes
    server.is_silent, server.over, server.paths = is_silent, threading.Event(), []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.paths
    finally:
        server.over.set()
        server.shutdown()
        server.server_close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@contextlib.contextmanager
def elfutils_server(folder):
    """elfutils' own server of the files in @folder. Yields its URL."""
    port = free_port()
    with subprocess.Popen(
            ["debuginfod", "-F", "-d", ":memory:", "-p", str(port), folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as server:
        try:
            for line in server.stderr:
                if "groom" in line or "scanned" in line:
                    break
            threading.Thread(target=server.stderr.read, daemon=True).start()
            time.sleep(1)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
