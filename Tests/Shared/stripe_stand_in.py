"""A stand-in of Stripe's API, which has every subscription that it is asked for."""

import http.server
import json
import threading
import time


class StripeStandIn:
    """Each subscription is another customer's, and began a day ago. `accounts` are those in whose name it was asked."""

    def __init__(self):
        self.accounts = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.accounts = self.accounts
        # Asked again, it says the same.
        self.server.start = int(time.time()) - 86400
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def stop(self):
        self.server.shutdown()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one packet for an answer

    def do_GET(self):
        self.server.accounts.append(self.headers.get("Stripe-Account"))
        start = self.server.start
        period = {"current_period_start": start, "current_period_end": start + 30 * 86400}
        name = self.path.split("?")[0].rpartition("/")[2]
        item = {"id": "si_1", "object": "subscription_item", "quantity": 1, "price": {"id": "price_1"}, **period}
        body = json.dumps(
            {"id": name, "object": "subscription", "livemode": True, "status": "active", "customer": f"cus_{name}"}
            | {"cancel_at_period_end": False, "metadata": {}, "items": {"data": [item], "has_more": False}}
            | period
        ).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass
