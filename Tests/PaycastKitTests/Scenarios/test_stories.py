"""Every story over every network, and its processes killed at every step, against a real `paycast serve --dev`."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import count, repeat

import pytest
from stories import MODES, PACE, STORIES, is_done
from world import Phone

# At once: they wait more than they compute.
WORLDS = 8
# Posts that a network fails before it gets well; of a process that is killed, one.
FAILURES = 2


@dataclass(frozen=True)
class World:
    """Over which network a story is lived through, and where its processes die."""

    mode: str
    # Which process is killed, the first being 0, and before which of its actions.
    killed: int | None = None
    step: int = 0
    # Whether those that come after the first die too, each one action later than the one before, until one gets home.
    dies_on: bool = False

    def kill_before(self, process):
        return self.step if self.killed == process else None


def live(server, folder, tell, world):
    """Lives through the story on a phone of its own. Returns how many steps its processes had, None for a killed one."""
    user = f"{tell.__name__}-{world.mode}-{world.killed}-{world.step}-{world.dies_on}"
    with Phone(folder / user, server) as phone:
        story = tell(phone, user)
        is_up = story.weather == "up"
        met = [world.mode] * (FAILURES if world.kill_before(0) is None else 1)
        phone.network.mode, phone.network.modes = story.weather, met if is_up else []
        first = phone.run(*story.steps, kill_before=world.kill_before(0), pace=PACE, **story.settings)
        deaths = count() if world.dies_on else repeat(None)
        report = first
        while report is None:
            report = phone.run(*story.again, kill_before=next(deaths), pace=PACE, **story.settings)
        if story.meanwhile:
            story.meanwhile()
        if not is_up:
            phone.network.mode, phone.network.modes = "up", met
        reports = [first]
        for number, process in enumerate(story.later, 1):
            steps, settings = process.get("steps", []), {key: process[key] for key in process if key != "steps"}
            reports.append(phone.run(*steps, pace=PACE, kill_before=world.kill_before(number), **settings))
            report = reports[-1] or phone.run(*steps, pace=PACE, **settings)
        check(phone, server, story, report)
        return [report and report["actions"] for report in reports]


def check(phone, server, story, report):
    # Where the sheet had not come up yet, nothing was bought.
    is_bought = phone.names("sheet") == []
    assert len(phone.lines("sheets.log")) <= 1, "sold twice"
    assert is_done(report), phone.network.posts
    assert set(phone.finished) == ({story.transaction["id"]} if is_bought else set())
    for user in story.users:
        held = server.entitlements(user)
        assert held["active"] == (story.opens and (is_bought or story.is_owned_before))
        if story.state and is_bought:
            assert [item["state"] for item in held["contracts"]] == [story.state]
    for user in story.strangers:
        assert not server.entitlements(user)["active"]
    phone.check_rules()


@pytest.mark.parametrize("tell", STORIES)
def test_story_over_any_network_killed_at_every_step(server, tmp_path, tell):
    with ThreadPoolExecutor(WORLDS) as pool:
        whole = {mode: pool.submit(live, server, tmp_path, tell, World(mode)) for mode in MODES}
        worlds = [World(mode, 0, step) for mode, life in whole.items() for step in range(life.result()[0])]
        # The processes that bring it home die too; what they meet on the way is the same.
        first, *later = whole["up"].result()
        worlds += [World("up", number, step) for number, steps in enumerate(later, 1) for step in range(steps)]
        worlds += [World("up", 0, step, dies_on=True) for step in {first // 2, first - 1}]
        killed = {world: pool.submit(live, server, tmp_path, tell, world) for world in worlds}
    assert len(killed) >= 2 * len(MODES)
    for world, life in killed.items():
        if failure := life.exception():
            failure.add_note(f"lived through as {world}")
            raise failure
