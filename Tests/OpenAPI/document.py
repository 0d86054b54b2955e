"""`public/openapi.json`: read, walked and written."""

import json

from program import ROOT

PATH = ROOT / "public" / "openapi.json"
WIDTH = 120
METHODS = ("get", "head", "post", "put", "delete", "options", "patch", "trace")


def load():
    return json.loads(PATH.read_text())


def text(value):
    """The text of the file: indented by two spaces, with everything that fits a line on one line."""
    return lines(value, "", 0) + "\n"


def lines(value, indent, used):
    short = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, (dict, list)) or not value or len(indent) + used + len(short) <= WIDTH:
        return short
    inner = indent + " "
    if isinstance(value, list):
        items = [lines(item, inner, 1) for item in value]
    else:
        names = [json.dumps(name, ensure_ascii=False) for name in value]
        items = [f"{name}: {lines(item, inner, len(name) + 3)}" for name, item in zip(names, value.values())]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return f"{opening}\n{inner}" + f",\n{inner}".join(items) + f"\n{indent}{closing}"


def resolved(document, node):
    """What a reference points to, without its siblings, which OpenAPI 3.1 allows only in schemas."""
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for part in node["$ref"].removeprefix("#/").split("/"):
            target = target[part]
        node = target
    return node


def operations(document):
    """Each (path, method, operation), in the order of the document."""
    return [
        (path, method, item[method]) for path, item in document["paths"].items() for method in METHODS if method in item
    ]


def answers(document, operation):
    """Each (status, answer) of an operation."""
    return [(int(status), resolved(document, answer)) for status, answer in operation["responses"].items()]


def parameters(document, operation):
    return [resolved(document, parameter) for parameter in operation.get("parameters", [])]


def allowed_codes(answer):
    """The error codes that an answer may have."""
    return set(answer.get("x-error-codes", []))


def strict(document):
    """A copy that allows no undescribed members in answers: clients must accept such members, tests look for them."""
    document = json.loads(json.dumps(document))
    seen = set()

    def close(node):
        if isinstance(node, dict) and id(node) not in seen:
            seen.add(id(node))
            if "$ref" in node:
                close(resolved(document, node))
            if node.get("type") == "object" and "properties" in node:
                node.setdefault("additionalProperties", False)
            for value in node.values():
                close(value)
        elif isinstance(node, list):
            for item in node:
                close(item)

    for _, _, operation in operations(document):
        for status, answer in operation["responses"].items():
            operation["responses"][status] = limited(resolved(document, answer))
            close(operation["responses"][status])
    # A client in Ruby would hold the date that it has made of the text against a pattern.
    document["components"]["schemas"]["Instant"]["pattern"] = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}\.[0-9]{3}Z$"
    # Which names there are is the tz database's matter: a pattern also fits others, which are refused.
    document["components"]["schemas"]["TimeZone"]["enum"] = ["UTC", "Europe/Vienna", "Pacific/Apia"]
    return document


def limited(answer):
    """An answer whose errors have only the codes that are listed beside it: a generator of clients would make a type of its
    own of each list."""
    codes = allowed_codes(answer)
    if not codes:
        return answer
    answer = json.loads(json.dumps(answer))
    for content in answer.get("content", {}).values():
        schema = content["schema"]
        for choice in schema.get("anyOf", [schema]):
            if choice == {"$ref": "#/components/schemas/Error"}:
                choice["properties"] = {"error": {"enum": sorted(codes)}}
    return answer


def request_examples(document, operation):
    """The places of an operation that have examples: for each its parameter, or None for the body, and the examples."""
    places = [
        (parameter, parameter["examples"]) for parameter in parameters(document, operation) if "examples" in parameter
    ]
    for content in operation.get("requestBody", {}).get("content", {}).values():
        places.append((None, content["examples"]))
    return places


def answered(document, operation):
    """For each example the status of its answer, and the place of the answer's value."""
    found = {}
    for status, answer in answers(document, operation):
        for content in answer.get("content", {}).values():
            for name, example in content.get("examples", {}).items():
                found[name] = (status, example)
    return found


def without_refused_examples(document):
    """For a generator that takes examples for good data."""
    document = json.loads(json.dumps(document))
    for _, _, operation in operations(document):
        refused = {name for name, (status, _) in answered(document, operation).items() if status >= 400}
        for _, examples in request_examples(document, operation):
            for name in refused & set(examples):
                del examples[name]
    return document


# The names of examples that any route may answer begin so; test_any_route.py sends them.
ANY_ROUTE = "any_route_"


def is_open(operation):
    """Whether it may be asked without credentials."""
    return {} in operation["security"]


def codes_of(document, operation, status):
    """The error codes that an operation may answer with this status."""
    return allowed_codes(dict(answers(document, operation)).get(status, {}))
