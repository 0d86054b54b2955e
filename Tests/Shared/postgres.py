"""A PostgreSQL with a folder and a port of its own."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from ports import ReservedPort
from program import Program

PROGRAMS = Path("/usr/lib/postgresql/15/bin")


def as_owner():
    """Its programs refuse to run as root: then they run as the user that Debian's package has made."""
    if os.getuid() == 0:
        owner = pwd.getpwnam("postgres")
        os.setgroups([])
        os.setgid(owner.pw_gid)
        os.setuid(owner.pw_uid)


class Postgres(Program):
    """`certificate` and `key` are files: with them it offers TLS, and with `needs_tls` it takes nothing else."""

    def __init__(self, certificate=None, key=None, needs_tls=False):
        # Not in a folder of the tests: no other user may look into those.
        folder = Path(tempfile.mkdtemp(prefix="postgres-"))
        files = []
        for file in filter(None, (certificate, key)):
            files.append(Path(shutil.copy(file, folder)))
        words = ["-D", "data", "-U", "paycast", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"]
        if os.getuid() == 0:
            for path in (folder, *files):
                shutil.chown(path, "postgres", "postgres")
        subprocess.run([PROGRAMS / "initdb", *words], cwd=folder, preexec_fn=as_owner, check=True, capture_output=True)
        host = "hostssl" if needs_tls else "host"
        (folder / "data/pg_hba.conf").write_text(f"local all all trust\n{host} all all 127.0.0.1/32 trust\n")
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        settings = {
            "listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": folder, "fsync": "off",
            "shared_buffers": "16MB", "dynamic_shared_memory_type": "mmap",
        }
        if files:
            settings |= {"ssl": "on", "ssl_cert_file": files[0], "ssl_key_file": files[1]}
        options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        super().__init__(folder, [PROGRAMS / "postgres", "-D", folder / "data", *options], prepare=as_owner)
        self.wait_for_log("ready to accept connections")

    def url(self, database="postgres", host="127.0.0.1"):
        return f"postgres://paycast@{host}:{self.port}/{database}"

    def _ask(self, program, *words, database="postgres", text=None):
        address = f"host={self.folder} port={self.port} user=paycast dbname={database}"
        command = [PROGRAMS / program, *words, "-d", address]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sql(self, text, database="postgres"):
        """Rows without headings, their columns divided by `|`."""
        return self._ask("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", database=database, text=text).strip()

    def dump(self, schema, database="postgres"):
        """Without the two lines with a random word, which older versions of psql do not know."""
        text = self._ask("pg_dump", "--schema", schema, "--no-owner", database=database)
        return re.sub(r"^\\(un)?restrict .*\n", "", text, flags=re.MULTILINE)

    def stop(self, seconds=60):
        # A smart stop, as SIGTERM asks for it, waits for all clients. It has children, which it ends by itself.
        self.process.send_signal(2)
        self.process.wait(seconds)
        self.process.stdout.close()
        self.reserved.close()
        shutil.rmtree(self.folder)
