"""What the package brings, in a Debian 12 of its own at PAYCAST_ROOT."""

import gzip
import json
import os
import re
import shlex
import signal
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


def group(name):
    """Its number in that root; None if it does not exist there."""
    for line in (ROOT / "etc/group").read_text().splitlines():
        words = line.split(":")
        if words[0] == name:
            return int(words[2])


def as_nobody(groups=()):
    os.chroot(ROOT)
    os.setgroups(list(groups))
    os.setgid(NOBODY)
    os.setuid(NOBODY)


class Process(Program):
    """A command in that root, run by a user without rights, in a folder that is the user's own."""

    def __init__(self, test, command, folder, environment=None, groups=()):
        def enter():
            as_nobody(groups)
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


def unit_settings(unit=UNIT):
    """A unit's settings: name → values in order."""
    settings = {}
    for line in unit.read_text().splitlines():
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

    def start_service(self):
        """As systemd would: with the unit's command, environment and groups, told where to report."""
        unit = unit_settings()
        self.assertNotIn("LoadCredential", unit, "systemd copies those once, and a reload would not rotate them")
        groups = [group(name) for name in unit["SupplementaryGroups"]]
        self.assertNotIn(None, groups)
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
        self.assertEqual(unit["Type"], ["notify"])
        environment |= {"NOTIFY_SOCKET": f"{inside}/notify", "WATCHDOG_USEC": f"{unit['WatchdogSec'][0]}000000"}
        service = Process(self, unit["ExecStart"][0].split(), state, {**environment, "PORT": "0"}, groups)
        return service, manager, service.wait_for_address()

    def test_the_services_command_starts(self):
        service, manager, address = self.start_service()
        self.assertEqual(manager.recv(100), b"READY=1")
        self.assertEqual(manager.recv(100), b"WATCHDOG=1")
        self.assertEqual(get(address + "/up"), (200, "up\n"))
        key = (ROOT / "etc/paycast/credentials/api").read_text()
        self.assertGreaterEqual(len(key), 64)
        status, source = get(address + "/users/42/stream", key)
        self.assertEqual(status, 200)
        self.assertTrue(json.loads(source)["signed_stream"])
        self.assertEqual(get(address + "/users/42/stream", "x" * 64)[0], 401)
        self.assertEqual(get(address + "/demo/demo.css")[0], 404, "that is for development")
        self.assertTrue((self.folder / "state/paycast.db").exists())
        self.assertTrue(service.stop(60), service.log.read_text())

    def test_a_reload_rotates_a_key(self):
        """As ExecReload does it, while the process runs as its user: NEW,OLD, then NEW alone."""
        file = ROOT / "etc/paycast/credentials/api"
        old, new = file.read_text(), "n" * 64
        self.addCleanup(file.write_text, old)
        service, _, address = self.start_service()
        user = address + "/users/42/entitlements"
        self.assertEqual([get(user, key)[0] for key in (old, new)], [200, 401])
        rotation = {f"{new},{old}": [200, 200], new: [401, 200]}
        for reloads, (text, answers) in enumerate(rotation.items(), start=1):
            # An editor may write another file in its place, which is the folder's group's all the same.
            other = file.with_suffix(".new")
            other.write_text(text)
            other.chmod(0o640)
            self.assertEqual(other.stat().st_gid, group("paycast-credentials"))
            other.rename(file)
            service.process.send_signal(signal.SIGHUP)
            service.wait_for_log(" reloaded ", times=reloads)
            self.assertEqual([get(user, key)[0] for key in (old, new)], answers, service.log.read_text())
        self.assertTrue(service.stop(60), service.log.read_text())

    def test_others_cannot_read_the_secrets(self):
        for name in ("api", "stream"):
            done = subprocess.run(
                ["cat", f"/etc/paycast/credentials/{name}"], preexec_fn=as_nobody, capture_output=True, text=True
            )
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")

    def test_commands_run_as_the_service_does(self):
        """What systemd would be asked for: stand-ins for its two programs show the unit and print what they were told."""
        stands = self.folder / "stands"
        stands.mkdir()
        drop_in = "[Service]\nLoadCredential=stripe:/root/stripe\nEnvironment=PAYCAST_STRIPE_SECRETS_FILE=%d/stripe\n"
        (self.folder / "drop-in").write_text(drop_in)
        inside = "/" + str(self.folder.relative_to(ROOT))
        for name, text in {
            "systemctl": f'[ "$1" = cat ] || exit 0; cat /lib/systemd/system/$2 {inside}/drop-in',
            "systemd-run": 'for word in "$@"; do printf "%s\\n" "$word"; done; exit 3',
        }.items():
            (stands / name).write_text(f"#!/bin/sh\n{text}\n")
            (stands / name).chmod(0o755)
        command = ["paycast-service", "export", "--user", "a b", "--json"]
        path = f"{inside}/stands:/usr/bin:/bin:/usr/sbin:/sbin"
        done = subprocess.run(["chroot", ROOT, "env", f"PATH={path}", *command], capture_output=True, text=True)
        self.assertEqual(done.returncode, 3, "its own status")
        words = done.stdout.splitlines()
        options, ran = words[: words.index("--")], words[words.index("--") + 1 :]
        self.assertEqual(ran, ["/usr/bin/paycast", "export", "--user", "a b", "--json"])
        self.assertLessEqual({"--wait", "--pipe", "--collect"}, set(options))
        unit = next(word.removeprefix("--unit=") for word in options if word.startswith("--unit="))
        properties = {word.removeprefix("--property=") for word in options if word.startswith("--property=")}
        self.assertLessEqual(
            {
                "User=paycast",
                "DynamicUser=yes",
                "SupplementaryGroups=paycast-credentials",
                "StateDirectory=paycast",
                "WorkingDirectory=/var/lib/paycast",
                "EnvironmentFile=-/etc/paycast/paycast.env",
                "Environment=PAYCAST_API_KEY_FILE=/etc/paycast/credentials/api",
                "LoadCredential=stripe:/root/stripe",
                f"Environment=PAYCAST_STRIPE_SECRETS_FILE=/run/credentials/{unit}.service/stripe",
            },
            properties,
        )
        self.assertFalse([word for word in properties if word.startswith(("Exec", "Type", "Watchdog", "Restart"))])
        for words, status in (([], 64), (["serve"], 64)):
            done = subprocess.run(["chroot", ROOT, "paycast-service", *words], capture_output=True, text=True)
            self.assertEqual(done.returncode, status, done.stderr)
        self.run_here("/usr/sbin/paycast-service", "doctor", status=77)

    def test_files_are_where_they_are_looked_for(self):
        manual = gzip.decompress((ROOT / "usr/share/man/man1/paycast.1.gz").read_bytes()).decode()
        for words in (".TH PAYCAST 1", "PAYCAST SERVE", r"\-\-database URL", r"paycast\-service doctor"):
            self.assertIn(words, manual)
        for path, mode in {"credentials": 0o2750, "credentials/api": 0o640, "credentials/stream": 0o640}.items():
            found = (ROOT / "etc/paycast" / path).stat()
            self.assertEqual((found.st_mode & 0o7777, found.st_uid), (mode, 0), path)
            self.assertEqual(found.st_gid, group("paycast-credentials"), path)
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

    def test_alarms_and_the_dashboard_are_files(self):
        for command, path in {"alerts": "alerts.yml", "dashboard": "dashboard.json"}.items():
            file = ROOT / "usr/share/paycast" / path
            self.assertEqual(file.read_text(), self.run_here("paycast", command), command)
            self.assertEqual(file.stat().st_mode & 0o777, 0o644, command)
        self.assertTrue((ROOT / "usr/share/doc/paycast/Runbook.md").exists(), "which the alarms name")

    def test_there_is_somebody_to_write_to(self):
        output = self.run_here("dpkg-query", "--show", "--showformat=${Maintainer}", "paycast")
        self.assertRegex(output, r"^[^<>]+ <[^<>@\s]+@[^<>@\s]+\.[^<>@\s]+>$")

    def test_the_units_are_some(self):
        units = ["paycast.service", "paycast.socket", "paycast-console.socket"]
        done = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", f"--root={ROOT}", *units],
            capture_output=True,
            text=True,
        )
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_sockets_are_named_as_the_server_names_them(self):
        """And the service gets both: by its own name, and by theirs."""
        own, console = (unit_settings(UNIT.with_name(f"{name}.socket")) for name in ("paycast", "paycast-console"))
        self.assertEqual((own["FileDescriptorName"], console["FileDescriptorName"]), (["paycast"], ["console"]))
        self.assertEqual(own["ListenStream"], ["127.0.0.1:8080"], "as without a socket")
        self.assertEqual(console["Service"], ["paycast.service"])

    def test_systemd_passes_a_socket(self):
        """Its own tool holds one until somebody comes, who is then answered by the server in that place."""
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        inside = "/" + str(self.folder.relative_to(ROOT))
        serve = ["/usr/bin/paycast", "serve", "--port", "0", "--database", f"sqlite:{inside}/paycast.db"]
        enter = ["chroot", f"--userspec={NOBODY}:{NOBODY}", str(ROOT), *serve]
        for name in (["--fdname=paycast"], []):
            command = ["systemd-socket-activate", f"--listen=127.0.0.1:{port}", *name, *enter]
            service = Program(self.folder, command, {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
            self.addCleanup(service.kill)
            service.wait_for_log(f"Listening on 127.0.0.1:{port}")
            self.assertEqual(get(f"http://127.0.0.1:{port}/up"), (200, "up\n"), service.log.read_text())
            service.wait_for_log("sockets inherited", "names=paycast")
            self.assertTrue(service.stop(60), service.log.read_text())
            service.log.unlink()

    def test_keys_survive_an_upgrade(self):
        before = (ROOT / "etc/paycast/credentials/api").read_text()
        done = subprocess.run(["chroot", ROOT, "dpkg", "-i", "/tmp/paycast.deb"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual((ROOT / "etc/paycast/credentials/api").read_text(), before)


if __name__ == "__main__":
    unittest.main()
