"""The documentation's examples of proxies, with a test's addresses, ports and files in place of their own."""

import os
import re
import tempfile

from certificates import UNVERIFIED
from program import ROOT
from proxies import APACHE_HEAD, MODULES, NGINX_HEAD, Apache, Caddy, HAProxy, Nginx
from wire import Wire

ARTICLE = ROOT / "Sources" / "paycast" / "Documentation.docc" / "BehindAProxy.md"


def printed(name):
    """The article's block of that name."""
    found = re.search(rf"<!-- proxy {re.escape(name)} -->\n```\w+\n(.*?)\n```", ARTICLE.read_text(), re.S)
    assert found, f"{ARTICLE.name} prints no {name}"
    return found[1] + "\n"


class Example:
    # The system's own configuration around the example, with the test's paths.
    around = "{example}"
    # What a test has in another way, in both.
    changes = ()

    def __init__(self, folder, target, certificate, key):
        self.certificate = certificate
        self.key = key
        super().__init__(folder, target, is_announced=False)

    def configured(self, folder, target, announced):
        text, around = printed(self.name), self.around
        for old, new in self.changes:
            assert old in text or old in around, f"the example of {self.name} has no {old}"
            text, around = text.replace(old, new), around.replace(old, new)
        for old, new in {**self.places(folder), "127.0.0.1:8080": f"127.0.0.1:{target}"}.items():
            assert old in text, f"the example of {self.name} has no {old}"
            text = text.replace(old, new)
        return around.format(folder=folder, port=self.port, modules=MODULES, example=text)

    def certificates(self):
        return {
            "/etc/ssl/pay.example.com.pem": str(self.certificate),
            "/etc/ssl/private/pay.example.com.key": str(self.key),
        }


class NginxExample(Example, Nginx):
    name = "nginx"
    around = NGINX_HEAD + """{example}
}}
"""

    def places(self, folder):
        return {"listen 443": f"listen 127.0.0.1:{self.port}", **self.certificates()}


class HAProxyExample(Example, HAProxy):
    name = "haproxy"

    def places(self, folder):
        both = folder / "both.pem"
        both.write_text(self.certificate.read_text() + self.key.read_text())
        return {"bind :443": f"bind 127.0.0.1:{self.port}", "/etc/haproxy/pay.example.com.pem": str(both)}


class CaddyExample(Example, Caddy):
    name = "caddy"
    # It gets its certificate itself; for this machine's own name, from itself.
    around = """
{{
    admin off
    auto_https disable_redirects
    skip_install_trust
}}
{example}
"""

    def places(self, folder):
        return {"pay.example.com {": f"localhost:{self.port} {{"}

    def accepts(self):
        """It listens before it has a certificate."""
        try:
            Wire(self.port, context=UNVERIFIED).close()
            return True
        except OSError:
            return False


class ApacheExample(Example, Apache):
    name = "apache"
    around = APACHE_HEAD + """
LoadModule alias_module {modules}/mod_alias.so
LoadModule asis_module {modules}/mod_asis.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule socache_shmcb_module {modules}/mod_socache_shmcb.so
LoadModule ssl_module {modules}/mod_ssl.so
{example}
"""

    def places(self, folder):
        # Readable to a server that has given up root's rights, as tests' folders are not.
        self.away = tempfile.NamedTemporaryFile("w", suffix=".asis")
        self.away.write(printed("away.asis"))
        self.away.flush()
        os.chmod(self.away.name, 0o644)
        return {"*:443": f"127.0.0.1:{self.port}", "/etc/apache2/away.asis": self.away.name, **self.certificates()}


EXAMPLES = {"nginx": NginxExample, "caddy": CaddyExample, "haproxy": HAProxyExample, "apache": ApacheExample}
# What Tests/Docs leaves to this suite.
PRINTED = {*EXAMPLES, "away.asis"}
