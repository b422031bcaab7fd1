# SPDX-License-Identifier: MIT
"""A proxy between a program and a server: reports each request to a test,
which may then kill either of them."""
import http.client
import http.server
import threading
import urllib.parse


class Proxy:
    """Calls before(query) when a request arrives, and after(query) when the
    server has answered it."""

    def __init__(self, port):
        proxy = self
        self.upstream = port
        self.before = self.after = lambda query: None

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                proxy.pass_on(self)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0),
                                                      Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever,
                         daemon=True).start()

    def pass_on(self, handler):
        body = handler.rfile.read(int(handler.headers["Content-Length"]))
        asked = urllib.parse.parse_qs(urllib.parse.urlparse(handler.path).query)
        query = asked["query"][0] if "query" in asked else body.decode()
        try:
            self.before(query)
            status, answer = self.ask(handler, body)
            self.after(query)
            handler.send_response(status)
            handler.send_header("Content-Length", str(len(answer)))
            handler.end_headers()
            handler.wfile.write(answer)
        except (OSError, http.client.HTTPException):
            # The program or the server is gone.
            handler.close_connection = True

    def ask(self, handler, body):
        connection = http.client.HTTPConnection("127.0.0.1", self.upstream)
        try:
            connection.request("POST", handler.path, body, {
                "Authorization": handler.headers["Authorization"]})
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def close(self):
        self.server.shutdown()
        self.server.server_close()
