"""Four proxies from Debian, each with the least that makes it pass everything on to Paycast over connections it keeps.

Every client of a test is this machine, and where Paycast trusts a proxy, it believes that. There clients are given an
address of the Internet: by the PROXY protocol, as balancers in front of a proxy name theirs.
"""

import socket

from ports import ReservedPort
from program import Program
from servers import until

HAPROXY = """
defaults
    mode http
    timeout connect 5s
    timeout client 30s
    timeout server 30s
    option forwardfor
    http-reuse always
frontend door
    bind 127.0.0.1:{port} {announced}
    default_backend paycast
backend paycast
    server paycast 127.0.0.1:{target}
"""

# In a folder of its own, up to the first line of `http`.
NGINX_HEAD = """
daemon off;
user root;
pid {folder}/nginx.pid;
worker_processes 1;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    scgi_temp_path {folder}/scgi;
    uwsgi_temp_path {folder}/uwsgi;
"""
NGINX = NGINX_HEAD + """    map $http_upgrade $connection_upgrade {{ default upgrade; '' ''; }}
    upstream paycast {{
        server 127.0.0.1:{target};
        keepalive 8;
    }}
    server {{
        listen 127.0.0.1:{port} {announced};
        location / {{
            proxy_pass http://paycast;
            proxy_http_version 1.1;
            proxy_set_header Host $host;
            proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
            proxy_set_header Upgrade $http_upgrade;
            proxy_set_header Connection $connection_upgrade;
        }}
    }}
}}
"""

CADDY = """
{{
    admin off
    auto_https off
}}
http://:{port} {{
    bind 127.0.0.1
    reverse_proxy 127.0.0.1:{target} {announced}
}}
"""

# In a folder of its own, as a user who is not root, up to its way to Paycast.
APACHE_HEAD = """
ServerRoot {folder}
ServerName localhost
Listen 127.0.0.1:{port}
PidFile {folder}/apache.pid
ErrorLog {folder}/apache.log
User www-data
Group www-data
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule proxy_module {modules}/mod_proxy.so
LoadModule proxy_http_module {modules}/mod_proxy_http.so
"""
# One process: its children share no connections with each other.
APACHE = APACHE_HEAD + """ServerLimit 1
StartServers 1
ThreadsPerChild 25
MaxRequestWorkers 25
ProxyPass / http://127.0.0.1:{target}/ upgrade=websocket
{announced}
"""

MODULES = "/usr/lib/apache2/modules"
INTERNET = "203.0.113.7"


class Proxy(Program):
    # What makes it take clients' addresses from them, and what a client then says first.
    announced = ""
    preface = f"PROXY TCP4 {INTERNET} 127.0.0.1 4711 80\r\n".encode()

    def __init__(self, folder, target, is_announced):
        folder.mkdir(parents=True)
        self.reserved = ReservedPort()
        self.port = self.reserved.number
        self.preface = self.preface if is_announced else b""
        configuration = folder / "configuration"
        configuration.write_text(self.configured(folder, target, self.announced if is_announced else ""))
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(folder)}
        super().__init__(folder, self.command_line(configuration), environment)
        assert until(self.accepts, 20), f"{type(self).__name__} does not listen: {self.log.read_text()}"

    def configured(self, folder, target, announced):
        return self.text.format(port=self.port, target=target, folder=folder, modules=MODULES, announced=announced)

    def accepts(self):
        try:
            socket.create_connection(("127.0.0.1", self.port), 1).close()
            return True
        except OSError:
            return False


class HAProxy(Proxy):
    text = HAPROXY
    announced = "accept-proxy"

    def command_line(self, configuration):
        return ["haproxy", "-db", "-f", configuration]


class Nginx(Proxy):
    text = NGINX
    announced = "proxy_protocol; set_real_ip_from 127.0.0.1; real_ip_header proxy_protocol"

    def command_line(self, configuration):
        return ["nginx", "-p", configuration.parent, "-e", "stderr", "-c", configuration]


class Caddy(Proxy):
    text = CADDY
    # Debian's does not know the protocol, so it says of everyone the same.
    announced = f"{{\n        header_up X-Forwarded-For {INTERNET}\n    }}"
    preface = b""

    def command_line(self, configuration):
        return ["caddy", "run", "--adapter", "caddyfile", "--config", configuration]


class Apache(Proxy):
    text = APACHE
    announced = f"LoadModule remoteip_module {MODULES}/mod_remoteip.so\nRemoteIPProxyProtocol On"

    def command_line(self, configuration):
        return ["apache2", "-DFOREGROUND", "-f", configuration]


PROXIES = {"haproxy": HAProxy, "nginx": Nginx, "caddy": Caddy, "apache": Apache}
