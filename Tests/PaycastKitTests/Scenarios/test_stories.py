"""Every story over every network, and each of those killed at every step, against a real `paycast serve --dev`."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from stories import MODES, PACE, STORIES, is_done
from world import Phone

# At once: they wait more than they compute.
WORLDS = 8
# Posts that a network fails before it gets well; of a process that is killed, one.
FAILURES = 2


def live(server, folder, tell, mode, kill_before=None, kill_next_before=None):
    """Lives through the story on a phone of its own. Returns how many steps its first processes had, None if killed."""
    user = f"{tell.__name__}-{mode}-{kill_before}-{kill_next_before}"
    with Phone(folder / user, server) as phone:
        story = tell(phone, user)
        is_up = story.weather == "up"
        met = [mode] * (FAILURES if kill_before is None else 1)
        phone.network.mode, phone.network.modes = story.weather, met if is_up else []
        first = phone.run(*story.steps, kill_before=kill_before, pace=PACE, **story.settings)
        report = first or phone.run(*story.again, pace=PACE, **story.settings)
        if story.meanwhile:
            story.meanwhile()
        if not is_up:
            phone.network.mode, phone.network.modes = "up", met
        reports = [first]
        for process in story.later:
            steps, settings = process.get("steps", []), {key: process[key] for key in process if key != "steps"}
            kill = kill_next_before if len(reports) == 1 else None
            reports.append(phone.run(*steps, pace=PACE, kill_before=kill, **settings))
            report = reports[-1] or phone.run(*steps, pace=PACE, **settings)
        check(phone, server, story, report)
        return [report and report["actions"] for report in reports]


def check(phone, server, story, report):
    # Where the sheet had not come up yet, nothing was bought.
    is_bought = phone.names("sheet") == []
    assert len(phone.lines("sheets.log")) <= 1, "sold twice"
    assert is_done(report) and phone.outbox == [], phone.network.posts
    assert set(phone.finished) == ({story.transaction["id"]} if is_bought else set())
    for user in story.users:
        held = server.entitlements(user)
        assert held["active"] == (story.opens and (is_bought or story.is_owned_before))
        if story.state and is_bought:
            assert [item["state"] for item in held["entitlements"]] == [story.state]
    for user in story.strangers:
        assert not server.entitlements(user)["active"]
    phone.check_rules()


@pytest.mark.parametrize("tell", STORIES)
def test_story_over_any_network_killed_at_every_step(server, tmp_path, tell):
    with ThreadPoolExecutor(WORLDS) as pool:
        whole = {mode: pool.submit(live, server, tmp_path, tell, mode) for mode in MODES}
        killed = {
            (mode, step): pool.submit(live, server, tmp_path, tell, mode, step)
            for mode, life in whole.items()
            for step in range(life.result()[0])
        }
        # The processes that bring it home die too; what they meet on the way is the same.
        for step in range(sum(whole["up"].result()[1:2])):
            killed["up", None, step] = pool.submit(live, server, tmp_path, tell, "up", None, step)
    assert len(killed) >= 2 * len(MODES)
    for world, life in killed.items():
        if failure := life.exception():
            failure.add_note(f"over the network and killed before the step: {world}")
            raise failure
