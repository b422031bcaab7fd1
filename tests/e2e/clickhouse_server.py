# SPDX-License-Identifier: MIT
"""Real servers for tests, on free loopback ports, each in its own folder
with its own configuration: ClickHouse, and ZooKeeper for its clusters."""
import os
import random
import shutil
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request

# Long enough for a busy computer.
START_S = 120
# An idle server looks for work again only after up to ten minutes.
MUTATIONS_S = 900
ZOOKEEPER_JAR = "/usr/share/java/zookeeper.jar"
PASSWORD = "se:cret/@"


def free_port():
    """Returns a free port below the range of ephemeral ports, which other
    connections here use."""
    while True:
        port = random.randrange(20000, 32768)
        with socket.socket() as taken:
            if taken.connect_ex(("127.0.0.1", port)):
                return port


def await_port(process, port, log):
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline:
        with socket.socket() as tried:
            if not tried.connect_ex(("127.0.0.1", port)):
                return
        if process.poll() is not None:
            break
        time.sleep(0.05)
    with open(log, encoding="utf-8", errors="replace") as file:
        raise RuntimeError(f"{process.args[0]} does not start: "
                           f"{file.read()[-2000:]}")


class Refused(Exception):
    """An error that the server returned for a query."""


class Service:
    """A process that is ended when the test ends, however it ends."""

    def __init__(self, folder):
        self.folder = folder
        self.process = None
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)

    def launch(self, command, port):
        with open(self.path("out"), "ab") as out:
            self.process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                cwd=self.folder, start_new_session=True)
        await_port(self.process, port, self.path("out"))

    def end(self, how=signal.SIGKILL):
        if self.process:
            self.process.send_signal(how)
            self.process.wait()
        self.process = None

    def __enter__(self):
        return self

    def __exit__(self, *reason):
        self.end()


class ZooKeeper(Service):
    @staticmethod
    def is_there():
        return bool(shutil.which("java")) and os.path.exists(ZOOKEEPER_JAR)

    def start(self):
        self.port = free_port()
        self.write("zoo.cfg", f"dataDir={self.path('data')}\n"
                   f"clientPort={self.port}\n"
                   "clientPortAddress=127.0.0.1\n"
                   "admin.enableServer=false\n")
        self.launch(["java", "-Xmx256m", "-XX:TieredStopAtLevel=1",
                     "-XX:+UseSerialGC", "-cp",
                     f"{self.folder}:{ZOOKEEPER_JAR}",
                     "org.apache.zookeeper.server.ZooKeeperServerMain",
                     self.path("zoo.cfg")], self.port)
        self.await_service()

    def await_service(self):
        """Waits until the server answers: it accepts connections earlier."""
        deadline = time.monotonic() + START_S
        answer = b""
        while b"Mode:" not in answer:
            assert time.monotonic() < deadline, "ZooKeeper does not serve"
            with socket.create_connection(("127.0.0.1", self.port)) as asked:
                asked.sendall(b"srvr")
                answer = asked.recv(65536)


CONFIGURATION = """<?xml version="1.0"?>
<yandex>
  <logger><level>warning</level><log>{folder}/log</log>
    <errorlog>{folder}/errors</errorlog></logger>
  <http_port>{http}</http_port><tcp_port>{tcp}</tcp_port>
  <interserver_http_port>{between}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <listen_host>127.0.0.1</listen_host>
  <path>{data}/</path><tmp_path>{data}/tmp/</tmp_path>
  <mark_cache_size>67108864</mark_cache_size>
  <users_config>{folder}/users.xml</users_config>
  <default_profile>default</default_profile>
  <default_database>default</default_database>
  {cluster}
</yandex>
"""
USERS = f"""<?xml version="1.0"?>
<yandex>
  <profiles><default></default></profiles>
  <users><ktrace><password>{PASSWORD}</password>
    <networks><ip>127.0.0.1</ip></networks>
    <profile>default</profile><quota>default</quota></ktrace></users>
  <quotas><default></default></quotas>
</yandex>
"""


class ClickHouse(Service):
    """One server.  It keeps its ports when it is restarted."""

    def __init__(self, folder, data=None):
        super().__init__(folder)
        self.data = data or self.path("data")
        self.http, self.tcp, self.between = (free_port() for _ in range(3))
        self.write("users.xml", USERS)

    @staticmethod
    def is_there():
        return bool(shutil.which("clickhouse-server"))

    def start(self, cluster=""):
        os.makedirs(self.path("data"), exist_ok=True)
        self.write("config.xml", CONFIGURATION.format(
            folder=self.folder, data=self.data, http=self.http, tcp=self.tcp,
            between=self.between, cluster=cluster))
        self.restart()

    def restart(self):
        self.launch(["clickhouse-server",
                     f"--config-file={self.path('config.xml')}"], self.http)

    def url(self, database, port=None, user="ktrace"):
        return (f"clickhouse://{user}@127.0.0.1:{port or self.http}/"
                f"{database}")

    def ask(self, query, database="default"):
        """Returns the rows of an answer as lists of texts."""
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.http}/?database={database}"
            "&wait_end_of_query=1", data=query.encode(),
            headers={"X-ClickHouse-User": "ktrace",
                     "X-ClickHouse-Key": PASSWORD})
        try:
            with urllib.request.urlopen(request, timeout=START_S) as answer:
                text = answer.read().decode()
        except urllib.error.HTTPError as error:
            raise Refused(error.read().decode()) from None
        return [line.split("\t") for line in text.splitlines()]

    def number(self, query, database="default"):
        return int(self.ask(query, database)[0][0])

    def uploads(self, database):
        """Returns the numbers of all uploads that ever started."""
        return {int(number) for (number,) in self.ask(
            "SELECT recording FROM upload", database)}

    def run_file(self, text, database="default"):
        """Runs the statements of @text like an operator."""
        done = subprocess.run(
            ["clickhouse-client", "--host=127.0.0.1", f"--port={self.tcp}",
             "--user=ktrace", f"--password={PASSWORD}",
             f"--database={database}", "--multiquery"],
            input=text, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr

    def await_mutations(self, database):
        """Waits until all requested removals are done."""
        deadline = time.monotonic() + MUTATIONS_S
        while self.number("SELECT count() FROM system.mutations WHERE NOT "
                          f"is_done AND database = '{database}'"):
            assert time.monotonic() < deadline, self.ask(
                "SELECT * FROM system.mutations WHERE NOT is_done")
            time.sleep(0.1)


def cluster_part(zookeeper, shard, replica, shards):
    """Returns the configuration of one server of a cluster called fleet,
    whose @shards are lists of servers."""
    written = "".join(
        "<shard><internal_replication>true</internal_replication>" + "".join(
            f"<replica><host>127.0.0.1</host><port>{server.tcp}</port>"
            f"<user>ktrace</user><password>{PASSWORD}</password></replica>"
            for server in servers) + "</shard>" for servers in shards)
    keeper = "" if not zookeeper else (
        "<zookeeper><node><host>127.0.0.1</host>"
        f"<port>{zookeeper.port}</port></node></zookeeper>"
        "<distributed_ddl><path>/clickhouse/task_queue/ddl</path>"
        "</distributed_ddl>")
    return (f"<remote_servers><fleet>{written}</fleet></remote_servers>"
            f"<macros><shard>{shard}</shard><replica>{replica}</replica>"
            f"</macros>{keeper}")
