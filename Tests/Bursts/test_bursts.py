"""Bursts that once stopped everybody else, for one to 28 seconds, or took gigabytes that were never given back."""

import pytest

from probe import Probe
from programs import Redis, Server, wait_until

# The longest that anybody else may wait: a few hundred milliseconds on a machine that other suites keep busy.
LONGEST = 1
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def redis(tmp_path_factory):
    redis = Redis(tmp_path_factory.mktemp("redis"))
    yield redis
    redis.stop()


@pytest.fixture(scope="module")
def server(tmp_path_factory, redis):
    server = Server(tmp_path_factory.mktemp("server"), redis)
    server.open_pages("crowd", 2000)
    server.open_pages("hundred", 100)
    server.open_pages("few", 4)
    # What it keeps in any case, such as the newest messages for pages that come back.
    redis.publish("nobody", 200, 25_000)
    server.wait_for(25_000)
    server.before = server.settled_memory()
    yield server
    server.stop()


@pytest.fixture
def tell(capsys, request):
    def tell(text):
        with capsys.disabled():
            print(f"\n{request.node.name}: {text}", end="")

    return tell


def check(probe, tell):
    tell(probe)
    assert all(count for _, count in probe.waits.values())
    assert {kind: wait for kind, (wait, _) in probe.waits.items() if wait > LONGEST} == {}


def test_nothing_happens(server, tell):
    with Probe(server) as probe:
        probe.wait_for_answers()
    check(probe, tell)


@pytest.mark.parametrize("transient", [False, True], ids=["kept", "transient"])
@pytest.mark.parametrize("publishers", [1, 4])
def test_a_hundred_broadcasts_to_two_thousand_pages(server, tell, publishers, transient):
    published = server.published
    with Probe(server) as probe:
        server.post("crowd", requests=3, publishers=publishers, transient=transient)
        server.wait_for(published + 300 * publishers)
    check(probe, tell)


def test_redis_as_fast_as_it_is_taken(server, redis, tell):
    published = server.published
    with Probe(server) as probe:
        redis.publish("hundred", 200, 40_000)
        server.wait_for(published + 40_000)
    check(probe, tell)


def test_long_messages_through_redis(server, redis, tell):
    published = server.published
    with Probe(server) as probe:
        redis.publish("few", 200_000, 1000)
        server.wait_for(published + 1000)
    check(probe, tell)


def test_a_table_that_grows_all_at_once(server, tell):
    published = server.published
    with Probe(server) as probe:
        server.rows(20_000, "hundred")
        server.wait_for(published + 20_000)
    check(probe, tell)


def test_memory_comes_back(server, tell):
    # SQLite's cache fills meanwhile, with up to 32 MB of what the bursts committed.
    allowed = server.before * 1.1 + 32 * MEGABYTE
    most = server.memory("VmHWM")
    try:
        wait_until(lambda: server.memory() <= allowed)
    finally:
        before, now = server.before // MEGABYTE, server.memory() // MEGABYTE
        slow = server.metric("paycast_slow_closed_total")
        tell(f"{before} MB before, {most // MEGABYTE} MB at the most, {now} MB now; {slow} pages were too slow\n")
    assert most < 512 * MEGABYTE
    assert server.metric("paycast_redis_outages_total") == server.metric("paycast_redis_lost_total") == 0
