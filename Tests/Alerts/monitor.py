"""Debian's Prometheus beside a test, every second."""

import json
import re
import time
import urllib.parse
import urllib.request

import yaml

from ports import ReservedPort
from program import Program
from promtool import printed, write

# An evening is a few seconds here: each range of a rule, in seconds. What holds for a while need not.
RANGES = {"5m": 20, "10m": 20, "15m": 20, "30m": 20, "1h": 60, "1d": 600, "7d": 600}
# A store that is silent for an hour, and a history that was not read for two.
SPANS = {"3600)": "4)", "> 7200": "> 4"}


def hastened():
    """The program's rules, for a server that lives for a minute."""
    document = yaml.safe_load(printed("alerts"))
    for rule in document["groups"][0]["rules"]:
        expression = re.sub(r"\[(\w+)\]", lambda found: f"[{RANGES[found[1]]}s]", rule["expr"])
        for long, short in SPANS.items():
            expression = expression.replace(long, short)
        rule |= {"expr": expression, "for": "0s"}
    document["groups"][0]["interval"] = "1s"
    return document


class Prometheus(Program):
    """Reads each of `servers`, an address by the name of its job."""

    def __init__(self, folder, servers):
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        write(folder / "rules.yml", hastened())
        write(folder / "prometheus.yml", {
            "global": {"scrape_interval": "1s", "evaluation_interval": "1s"},
            "rule_files": ["rules.yml"],
            "scrape_configs": [self.job(*server) for server in servers.items()],
        })
        reserved = ReservedPort()
        self.url = f"http://127.0.0.1:{reserved.number}"
        super().__init__(folder, [
            "prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
            f"--web.listen-address=127.0.0.1:{reserved.number}",
        ])
        self.reserved = reserved

    @staticmethod
    def job(name, url):
        scheme, _, address = url.partition("://")
        return {
            "job_name": name,
            "scheme": scheme,
            "tls_config": {"insecure_skip_verify": True},
            "static_configs": [{"targets": [address]}],
        }

    def ask(self, route, **parameters):
        url = f"{self.url}/api/v1/{route}?{urllib.parse.urlencode(parameters)}"
        with urllib.request.urlopen(url, timeout=10) as answer:
            document = json.load(answer)
        assert document["status"] == "success", document
        return document["data"]

    def query(self, expression):
        """The labels of each series that it returns."""
        return [series["metric"] for series in self.ask("query", query=expression)["result"]]

    def firing(self, job):
        """The alarms of a job by their names."""
        alarms = [each for each in self.ask("alerts")["alerts"] if each["state"] == "firing"]
        return {each["labels"]["alertname"]: each for each in alarms if each["labels"]["job"] == job}

    def stop(self, seconds=60):
        try:
            return super().stop(seconds)
        finally:
            self.reserved.close()


def wait_until(condition, seconds=60):
    """Returns what the condition says once that is true."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            if found := condition():
                return found
        except OSError:
            pass  # It does not listen yet.
        assert time.monotonic() < deadline, condition()
        time.sleep(0.2)
