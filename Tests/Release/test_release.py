"""What `.ci/release` does and refuses, in a copy of the files that it reads and writes."""

import datetime
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHANGELOG, SERVER, DOCUMENT = ".github/CHANGELOG.md", "Sources/Server/Server.swift", "public/openapi.json"
COPIED = [".ci/release", CHANGELOG, SERVER, DOCUMENT]
LOG = """# Changelog

## [Unreleased]

### Added

- A thing.

## [0.1.0] - 2026-11-29

The first version.
"""


class ReleaseTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name) / "tree"
        for path in COPIED:
            (self.tree / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / path, self.tree / path)
        (self.tree / CHANGELOG).write_text(LOG)
        self.assets = self.tree / "assets"
        self.assets.mkdir()
        (self.assets / "paycast_0.1.0_amd64.deb").write_bytes(b"a package")
        (self.assets / "paycast 0.1.0 arm64.tar").write_bytes(b"an image")

    def run_step(self, *words, key=None):
        environment = {**os.environ, "PAYCAST_RELEASE_KEY": key or ""}
        command = [self.tree / ".ci/release", *words]
        return subprocess.run(command, env=environment, cwd=self.tree, capture_output=True, text=True)

    def takes(self, *words, **settings):
        done = self.run_step(*words, **settings)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def refuses(self, *words, saying, **settings):
        """With one sentence."""
        done = self.run_step(*words, **settings)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"^\.ci/release: .*\n$")
        self.assertIn(saying, done.stderr)

    def read(self, path):
        return (self.tree / path).read_text()

    def keep_ledger(self, version):
        path = self.tree / f"Tests/Upgrade/ledgers/{version}.json.gz"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()

    # MARK: A version

    def test_a_version_is_cut(self):
        self.takes("cut", "0.2.0")
        today = datetime.datetime.now(datetime.timezone.utc).date()
        heading = f"## [Unreleased]\n\n## [0.2.0] - {today}\n\n### Added\n\n- A thing.\n\n## [0.1.0] - 2026-11-29\n"
        self.assertIn(heading, self.read(CHANGELOG))
        self.assertIn('\npublic let releaseVersion = "0.2.0"\n', self.read(SERVER))
        self.assertEqual(re.findall(r'"version": "(\d.*)"', self.read(DOCUMENT)), ["0.2.0"])
        self.keep_ledger("0.2.0")
        self.takes("check", "0.2.0")
        self.assertEqual(self.takes("notes", "0.2.0"), "### Added\n\n- A thing.\n")
        self.assertEqual(self.takes("notes", "0.1.0"), "The first version.\n")

    def test_the_first_version_is_cut(self):
        (self.tree / CHANGELOG).write_text(LOG.partition("\n## [0.1.0]")[0])
        self.takes("cut", "0.1.0")
        self.assertEqual(self.takes("notes", "0.1.0"), "### Added\n\n- A thing.\n")

    def test_what_is_no_next_version_is_refused(self):
        for version, reason in {
            "v0.2.0": "is not a version", "0.2": "is not a version", "0.02.0": "is not a version",
            "0.1.0": "is not newer than 0.1.0", "0.0.9": "is not newer than 0.1.0",
        }.items():
            with self.subTest(version):
                self.refuses("cut", version, saying=reason)
        self.takes("cut", "0.2.0")
        before = [self.read(path) for path in COPIED]
        self.refuses("cut", "0.10.0", saying="nothing is under [Unreleased]")
        self.assertEqual([self.read(path) for path in COPIED], before)

    def test_a_tag_that_is_not_the_version_is_refused(self):
        self.refuses("check", "0.2.0", saying=f"the newest version in {CHANGELOG} is 0.1.0")
        self.refuses("check", "v0.1.0", saying="the tag is v0.1.0")
        (self.tree / CHANGELOG).write_text(LOG.replace("[0.1.0]", "[0.3.0]"))
        self.refuses("check", "0.3.0", saying="the program's version is 0.1.0")
        self.takes("cut", "0.4.0")
        self.refuses("check", "0.4.0", saying="no ledger of 0.4.0 is kept: run .ci/release ledger 0.4.0")
        self.refuses("notes", "0.5.0", saying="says nothing of 0.5.0")

    def test_steps_are_named(self):
        for words in ([], ["cut"], ["publish", "0.2.0"]):
            done = self.run_step(*words)
            self.assertEqual(done.returncode, 64)
            for step in ("cut VERSION", "ledger VERSION", "check TAG", "notes VERSION", "checksums FOLDER", "image FOLDER", "push FOLDER", "site FOLDER"):
                self.assertIn(f".ci/release {step} ", done.stderr)

    # MARK: Checksums

    def new_key(self, name, *words):
        """A private key, and the line of those who trust it."""
        path = self.tree / name
        command = ["ssh-keygen", "-q", "-t", "ed25519", "-C", "somebody", "-N", "", *words, "-f", path]
        subprocess.run(command, check=True)
        return path.read_text(), "paycast " + " ".join(Path(f"{path}.pub").read_text().split()[:2]) + "\n"

    def test_a_signature_is_verified_as_we_tell_others(self):
        key, line = self.new_key("key")
        (self.tree / ".github/allowed_signers").write_text(line)
        self.takes("checksums", "assets", key=key)
        self.assertEqual(self.verified(), 0)
        sums = (self.assets / "SHA256SUMS").read_text()
        self.assertEqual([text.split("  ")[1] for text in sums.splitlines()], ["paycast 0.1.0 arm64.tar", "paycast_0.1.0_amd64.deb"])
        self.takes("checksums", "assets", key=key)
        self.assertEqual((self.assets / "SHA256SUMS").read_text(), sums, "nothing signs itself")
        (self.assets / "paycast 0.1.0 arm64.tar").unlink()
        self.assertEqual(self.verified(), 0, "of one that took only one of the files")
        (self.assets / "paycast_0.1.0_amd64.deb").write_bytes(b"another package")
        self.assertNotEqual(self.verified(), 0)
        (self.assets / "SHA256SUMS").write_text(sums.replace("0", "1"))
        self.assertNotEqual(self.verified(), 0)

    def verified(self):
        """The commands of the policy, where the files are."""
        shutil.copy(self.tree / ".github/allowed_signers", self.assets)
        text = (ROOT / ".github/SECURITY.md").read_text()
        commands = text.partition("## Verify a download")[2].partition("```sh\n")[2].partition("```")[0]
        self.assertIn("ssh-keygen -Y verify", commands)
        commands = "\n".join(line for line in commands.splitlines() if not line.startswith("curl "))
        done = subprocess.run(["bash", "-euc", commands], cwd=self.assets, capture_output=True)
        (self.assets / "allowed_signers").unlink()
        return done.returncode

    def test_keys_that_sign_nothing(self):
        key, line = self.new_key("key")
        self.refuses("checksums", "assets", saying="PAYCAST_RELEASE_KEY is not set")
        self.refuses("checksums", "assets", key="no key", saying="is no private key")
        self.refuses("checksums", "assets", key=self.new_key("locked", "-N", "phrase")[0], saying="or has a passphrase")
        self.refuses("checksums", "assets", key=key, saying=f"commit this line in .github/allowed_signers: {line.strip()}")
        (self.tree / ".github/allowed_signers").write_text(self.new_key("another")[1])
        self.refuses("checksums", "assets", key=key, saying="nobody could verify")
        self.assertFalse((self.assets / "SHA256SUMS").exists())
        (self.tree / ".github/allowed_signers").write_text(line)
        (self.tree / "nothing").mkdir()
        self.refuses("checksums", "nothing", key=key, saying="nothing has no files to sign")
        self.refuses("checksums", "nowhere", key=key, saying="there is no folder nowhere")


@unittest.skipUnless(shutil.which("buildah"), "it puts images of several architectures together")
class ImageTests(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        storage = self.folder / "storage.conf"
        storage.write_text(f'[storage]\ndriver = "vfs"\ngraphroot = "{folder.name}/root"\nrunroot = "{folder.name}/run"\n')
        self.environment = {**os.environ, "CONTAINERS_STORAGE_CONF": str(storage)}

    def run_here(self, *command, status=0):
        done = subprocess.run(command, env=self.environment, cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stdout.strip() or done.stderr

    def push(self, **settings):
        return self.run_here(ROOT / ".ci/release", "push", "images", f"dir:{self.folder}/pushed", **settings)

    def test_architectures_have_one_name(self):
        (self.folder / "images").mkdir()
        self.assertIn("images has no image", self.push(status=1))
        for architecture in ("amd64", "arm64"):
            container = self.run_here("buildah", "from", "--arch", architecture, "scratch")
            self.run_here("buildah", "config", "--arch", architecture, "--healthcheck", "CMD /paycast", container)
            file = f"images/paycast_0.1.0_{architecture}.tar"
            self.run_here("buildah", "commit", "--format", "docker", container, f"docker-archive:{file}:paycast:0.1.0")
        self.push()
        pushed = self.folder / "pushed"
        images = json.loads((pushed / "manifest.json").read_text())["manifests"]
        self.assertEqual([image["platform"]["architecture"] for image in images], ["amd64", "arm64"])
        for image in images:
            manifest = json.loads((pushed / f"{image['digest'].removeprefix('sha256:')}.manifest.json").read_text())
            settings = json.loads((pushed / manifest["config"]["digest"].removeprefix("sha256:")).read_text())
            self.assertIn("Healthcheck", settings["config"])


@unittest.skipUnless(shutil.which("docc"), "DocC comes with Swift")
class SiteTests(unittest.TestCase):
    def test_every_article_has_its_address(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([ROOT / ".ci/release", "site", folder, "paycast"], check=True, stdout=subprocess.DEVNULL)
            site = Path(folder)
            [first] = re.findall(r'url=(.*?)"', (site / "index.html").read_text())
            page = (site / first / "index.html").read_text()
            self.assertIn("/paycast/js/", page, "its scripts are below the folder that it is published in")
            articles = {path.stem.lower() for path in (ROOT / "Sources/paycast/Documentation.docc").glob("*.md")}
            made = {path.parent.name for path in (site / "documentation/paycast").glob("*/index.html")}
            self.assertEqual(made, articles - {"documentation"})


if __name__ == "__main__":
    unittest.main()
