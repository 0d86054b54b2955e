"""What holds in every story, told from what has reached the server and what it answered."""


def check(posts, finished):
    """No transaction is finished that the server has not answered 200 or 409 to, and none is posted without back-off."""
    assert set(finished) <= {int(post["id"]) for post in posts if is_answered(post)}, (finished, posts)
    for number in {post["id"] for post in posts}:
        check_waits([post for post in posts if post["id"] == number])


def is_answered(post):
    # A portal's 200 is nobody's answer.
    return post["mode"] != "portal" and post["status"] in (200, 409)


def waits(posts):
    """Between the posts of one process of the app, in seconds of its clock."""
    pairs = [pair for pair in zip(posts, posts[1:]) if pair[0]["process"] == pair[1]["process"]]
    return [(later["at"] - post["at"]) * post["pace"] for post, later in pairs]


def check_waits(posts):
    """Of one transaction: 1 s after the first failure, then twice as long each time, or as long as the server has asked for.

    Process by process: a wait of the app's own ends with it, and test_waits.py has what the server has asked for.
    """
    for process in {post["process"] for post in posts}:
        own = [post for post in posts if post["process"] == process]
        for failures, (post, waited) in enumerate(zip(own, waits(own))):
            if not is_answered(post):
                wait = int(post["retry_after"] or 0) or min(2**failures, 300)
                assert waited >= wait, f"posted after {waited} s in place of {wait}: {own}"
