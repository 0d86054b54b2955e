"""A page as it stood in the Rails app before Paycast came: rendered and signed by Rails, without a cursor."""

from walkthrough import Walkthrough

PAGE = """```erb
<%= action_cable_meta_tag %>
<%= turbo_stream_from Current.user, :paywall %>
<div id="subscription_status"></div>
<section id="paywall">…your offers…</section>
<div id="purchase"></div>
```
"""
APP = f"""<!-- serve: paycast serve --dev -->
```env
SECRET_KEY_BASE=the-secret-key-base-of-the-rails-app
PAYCAST_STREAM_NAME=gid://shop/User/{{user}}:paywall
PAYCAST_ALLOWED_ORIGINS=https://shop.example.com
```
```ruby
config.action_cable.url = "wss://pay.example.com/cable"
```
```sh
paycast trigger apple ONE_TIME_CHARGE --kind consumable --product coins --user 42
paycast trigger apple ONE_TIME_CHARGE --kind consumable --product coins --user 42
```
{PAGE}
```sh
paycast trigger apple SUBSCRIBED/INITIAL_BUY --user 42
```
<!-- shows: #paywall | Welcome -->

{PAGE}
<!-- shows: #paywall | Welcome -->
"""


def test_a_buyer_of_coins_keeps_the_offers(tmp_path, browser):
    """What a page is sent for its user's state comes before the broadcast that it has to hear."""
    app = Walkthrough("RailsPage.md", APP, tmp_path, browser)
    rendered = [step for step in app.steps if getattr(step, "language", "") == "erb"]
    try:
        app.reach(rendered[0])
        elements = ("paywall", "subscription_status", "purchase")
        shown = [app.pages.page.locator(f"#{element}").inner_text() for element in elements]
        assert shown == ["…your offers…", "", ""]
        # The page is alive, and who has bought a plan is shown it on every load.
        app.reach(app.steps[-1])
    finally:
        app.close()
