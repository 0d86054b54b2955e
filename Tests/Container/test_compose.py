"""The services of compose.yaml, each started by hand with what the file says: PostgreSQL, two nodes in containers of the image, and
HAProxy. Docker Compose itself is not asked."""

import hashlib
import hmac
import json
import re
import secrets
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

import pytest
import yaml
from containers import Container, Page, ask
from program import OUTSIDE, ROOT, Program

FILE = ROOT / ".ci/container/compose.yaml"
GIVEN = {
    "POSTGRES_PASSWORD": secrets.token_hex(32),
    "PAYCAST_API_KEY": secrets.token_hex(32),
    "PAYCAST_STREAM_KEYS": secrets.token_hex(32),
    "PAYCAST_STRIPE_SECRETS": "whsec_0123456789abcdef",
}
# `$$` is a dollar; `${NAME:?what to do}` must be given.
VARIABLE = re.compile(r"\$(?:(\$)|\{([A-Z_]+):\?([^}]+)\})")
POSTGRES = Path("/usr/lib/postgresql/15/bin")


def read(given):
    """The file as Compose sees it. What it asks for and nobody gives is a KeyError."""
    filled = VARIABLE.sub(lambda found: "$" if found[1] else given[found[2]], FILE.read_text())
    assert not re.search(r"\$\{|\$[A-Za-z]", filled), "a variable that needs no value is a value"
    return yaml.safe_load(filled)


COMPOSE = read(GIVEN)
SERVICES = COMPOSE["services"]


def address(service):
    return SERVICES[service]["networks"]["default"]["ipv4_address"]


class Database:
    """A cluster as the image `postgres` makes it of its variables."""

    def __init__(self, folder):
        service = SERVICES["database"]
        variables = service["environment"]
        (folder / "password").write_text(variables["POSTGRES_PASSWORD"])
        for path in (folder, folder / "password"):
            shutil.chown(path, "postgres", "postgres")
        initdb = ["initdb", "--pgdata", folder / "data", "--username", variables["POSTGRES_USER"]]
        initdb += ["--pwfile", folder / "password", "--auth", "scram-sha-256", "--no-sync"]
        self.run(*initdb, *variables["POSTGRES_INITDB_ARGS"].split())
        place = f"-c listen_addresses={address('database')} -c unix_socket_directories={folder}"
        with (folder / "data/pg_hba.conf").open("a") as rules:
            rules.write("host all all all scram-sha-256\n")
        self.process = subprocess.Popen(
            ["runuser", "-u", "postgres", "--", POSTGRES / "postgres", "-D", folder / "data", *place.split()],
            stderr=(folder / "log").open("ab"),
        )
        [kind, *check] = service["healthcheck"]["test"]
        assert kind == "CMD"
        wait_for(lambda: subprocess.run([POSTGRES / check[0], *check[1:]], capture_output=True).returncode == 0)
        environment = {**OUTSIDE, "PGPASSWORD": variables["POSTGRES_PASSWORD"]}
        owner = ["--host", address("database"), "--username", variables["POSTGRES_USER"]]
        subprocess.run([POSTGRES / "createdb", *owner, variables["POSTGRES_DB"]], env=environment, check=True)

    @staticmethod
    def run(program, *words):
        done = subprocess.run(["runuser", "-u", "postgres", "--", POSTGRES / program, *words], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    def stop(self):
        self.process.terminate()
        self.process.wait(60)


class Node(Container):
    """A node with the options and the environment of its service. All share this network, so each has an address of its own."""

    def __init__(self, folder, service):
        self.service = service
        settings = SERVICES[service]
        options = [f"--cap-drop={name}" for name in settings["cap_drop"]]
        options += [f"--security-opt={option.replace(':true', '')}" for option in settings["security_opt"]]
        options += ["--read-only", "--read-only-tmpfs=false"] if settings["read_only"] else []
        super().__init__(
            folder / service, options=options, settings={**settings["environment"], "PAYCAST_BIND": address(service)}
        )
        self.wait_until_listening()


class Proxy(Program):
    def __init__(self, folder):
        [mounted] = SERVICES["proxy"]["configs"]
        folder.mkdir()
        (folder / "haproxy.cfg").write_text(COMPOSE["configs"][mounted["source"]]["content"])
        super().__init__(folder, ["haproxy", "-db", "-f", folder / "haproxy.cfg"])


def wait_for(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@pytest.fixture(scope="module")
def services(image, tmp_path_factory):
    folder = tmp_path_factory.mktemp("compose")
    # The folders of pytest are root's alone.
    data = Path(tempfile.mkdtemp())
    nodes, others = {}, [Database(data)]
    try:
        for name in ("node-1", "node-2"):
            nodes[name] = Node(folder, name)
            nodes[name].wait_until_healthy()
        others.append(proxy := Proxy(folder / "proxy"))
        [bind] = re.findall(r"bind :(\d+)", COMPOSE["configs"]["proxy"]["content"])
        url = f"http://{address('proxy')}:{bind}"
        wait_for(lambda: proxy.process.poll() is None and answers(url))
        yield url, nodes, folder
    finally:
        for node in nodes.values():
            node.kill()
        for service in reversed(others):
            service.stop()
        shutil.rmtree(data)


def answers(url):
    try:
        return ask(f"{url}/up") == (200, "up\n")
    except OSError:
        return False


def deliver(url, number):
    """An event that Stripe has just signed; the status."""
    now = int(time.time())
    event = {
        "id": f"evt_{number:024}", "object": "event", "type": "ping", "created": now, "livemode": True,
        "data": {"object": {"object": "thing"}},
    }
    body = json.dumps(event)
    secret = GIVEN["PAYCAST_STRIPE_SECRETS"].encode()
    signature = hmac.new(secret, f"{now}.{body}".encode(), hashlib.sha256).hexdigest()
    return ask(f"{url}/webhooks/stripe", body=body, headers={"Stripe-Signature": f"t={now},v1={signature}"})[0]


def grant(url, user, product="pro"):
    body = json.dumps({"product": product, "forever": True, "reason": "a test"})
    assert ask(f"{url}/users/{user}/grants", GIVEN["PAYCAST_API_KEY"], body)[0] == 201


@pytest.mark.parametrize("name", GIVEN)
def test_what_is_not_given_is_asked_for(name):
    with pytest.raises(KeyError, match=name):
        read({key: value for key, value in GIVEN.items() if key != name})


def test_it_is_complete():
    assert set(SERVICES) == {"database", "node-1", "node-2", "proxy"}
    for name, service in SERVICES.items():
        assert set(service.get("depends_on", {})) <= set(SERVICES), name
        assert {mounted["source"] for mounted in service.get("configs", [])} <= set(COMPOSE["configs"]), name
        assert {mounted.partition(":")[0] for mounted in service.get("volumes", [])} <= set(COMPOSE["volumes"]), name
    assert SERVICES["node-1"]["environment"] == SERVICES["node-2"]["environment"], "the nodes would say that they differ"
    assert SERVICES["node-1"]["environment"]["PAYCAST_TRUSTED_PROXIES"] == address("proxy")
    [published] = SERVICES["proxy"]["ports"]
    assert f"bind :{published.partition(':')[2]}" in COMPOSE["configs"]["proxy"]["content"]
    for line in re.findall(r"server (\S+) (\S+):8080", COMPOSE["configs"]["proxy"]["content"]):
        assert line[1] == address(line[0])


def test_whichever_node_takes_it_the_pages_of_both_change(services):
    url, nodes, _ = services
    direct = [f"http://{address(name)}:8080" for name in nodes]
    pages = [Page(server, "42", GIVEN["PAYCAST_API_KEY"]) for server in [url, *direct]]
    grant(url, "42")
    for page in pages:
        page.hears("paywall")
        page.close()
    assert [deliver(url, number) for number in range(8)] == [200] * 8
    assert deliver(url, 0) == 200, "again"


def test_a_client_counts_by_its_own_address(services):
    """The proxy is trusted, so pages are handed the address that their browser asked for."""
    url, _, _ = services
    source = json.loads(ask(f"{url}/users/42/stream", GIVEN["PAYCAST_API_KEY"])[1])["sse"]
    assert source.startswith(f"http://{address('proxy')}/"), source


def test_nodes_are_replaced_without_a_failure(services):
    url, nodes, folder = services
    page = Page(url, "43", GIVEN["PAYCAST_API_KEY"])
    statuses = []
    for name in nodes:
        start = subprocess.Popen(["podman", "stop", "--time", "30", nodes[name].name], stdout=subprocess.DEVNULL)
        while start.poll() is None:
            statuses.append(deliver(url, 100 + len(statuses)))
        assert nodes[name].process.wait(60) == 0, nodes[name].log.read_text()
        nodes[name] = Node(folder, name)
        nodes[name].wait_until_healthy()
        wait_for(lambda name=name: ask(f"http://{address(name)}:8080/up")[0] == 200)
        statuses.append(deliver(url, 100 + len(statuses)))
    assert len(statuses) > 2 and set(statuses) == {200}, statuses
    # The page of a node that ended was sent away, and comes back to another.
    page.close()
    page = Page(url, "43", GIVEN["PAYCAST_API_KEY"])
    grant(url, "43")
    page.hears("paywall")
    page.close()
