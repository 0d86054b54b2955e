"""schemathesis generates good and bad requests from the document: each answer is a documented one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import document
from servers import API_KEY

HERE = Path(__file__).parent


@pytest.mark.parametrize("kind", ["development", "production"])
def test_no_answer_is_undocumented(kind, request, tmp_path):
    server = request.getfixturevalue(kind)
    described = tmp_path / "openapi.json"
    described.write_text(json.dumps(document.without_refused_examples(document.strict(document.load()))))
    program = Path(sys.executable).parent / "st"
    done = subprocess.run(
        [program, "--config-file", HERE / "schemathesis.toml", "run", "--no-color", described],
        cwd=tmp_path,
        env=os.environ | {"PAYCAST_URL": server.url, "PAYCAST_KEY": API_KEY},
        capture_output=True,
        text=True,
        timeout=1200,
    )
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    tested = len(document.operations(document.load())) - 2
    assert f"Tested: {tested}" in done.stdout, "operations were left out: " + done.stdout
