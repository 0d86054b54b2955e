"""The app whose pages these are, the routes to the server, and a stock proxy."""

import importlib.util
import os
import shutil
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from ports import ReservedPort

HERE = Path(__file__).resolve().parent
BROWSER = HERE.parent / "Browser"
# Of Debian's ruby-actioncable.
ACTION_CABLE = "/usr/share/nodejs/@rails/actioncable/app/assets/javascripts/action_cable.js"


class App:
    """Serves the app's pages from an origin that is not Paycast's."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copy(turbo(), folder / "turbo.js")
        shutil.copy(BROWSER / "turbo_elements.js", folder)
        shutil.copy(ACTION_CABLE, folder / "action_cable.js")
        shutil.copy(HERE / "counting.js", folder)
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), partial(QuietHandler, directory=folder))
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def page(self, case, route, script=""):
        """Writes the page of a case, and returns its address. `script`: the address of a module that it loads."""
        user = str(case)
        if case.kind == "cable":
            source = route.server.cable_source(user)
        else:
            source = route.server.source(user, case.kind, route.base)
        head = f'<meta name="action-cable-url" content="{route.cable}"><script src="/counting.js"></script>'
        if script:
            head += f'<script type="module" src="{script}"></script>'
        template = (BROWSER / "app.html").read_text()
        page = self.folder / f"{case}.html"
        page.write_text(template.replace("<!-- head -->", head).replace("<!-- source -->", source))
        return f"{self.origin}/{page.name}"

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


def turbo():
    """A newer Turbo when TURBO_JS names one; else the one that requirements.txt brings."""
    if "TURBO_JS" in os.environ:
        return Path(os.environ["TURBO_JS"])
    package = importlib.util.find_spec("turbo").submodule_search_locations[0]
    return next(Path(package).rglob("turbo.min.js"))


class Route:
    """A way to a server: its own address, or the proxy's."""

    def __init__(self, server, base=None):
        self.server = server
        self.base = base or server.url

    @property
    def cable(self):
        return self.base.replace("http", "ws", 1) + "/cable"


# Exactly what nginx' own guide to WebSockets says: its deadlines are 60 s and its buffers are on. All that it
# writes is in its folder.
NGINX = """
daemon off; master_process off; pid nginx.pid; error_log errors.log;
events {{}}
http {{
    log_format ends '$request_uri $status';
    access_log ends.log ends;
    client_body_temp_path body; proxy_temp_path proxy;
    fastcgi_temp_path fastcgi; scgi_temp_path scgi; uwsgi_temp_path uwsgi;
    map $http_upgrade $connection_upgrade {{ default upgrade; '' close; }}
    server {{
        listen 127.0.0.1:{port};
        location / {{
            proxy_pass http://127.0.0.1:{target};
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""


class Nginx:
    def __init__(self, folder, target):
        self.folder = folder
        # nginx cannot tell which port it was given, so it is told one.
        self.reserved = ReservedPort()
        (folder / "nginx.conf").write_text(NGINX.format(port=self.reserved.number, target=target))
        command = ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "errors.log"]
        self.process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{self.reserved.number}"

    def ended(self):
        """The pages whose connections have ended; nginx notes each when it is over."""
        return (self.folder / "ends.log").read_text().splitlines()

    def stop(self):
        self.process.terminate()
        self.process.wait(timeout=20)
