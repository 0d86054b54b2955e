"""Three browser engines. Each page has a window of its own, because a page in a hidden tab does not paint."""

import json
import os
import re
import subprocess
import threading
import time
from contextlib import ExitStack

from playwright.sync_api import sync_playwright
from selenium import webdriver
from websockets.sync.client import connect

from cases import Report

# Seconds that a driver waits for a script, more than any script here takes. Playwright has no limit.
SCRIPT_LIMIT = 90
# Of `wait`, which asks again.
LONGEST_WAIT = 20


class Browser:
    """Its kinds `start`, `show` a page at an address, `reload` and `close` it, and `evaluate` an expression in it: what
    its promise comes to."""

    def __init__(self, folder):
        self.pages, self.stack = {}, ExitStack()
        try:
            self.start(folder)
        except BaseException:
            self.stop()
            raise

    def open(self, case, route, app):
        self.pages[case] = self.show(app.page(case, route))

    def report(self, case):
        return self.wait(case, lambda _: True, 0)

    def wait(self, case, condition, deadline):
        """The page's report once it meets the condition, or when the time is up."""
        known = ""
        while True:
            seconds = min(max(0, deadline - time.monotonic()), LONGEST_WAIT)
            known = self.evaluate(self.pages[case], f"reportOtherThan({json.dumps(known)}, {1000 * seconds:.0f})")
            report = Report(**json.loads(known))
            if condition(report) or time.monotonic() >= deadline:
                return report

    def stop(self):
        self.stack.close()


class Chromium(Browser):
    def start(self, folder):
        playwright = self.stack.enter_context(sync_playwright())
        # Chromium refuses its sandbox to root, which is who a container runs as.
        arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=arguments)
        self.stack.callback(browser.close)
        self.context = browser.new_context(ignore_https_errors=True)

    def show(self, address):
        page = self.context.new_page()
        page.goto(address)
        return page

    def reload(self, page):
        page.reload()

    def close(self, page):
        page.close()

    def evaluate(self, page, expression):
        return page.evaluate(expression)


class Firefox(Browser):
    """Driven by WebDriver BiDi (https://w3c.github.io/webdriver-bidi), which it speaks itself: Debian has no driver."""

    def start(self, folder):
        # The browser's own requests go to a proxy that does not exist; this machine is reached without a proxy.
        proxy = {"type": 1, "http": "127.0.0.1", "http_port": 9, "ssl": "127.0.0.1", "ssl_port": 9}
        lines = [f'user_pref("network.proxy.{name}", {json.dumps(value)});\n' for name, value in proxy.items()]
        (folder / "user.js").write_text("".join(lines))
        process = subprocess.Popen(
            ["firefox-esr", "--headless", "--remote-debugging-port", "0", "--profile", folder],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.stack.callback(end, process)
        printed = []
        for line in process.stderr:
            printed.append(line)
            if address := re.search(r"BiDi listening on (\S+)", line):
                break
        else:
            raise AssertionError("".join(printed))
        # A full pipe would block the browser.
        threading.Thread(target=process.stderr.read, daemon=True).start()
        self.socket = self.stack.enter_context(connect(address[1] + "/session", max_size=None, ping_interval=None))
        self.number = 0
        self.command("session.new", capabilities={"alwaysMatch": {"acceptInsecureCerts": True}})

    def command(self, method, **params):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": params}))
        while (answer := json.loads(self.socket.recv(timeout=SCRIPT_LIMIT))).get("id") != self.number:
            pass  # an event
        assert answer["type"] == "success", answer
        return answer["result"]

    def show(self, address):
        page = self.command("browsingContext.create", type="window")["context"]
        self.command("browsingContext.navigate", context=page, url=address, wait="complete")
        return page

    def reload(self, page):
        self.command("browsingContext.reload", context=page, wait="complete")

    def close(self, page):
        self.command("browsingContext.close", context=page)

    def evaluate(self, page, expression):
        answer = self.command("script.evaluate", expression=expression, target={"context": page}, awaitPromise=True)
        assert answer["type"] == "success", answer
        return answer["result"]["value"]


class WebKit(Browser):
    """WebKitGTK's MiniBrowser, with a virtual screen, because it does not run without one."""

    def start(self, folder):
        ours, its = os.pipe()
        screen = subprocess.Popen(
            ["Xvfb", "-displayfd", str(its), "-nolisten", "tcp"], pass_fds=[its], stderr=subprocess.DEVNULL
        )
        self.stack.callback(end, screen)
        os.close(its)
        with open(ours) as file:
            display = f":{file.readline().strip()}"
        service = webdriver.WebKitGTKService("/usr/bin/WebKitWebDriver", env={**os.environ, "DISPLAY": display})
        options = webdriver.WebKitGTKOptions()
        options.accept_insecure_certs = True
        self.driver = webdriver.WebKitGTK(options=options, service=service)
        self.stack.callback(self.driver.quit)
        self.driver.set_script_timeout(SCRIPT_LIMIT)

    def show(self, address):
        self.driver.switch_to.new_window("window")
        self.driver.get(address)
        return self.driver.current_window_handle

    def reload(self, page):
        self.driver.switch_to.window(page)
        self.driver.refresh()

    def close(self, page):
        self.driver.switch_to.window(page)
        self.driver.close()
        # A new window is opened from one that is there.
        self.driver.switch_to.window(self.driver.window_handles[0])

    def evaluate(self, page, expression):
        self.driver.switch_to.window(page)
        return self.driver.execute_async_script(f"({expression}).then(arguments[0])")


def end(process):
    process.terminate()
    process.wait(timeout=60)
