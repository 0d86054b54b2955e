"""Clients that others' generators make of the document, and what calls each of their operations."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import typing
from pathlib import Path

import document

PROGRAMS = Path(sys.executable).parent
# Streams never end: asked with a forged name, and without a key, they do.
STREAMS = {"followStream", "followEvents"}


def snake(name):
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-.]", "_", name).lower()


def generate(folder, program, *words):
    command = [PROGRAMS / program, "generate", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]


def modules(folder, package):
    """All modules of a package, imported."""
    sys.path.insert(0, str(folder))
    package = importlib.import_module(package)
    found = pkgutil.walk_packages(package.__path__, package.__name__ + ".")
    return package, [importlib.import_module(module.name) for module in found]


class Call:
    """What an operation is asked with: the first example of each place that is not refused, and 42 for a user."""

    def __init__(self, description, path, operation):
        self.function = snake(operation["operationId"])
        refused = {name for name, (status, _) in document.answered(description, operation).items() if status >= 400}
        self.parameters, self.body = {}, None
        for place, examples in document.request_examples(description, operation):
            good = [example["value"] for name, example in examples.items() if name not in refused]
            value = (good or [example["value"] for example in examples.values()])[0]
            if place is None:
                self.body = value
            elif place.get("required"):
                self.parameters[snake(place["name"])] = value
        for place in document.parameters(description, operation):
            if place.get("required"):
                self.parameters.setdefault(snake(place["name"]), "42")
        self.has_key = operation["operationId"] not in STREAMS

    def arguments(self, function):
        """The parameters that the function needs, and what is none of them: its body."""
        hints = typing.get_type_hints(function)
        for name, parameter in inspect.signature(function).parameters.items():
            if parameter.default is inspect.Parameter.empty and name not in ("self", "client"):
                yield name, hints.get(name), self.parameters.get(name.strip("_"), self.body)


class Outcome(typing.NamedTuple):
    status: int
    # What was read of the answer's body.
    value: typing.Any


class OpenAPIGenerator:
    """openapi-generator's client for Python."""

    def __init__(self, folder):
        generate(folder, "openapi-generator-cli", "-i", document.PATH, "-g", "python", "-o", "client")
        self.package, _ = modules(folder / "client", "openapi_client")
        classes = [kind for name, kind in inspect.getmembers(self.package, inspect.isclass) if name.endswith("Api")]
        self.operations = {name: kind for kind in classes for name in vars(kind) if not name.startswith("_")}

    def call(self, server, key, call):
        settings = self.package.Configuration(host=server.url, access_token=key if call.has_key else None)
        api = self.operations[call.function](self.package.ApiClient(settings))
        function = getattr(api, call.function + "_with_http_info")
        try:
            answer = function(**{name: value for name, _, value in call.arguments(function)})
            return Outcome(answer.status_code, answer.data)
        except self.package.ApiException as error:
            return Outcome(error.status, error.data)


class OpenAPIPythonClient:
    """openapi-python-client's."""

    def __init__(self, folder):
        words = ["--path", document.PATH, "--output-path", "client", "--meta", "none"]
        generate(folder, "openapi-python-client", *words)
        self.package, found = modules(folder, "client")
        called = [module for module in found if hasattr(module, "sync_detailed")]
        self.operations = {module.__name__.rpartition(".")[2]: module for module in called}

    def call(self, server, key, call):
        client = self.package.AuthenticatedClient(server.url, key) if call.has_key else self.package.Client(server.url)
        function = self.operations[call.function].sync_detailed
        arguments = {name: built(kind, value) for name, kind, value in call.arguments(function)}
        answer = function(client=client, **arguments)
        return Outcome(int(answer.status_code), answer.parsed)


def built(kind, value):
    """An argument of the package's own type."""
    if typing.get_origin(kind) is list:
        return [built(typing.get_args(kind)[0], each) for each in value]
    return kind.from_dict(value) if hasattr(kind, "from_dict") else value
