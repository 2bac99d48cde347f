"""The gate: few pass in one turn of the loop, nobody passes another, and nobody is held up where few come."""

import asyncio

import pytest

from cluster.salons.gate import Gate


class Loop:
    """Counts the turns of the event loop, and notes in which of them who passed."""

    def __init__(self, gate: Gate) -> None:
        self.turn = 0
        self.passed: list[tuple[int, int]] = []
        self._gate = gate

    async def count(self) -> None:
        while True:
            await asyncio.sleep(0)
            self.turn += 1

    async def go(self, who: int) -> None:
        await self._gate.passed()
        self.passed.append((who, self.turn))


async def gone(most: int, comers: int) -> list[tuple[int, int]]:
    loop = Loop(Gate(most))
    counting = asyncio.create_task(loop.count())
    await asyncio.gather(*(loop.go(who) for who in range(comers)))
    counting.cancel()
    return loop.passed


async def test_few_pass_in_one_turn_and_whoever_comes_first_goes_first() -> None:
    passed = await gone(3, 20)
    assert [who for who, _ in passed] == list(range(20))
    turns = [turn for _, turn in passed]
    assert max(turns.count(turn) for turn in turns) == 3


async def test_where_few_come_nobody_waits() -> None:
    gate = Gate(2)
    for _ in range(5):
        passing = [gate.passed(), gate.passed()]
        for each in passing:
            with pytest.raises(StopIteration):
                each.send(None)
        await asyncio.sleep(0)
        await asyncio.sleep(0)


async def test_who_has_gone_away_takes_nobodys_place() -> None:
    loop = Loop(Gate(1))
    counting = asyncio.create_task(loop.count())
    going = [asyncio.create_task(loop.go(who)) for who in range(4)]
    await asyncio.sleep(0)
    going[2].cancel()
    await asyncio.wait(going)
    counting.cancel()
    assert [who for who, _ in loop.passed] == [0, 1, 3]
    (_, second), (_, third) = loop.passed[1:]
    assert third - second == 1
