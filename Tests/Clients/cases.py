"""The pages that are held: their client, transport and route, and whether anything happens meanwhile."""

from dataclasses import dataclass

BROWSERS = ("chromium", "firefox", "webkit")
KINDS = ("websocket", "sse", "cable")
ROUTES = ("direct", "nginx", "tls")
PACES = ("idle", "busy")

# client: (kinds, routes)
CLIENTS = {
    **{browser: (KINDS, ROUTES) for browser in BROWSERS},
    "websockets": (("websocket", "cable"), ROUTES),
    "curl": (("sse",), ROUTES),
    "curl-http2": (("sse",), ("tls",)),
}


@dataclass(frozen=True)
class Case:
    client: str
    kind: str
    route: str
    pace: str

    def __str__(self):
        """Names the page's user, too: each page has its own."""
        return f"{self.client}-{self.kind}-{self.route}-{self.pace}"


CASES = [
    Case(client, kind, route, pace)
    for client, (kinds, routes) in CLIENTS.items()
    for kind in kinds
    for route in routes
    for pace in PACES
]


@dataclass
class Report:
    """The state of one page."""

    ready: bool
    opened: int
    lost: list
    notices: list
    paid: bool
