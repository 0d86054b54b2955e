"""Each alarm, with a series that sets it off and one that does not."""

import re
from dataclasses import dataclass, field

import pytest
import yaml

from program import ROOT
from promtool import printed, promtool, rules, write

DAY = 24 * 60


@dataclass
class Case:
    """Values have Prometheus' short form, one a minute: `0+60x10` begins at 0 and grows by 60 ten times."""

    alarm: str
    # Series by what the name and the labels beside job and instance are.
    fires: dict
    quiet: dict
    labels: dict = field(default_factory=dict)
    # In minutes: when the alarm is there, and was not there yet.
    at: int = 10
    before: int | None = None
    # The labels by which the alarm counts.
    by: tuple = ("job", "instance")


def growing(by, minutes=60):
    return f"0+{by}x{minutes}"


def steady(value, minutes=60):
    return f"{value}+0x{minutes}"


def buckets(metric, bounds, labels=""):
    """A histogram whose durations fall below each bound that often a minute."""
    return {f'{metric}_bucket{{{labels}le="{bound}"}}': growing(count) for bound, count in bounds.items()}


CASES = [
    Case(
        "PaycastMissing",
        {'paycast_build_info{version="1"}': "1 1 1 1 1 stale", "up": "1x4 0x400"},
        {
            'paycast_build_info{version="1"}': steady(1, 400),
            "up": steady(1, 400),
            # Another program's, of the same Prometheus.
            'up{job="other"}': steady(0, 400),
        },
        # It does not pass by itself.
        at=300,
        before=6,
    ),
    # Taken away, and replaced by another.
    Case(
        "PaycastMissing",
        {'paycast_build_info{version="1"}': "1 1 1 1 1 stale", "up": "1x4 0x400"},
        {
            'paycast_build_info{version="1"}': "1 1 1 1 1 stale",
            "up": "1x4 stale",
            'paycast_build_info{version="1",instance="b"}': steady(1),
            'up{instance="b"}': steady(1),
        },
    ),
    Case(
        "PaycastCommitsFail",
        {"paycast_ledger_commit_failures_total": growing(1)},
        {"paycast_ledger_commit_failures_total": steady(7)},
    ),
    Case(
        "PaycastLedgerTrouble",
        {'paycast_ledger_trouble{part="files"}': steady(1)},
        {'paycast_ledger_trouble{part="files"}': steady(0), 'paycast_ledger_trouble{part="notifications"}': steady(1)},
        {"part": "files"},
        before=0,
    ),
    Case(
        "PaycastQueueLong",
        {"paycast_ledger_queue_depth": steady(1001)},
        {"paycast_ledger_queue_depth": steady(999)},
        before=1,
    ),
    Case(
        "PaycastDiskFull",
        {"paycast_ledger_disk_free_bytes": steady(900_000_000)},
        {"paycast_ledger_disk_free_bytes": steady(1_100_000_000)},
        before=4,
    ),
    Case(
        "PaycastListenerLost",
        {'paycast_ledger_trouble{part="notifications"}': steady(1)},
        {'paycast_ledger_trouble{part="notifications"}': steady(0), 'paycast_ledger_trouble{part="files"}': steady(1)},
        before=0,
    ),
    Case(
        "PaycastNodesDiffer",
        {"paycast_settings_different": steady(0), 'paycast_settings_different{instance="b"}': steady(1)},
        {"paycast_settings_different": steady(0), 'paycast_settings_different{instance="b"}': steady(0)},
        before=0,
        by=("job",),
    ),
    Case(
        "PaycastOutgoingHeld",
        {"paycast_outgoing_held": steady(1)},
        {"paycast_outgoing_held": steady(0)},
        before=4,
    ),
    # Ten hours are three times the longest pause.
    Case(
        "PaycastNothingArrives",
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': steady(600, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple"}': steady(12_000, DAY),
        },
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': steady(600, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple"}': steady(13_000, DAY),
            # Never one since the start.
            'paycast_webhook_last_accepted_timestamp_seconds{provider="stripe"}': steady(0, DAY),
            'paycast_webhook_longest_pause_seconds{provider="stripe"}': steady(0, DAY),
        },
        {"provider": "apple"},
        at=10 * 60 + 20,
        before=10 * 60,
        by=("job",),
    ),
    # A node that gets a webhook in days has long pauses.
    Case(
        "PaycastNothingArrives",
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': steady(600, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple"}': steady(600, DAY),
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple",instance="b"}': steady(300, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple",instance="b"}': steady(300_000, DAY),
        },
        # It alone knows enough.
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': steady(600, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple"}': steady(0, DAY),
            'paycast_webhook_longest_pause_seconds{provider="apple",instance="b"}': steady(300_000, DAY),
        },
        {"provider": "apple"},
        at=80,
        before=60,
        by=("job",),
    ),
    # The store was taken out of the settings.
    Case(
        "PaycastNothingArrives",
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': "600x20 0x400",
            'paycast_webhook_longest_pause_seconds{provider="apple"}': "600x20 0x400",
        },
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': "600x20 -1x400",
            'paycast_webhook_longest_pause_seconds{provider="apple"}': "600x20 0x400",
        },
        {"provider": "apple"},
        at=200,
        before=60,
        by=("job",),
    ),
    # A new start makes the server forget, and Prometheus does not.
    Case(
        "PaycastNothingArrives",
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': "600x20 0x400",
            'paycast_webhook_longest_pause_seconds{provider="apple"}': "600x20 0x400",
        },
        # Another node has got one.
        {
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple"}': steady(600, 400),
            'paycast_webhook_longest_pause_seconds{provider="apple"}': steady(600, 400),
            'paycast_webhook_last_accepted_timestamp_seconds{provider="apple",instance="b"}': "0+60x400",
        },
        {"provider": "apple"},
        at=200,
        before=60,
        by=("job",),
    ),
    Case(
        "PaycastWebhooksRefused",
        {
            'paycast_webhooks_refused_total{provider="stripe",reason="bad_signature"}': growing(6),
            'paycast_events_total{provider="stripe",outcome="applied"}': growing(100),
        },
        {
            'paycast_webhooks_refused_total{provider="stripe",reason="bad_signature"}': growing(5),
            'paycast_events_total{provider="stripe",outcome="applied"}': growing(100),
        },
        {"provider": "stripe"},
        at=20,
        before=10,
        by=("job",),
    ),
    # Junk where nobody buys.
    Case(
        "PaycastWebhooksRefused",
        {
            'paycast_webhooks_refused_total{provider="stripe",reason="bad_signature"}': growing(1),
            'paycast_events_total{provider="stripe",outcome="applied"}': steady(0),
        },
        {
            'paycast_webhooks_refused_total{provider="stripe",reason="bad_signature"}': "0+1x8 8x60",
            'paycast_events_total{provider="stripe",outcome="applied"}': steady(0),
        },
        {"provider": "stripe"},
        at=40,
        before=20,
        by=("job",),
    ),
    # A wrong secret in a small shop: three in two hours.
    Case(
        "PaycastAllWebhooksRefused",
        {'paycast_webhooks_refused_in_a_row{provider="stripe"}': "0x10 1x40 2x40 3x60"},
        # Two, and one that was accepted.
        {'paycast_webhooks_refused_in_a_row{provider="stripe"}': "0x10 1x40 2x40 0x60"},
        {"provider": "stripe"},
        at=102,
        before=94,
        by=("job", "instance"),
    ),
    Case(
        "PaycastWebhooksOfAnotherApp",
        {'paycast_webhooks_refused_total{provider="apple",reason="wrong_app"}': growing(1)},
        {
            'paycast_webhooks_refused_total{provider="apple",reason="wrong_app"}': steady(3),
            'paycast_webhooks_refused_total{provider="apple",reason="bad_signature"}': growing(1),
            # Anybody may post to a store's address.
            'paycast_webhooks_refused_total{provider="apple",reason="not_configured"}': growing(1),
        },
        {"provider": "apple", "reason": "wrong_app"},
        by=("job",),
    ),
    Case(
        "PaycastPostsRefused",
        {
            'paycast_posts_refused_total{provider="apple",reason="untrusted_chain"}': growing(6),
            'paycast_events_total{provider="apple",outcome="applied"}': growing(100),
        },
        {
            'paycast_posts_refused_total{provider="apple",reason="untrusted_chain"}': growing(5),
            'paycast_events_total{provider="apple",outcome="applied"}': growing(100),
            'paycast_posts_refused_total{provider="google",reason="malformed"}': "0+1x8 8x60",
            'paycast_events_total{provider="google",outcome="applied"}': steady(0),
        },
        {"provider": "apple"},
        at=20,
        before=10,
        by=("job",),
    ),
    # A small shop's three in two hours.
    Case(
        "PaycastPostsRefused",
        {
            'paycast_posts_refused_in_a_row{provider="apple"}': "0x10 1x40 2x40 3x60",
            'paycast_posts_refused_total{provider="apple",reason="untrusted_chain"}': "0x10 1x40 2x40 3x60",
        },
        {
            'paycast_posts_refused_in_a_row{provider="apple"}': "0x10 1x40 2x40 0x60",
            'paycast_posts_refused_total{provider="apple",reason="untrusted_chain"}': "0x10 1x40 2x40 3x60",
        },
        {"provider": "apple"},
        at=112,
        before=100,
        by=("job",),
    ),
    Case(
        "PaycastStoreDelayed",
        buckets("paycast_webhook_delay_seconds", {"600.0": 80, "1800.0": 100, "+Inf": 100}, 'provider="google",'),
        buckets("paycast_webhook_delay_seconds", {"600.0": 95, "1800.0": 100, "+Inf": 100}, 'provider="google",'),
        {"provider": "google"},
        at=20,
        before=10,
        by=("job",),
    ),
    Case(
        "PaycastUnclaimedGrows",
        {"paycast_unclaimed_contracts": "7x20 9x10 12x20"},
        {"paycast_unclaimed_contracts": "7x20 9x10 11x20"},
        at=40,
        before=25,
        by=("job",),
    ),
    # A small shop's three in two hours, which nobody has got.
    Case(
        "PaycastUnclaimedGrows",
        {
            "paycast_unclaimed_contracts": "7x10 8x40 9x40 10x60",
            'paycast_purchases_unclaimed_in_a_row{provider="apple"}': "0x10 1x40 2x40 3x60",
        },
        # The app posts each a moment later.
        {
            "paycast_unclaimed_contracts": steady(7, 200),
            'paycast_purchases_unclaimed_in_a_row{provider="apple"}': "0x10 1x40 2x40 3x60",
        },
        at=95,
        before=90,
        by=("job",),
    ),
    Case(
        "PaycastSlowToPage",
        buckets("paycast_webhook_written_seconds", {"0.25": 90, "1.0": 98, "10.0": 100, "+Inf": 100}),
        buckets("paycast_webhook_written_seconds", {"0.25": 90, "1.0": 100, "10.0": 100, "+Inf": 100}),
        at=15,
        before=8,
        by=("job",),
    ),
    Case(
        "PaycastStreamNamesRefused",
        {'paycast_stream_names_refused_total{reason="forged"}': growing(10)},
        {
            'paycast_stream_names_refused_total{reason="forged"}': growing(5),
            "paycast_stream_names_refused_in_a_row": steady(9),
        },
        at=30,
        by=("job",),
    ),
    # The pages of a small shop.
    Case(
        "PaycastStreamNamesRefused",
        {"paycast_stream_names_refused_in_a_row": "0x10 5x10 10x40"},
        # One that was accepted within a quarter of an hour.
        {"paycast_stream_names_refused_in_a_row": "0x10 5x10 10x10 0x30"},
        at=40,
        before=34,
        by=("job",),
    ),
    Case(
        "PaycastConnectionsRefused",
        {'paycast_connections_refused_total{answer="retry"}': growing(1)},
        {'paycast_connections_refused_total{answer="retry"}': steady(9)},
    ),
    Case(
        "PaycastCableLost",
        {"paycast_rails_cable_connected": steady(0)},
        {"paycast_rails_cable_connected": steady(1)},
        before=0,
    ),
    Case(
        "PaycastHooksFail",
        {"paycast_hook_addresses_failing": "0x4 1x60"},
        {"paycast_hook_addresses_failing": steady(0)},
        before=4,
        by=("job",),
    ),
    Case("PaycastRedisLost", {"paycast_redis_connected": steady(0)}, {"paycast_redis_connected": steady(1)}, before=0),
    # Only the node that leads knows.
    Case(
        "PaycastJobDeadline",
        {
            "paycast_job_nearest_deadline_seconds": steady(86_000),
            'paycast_job_nearest_deadline_seconds{instance="b"}': steady(999_999_999),
        },
        {"paycast_job_nearest_deadline_seconds": steady(200_000)},
        by=("job",),
    ),
    Case(
        "PaycastJobsAbandoned",
        {"paycast_jobs_abandoned_total": growing(1)},
        {"paycast_jobs_abandoned_total": steady(2)},
        by=("job",),
    ),
    # The third delivery in a row, and within five minutes the alarm.
    Case(
        "PaycastStoreSilent",
        {'paycast_store_deliveries_waiting{provider="stripe"}': "0x10 2x20 3x20"},
        {'paycast_store_deliveries_waiting{provider="stripe"}': "0x10 2x20 0x20"},
        {"provider": "stripe"},
        at=35,
        before=31,
        by=("job",),
    ),
    Case(
        "PaycastStoreSlow",
        {'paycast_calls_refused_total{queue="google"}': growing(1)},
        {'paycast_calls_refused_total{queue="google"}': steady(2)},
        {"queue": "google"},
        by=("job",),
    ),
    Case(
        "PaycastRecoveryStuck",
        {
            'paycast_recovery_last_success_timestamp_seconds{provider="apple"}': steady(600, 300),
            'paycast_recovery_last_success_timestamp_seconds{provider="apple",instance="b"}': steady(0, 300),
            "process_start_time_seconds": steady(0, 300),
        },
        {
            'paycast_recovery_last_success_timestamp_seconds{provider="apple"}': steady(0, 300),
            # It has just begun, and is still reading.
            "process_start_time_seconds": steady(3600, 300),
        },
        {"provider": "apple"},
        at=140,
        before=125,
        by=("job",),
    ),
    Case(
        "PaycastRecoveryRefused",
        {"paycast_recovery_refused_total": growing(1)},
        {"paycast_recovery_refused_total": steady(1)},
        by=("job",),
    ),
    Case(
        "PaycastCertificateEnds",
        {'paycast_certificate_end_timestamp_seconds{certificate="tls"}': steady(31 * 86_400, 2 * DAY)},
        {'paycast_certificate_end_timestamp_seconds{certificate="tls"}': steady(33 * 86_400, 2 * DAY)},
        {"certificate": "tls"},
        at=2 * DAY + 1,
        before=DAY + 60,
    ),
    Case(
        "PaycastClockOff",
        {"paycast_clock_seconds": "10+60x60"},
        {"paycast_clock_seconds": "2+60x60"},
        before=4,
    ),
    # Prometheus is on the same machine.
    Case(
        "PaycastClockOff",
        {"paycast_clock_seconds": "0+60x60", "paycast_clock_ahead_seconds": steady(-600)},
        {"paycast_clock_seconds": "0+60x60", "paycast_clock_ahead_seconds": steady(-29)},
        before=4,
    ),
]


def complete(series):
    """With the labels that Prometheus adds."""
    name, _, rest = series.rstrip("}").partition("{")
    labels = dict(re.findall(r'(\w+)="([^"]*)"', rest))
    labels = {"job": "paycast", "instance": "a", **labels}
    return name + "{" + ",".join(f'{key}="{value}"' for key, value in labels.items()) + "}"


def trial(case, series, minutes, expected):
    return {
        "interval": "1m",
        "input_series": [{"series": complete(name), "values": values} for name, values in series.items()],
        "alert_rule_test": [
            {"eval_time": f"{minute}m", "alertname": case.alarm, "exp_alerts": expected if fires else []}
            for minute, fires in minutes
        ],
    }


def test_each_alarm_has_its_case():
    assert {case.alarm for case in CASES} == set(rules())


def test_promtool_takes_the_file(tmp_path):
    file = tmp_path / "rules.yml"
    file.write_text(printed("alerts"))
    assert f"SUCCESS: {len(rules())} rules found" in promtool("check", "rules", str(file))


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The rules without annotations, which would have to be repeated here word for word."""
    document = yaml.safe_load(printed("alerts"))
    for rule in document["groups"][0]["rules"]:
        del rule["annotations"]
    return write(tmp_path_factory.mktemp("rules") / "rules.yml", document)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.alarm} {number}" for number, case in enumerate(CASES)])
def test_fires_when_it_should(case, bare, tmp_path):
    own = {"job": "paycast", "instance": "a"}
    labels = {**{name: own[name] for name in case.by}, **case.labels}
    labels["severity"] = rules()[case.alarm]["labels"]["severity"]
    expected = [{"exp_labels": labels}]
    minutes = [(case.at, True)] + ([(case.before, False)] if case.before is not None else [])
    tests = [trial(case, case.fires, minutes, expected), trial(case, case.quiet, [(case.at, True)], [])]
    promtool("test", "rules", str(write(tmp_path / "test.yml", {
        "rule_files": [str(bare)],
        "evaluation_interval": "1m",
        "tests": tests,
    })))


def test_summaries_name_labels_that_the_alarm_has():
    known = {}
    for case in CASES:
        known.setdefault(case.alarm, set()).update(case.by, case.labels)
    for name, rule in rules().items():
        named = set(re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"]))
        assert named <= known[name], name
        assert set(rule["labels"]) == {"severity"}


def headings():
    text = (ROOT / "Sources/paycast/Documentation.docc/Runbook.md").read_text()
    found = re.findall(r"^#{2,4} (.+)$", text, re.MULTILINE)
    # As DocC makes them.
    return {re.sub(r"[^\w ]", "", heading).replace(" ", "-") for heading in found}


def test_runbook_has_the_section_of_each_alarm():
    anchors = headings()
    for name, rule in rules().items():
        address, _, anchor = rule["annotations"]["runbook_url"].partition("#")
        assert address == "file:///usr/share/doc/paycast/Runbook.md"
        assert anchor in anchors, name


def test_runbook_may_be_elsewhere():
    text = printed("alerts", "--runbook", 'https://example.com/"runbook"')
    urls = [rule["annotations"]["runbook_url"] for rule in yaml.safe_load(text)["groups"][0]["rules"]]
    assert len(urls) == len(rules())
    assert all(url.startswith('https://example.com/"runbook"#') for url in urls)


def test_operations_lists_each_alarm():
    text = (ROOT / "Sources/paycast/Documentation.docc/Operations.md").read_text()
    listed = re.findall(r"^\| `(Paycast\w+)` \| (\w+) \|.*\(doc:Runbook#(.+?)\) \|$", text, re.MULTILINE)
    real = [
        (name, rule["labels"]["severity"], rule["annotations"]["runbook_url"].partition("#")[2])
        for name, rule in rules().items()
    ]
    assert listed == real
