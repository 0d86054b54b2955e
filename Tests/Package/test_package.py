"""What the package brings, in a Debian 12 of its own at PAYCAST_ROOT."""

import gzip
import json
import os
import re
import shlex
import socket
import subprocess
import tempfile
import unittest
import urllib.error
import urllib.request
from pathlib import Path

from program import Program

ROOT = Path(os.environ["PAYCAST_ROOT"])
UNIT = ROOT / "lib/systemd/system/paycast.service"
NOBODY = 65534


def as_nobody():
    os.chroot(ROOT)
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class Process(Program):
    """A command in that root, run by a user without rights, in a folder that is the user's own."""

    def __init__(self, test, command, folder, environment=None):
        def enter():
            as_nobody()
            os.chdir("/" + str(folder.relative_to(ROOT)))

        super().__init__(folder, command, {"PATH": "/usr/bin:/bin", **(environment or {})}, enter)
        test.addCleanup(self.kill)

    def wait_for_address(self):
        self.wait_until_listening(60)
        return self.url


def get(url, key=None):
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=20) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def unit_settings():
    """The unit's settings: name → values in order."""
    settings = {}
    for line in UNIT.read_text().splitlines():
        name, sign, value = line.partition("=")
        if sign and not line.startswith("#"):
            settings.setdefault(name, []).append(value)
    return settings


class PackageTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(dir=ROOT / "var/tmp"))
        os.chown(self.folder, NOBODY, NOBODY)

    def run_here(self, *command, status=0):
        done = subprocess.run(command, preexec_fn=as_nobody, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout

    def test_there_is_no_swift(self):
        found = [path for top in ("usr", "opt", "lib") for path in (ROOT / top).rglob("*wift*.so*")]
        self.assertEqual(found, [])
        self.assertNotIn("not found", self.run_here("ldd", "/usr/bin/paycast"))
        self.assertIn("build           release", self.run_here("paycast", "version"))

    def test_the_demo_runs_in_an_empty_folder(self):
        demo = Process(self, ["paycast", "demo", "--port", "0"], self.folder)
        address = demo.wait_for_address()
        status, page = get(address + "/")
        self.assertEqual(status, 200)
        self.assertIn("<turbo-stream-source", page)
        self.assertIn("data-subscribe", page)
        for path in set(re.findall(r'(?:src|href)="(/[\w/.]+\.\w+)"', page)):
            self.assertEqual(get(address + path)[0], 200, path)
        trigger = ["paycast", "trigger", "apple", "SUBSCRIBED/INITIAL_BUY", "--user", "demo", "--expect", "success"]
        buyer = Process(self, trigger, self.folder)
        self.assertEqual(buyer.process.wait(timeout=60), 0, buyer.log.read_text())
        self.assertIn('data-state="active"', get(address + "/")[1])
        self.assertTrue(demo.stop(60), demo.log.read_text())

    def test_the_services_command_starts(self):
        """As systemd would: with the unit's command, environment and credentials, told where to report."""
        unit = unit_settings()
        credentials = self.folder / "credentials"
        credentials.mkdir()
        for name, path in (value.split(":", 1) for value in unit["LoadCredential"]):
            (credentials / name).write_bytes((ROOT / path.lstrip("/")).read_bytes())
            os.chown(credentials / name, NOBODY, NOBODY)
        os.chown(credentials, NOBODY, NOBODY)
        state = self.folder / "state"
        state.mkdir()
        os.chown(state, NOBODY, NOBODY)
        manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        manager.bind(str(self.folder / "notify"))
        os.chmod(self.folder / "notify", 0o666)
        manager.settimeout(60)
        self.addCleanup(manager.close)
        inside = "/" + str(self.folder.relative_to(ROOT))
        environment = dict(word.split("=", 1) for line in unit["Environment"] for word in shlex.split(line))
        environment = {name: value.replace("%d", f"{inside}/credentials") for name, value in environment.items()}
        self.assertEqual(unit["Type"], ["notify"])
        environment |= {"NOTIFY_SOCKET": f"{inside}/notify", "WATCHDOG_USEC": f"{unit['WatchdogSec'][0]}000000"}
        service = Process(self, unit["ExecStart"][0].split(), state, {**environment, "PORT": "0"})
        address = service.wait_for_address()
        self.assertEqual(manager.recv(100), b"READY=1")
        self.assertEqual(manager.recv(100), b"WATCHDOG=1")
        self.assertEqual(get(address + "/up"), (200, "up\n"))
        key = (credentials / "api").read_text()
        self.assertGreaterEqual(len(key), 64)
        status, source = get(address + "/users/42/stream", key)
        self.assertEqual(status, 200)
        self.assertTrue(json.loads(source)["signed_stream"])
        self.assertEqual(get(address + "/users/42/stream", "x" * 64)[0], 401)
        self.assertEqual(get(address + "/demo/demo.css")[0], 404, "that is for development")
        self.assertTrue((state / "paycast.db").exists())
        self.assertTrue(service.stop(60), service.log.read_text())

    def test_files_are_where_they_are_looked_for(self):
        manual = gzip.decompress((ROOT / "usr/share/man/man1/paycast.1.gz").read_bytes()).decode()
        for words in (".TH PAYCAST 1", "PAYCAST SERVE", r"\-\-database URL"):
            self.assertIn(words, manual)
        for path, mode in {"credentials": 0o700, "credentials/api": 0o600, "credentials/stream": 0o600}.items():
            self.assertEqual((ROOT / "etc/paycast" / path).stat().st_mode & 0o777, mode, path)
        self.assertTrue((ROOT / "etc/paycast/paycast.env").exists())

    def test_each_shell_finds_its_completions(self):
        """Completions are where Debian's bash-completion, zsh and fish look for them."""
        for shell, path in {
            "bash": "bash-completion/completions/paycast",
            "zsh": "zsh/vendor-completions/_paycast",
            "fish": "fish/vendor_completions.d/paycast.fish",
        }.items():
            file = ROOT / "usr/share" / path
            self.assertEqual(file.read_text(), self.run_here("paycast", "completions", shell), shell)
            self.assertEqual(file.stat().st_mode & 0o777, 0o644, shell)

    def test_there_is_somebody_to_write_to(self):
        output = self.run_here("dpkg-query", "--show", "--showformat=${Maintainer}", "paycast")
        self.assertRegex(output, r"^[^<>]+ <[^<>@\s]+@[^<>@\s]+\.[^<>@\s]+>$")

    def test_the_unit_is_one(self):
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={ROOT}", "paycast.service"],
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_keys_survive_an_upgrade(self):
        before = (ROOT / "etc/paycast/credentials/api").read_text()
        done = subprocess.run(["chroot", ROOT, "dpkg", "-i", "/tmp/paycast.deb"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((ROOT / "etc/paycast/credentials/api").read_text(), before)


if __name__ == "__main__":
    unittest.main()
