"""A client of Action Cable that others wrote. It sends no Origin, so Rails as it is by default refuses it."""

import asyncio
import json

from aioactioncable import connect

from cable import identifier

HTML = '<turbo-stream action="remove" target="a"></turbo-stream>'


def test_aioactioncable_hears_a_broadcast(paycast):
    async def hear():
        async with connect(f"ws://{paycast.address}/cable") as cable:
            subscription = await cable.subscribe(json.loads(identifier("client")))
            paycast.broadcast("client", HTML)
            return json.loads(await subscription.recv())

    assert asyncio.run(asyncio.wait_for(hear(), 10)) == HTML
