"""Mutation testing: break one thing of a module at a time, and see whether the engine's quick tests notice.

    python -m tests.mutate                    # betting, moves, pots and showdown
    python -m tests.mutate engine/drawing.py  # any module of functions

The tests are collected once. Each mutant is a fork of that process in which one function has other code; the
files on disk stay as they are. What survives is read, and killed by a test or explained in `mutants.md`.
"""

import ast
import importlib
import inspect
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
MODULES = ("engine/betting.py", "engine/moves.py", "engine/pots.py", "engine/showdown.py")
TESTS = ("tests/engine", "tests/properties/test_pots.py", "tests/properties/test_salons.py")
NOT_THESE = ("replay", "history", "ranking", "glossary", "rule_tags", "settings", "wherever_hypothesis")
FIRST = ("betting", "pots", "showdown", "draw", "antes", "play")
PATIENCE = 5.0
"""A mutant that takes so many times as long as the tests do without one never ends: it is noticed."""

COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
}
NAMES = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """One change of one function."""

    module: str
    function: str
    line: int
    before: str
    after: str
    code: CodeType


def variants(node: ast.AST) -> Iterator[ast.AST]:
    """What may stand in a node's place."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=right):
            for at, op in enumerate(ops):
                others = COMPARISONS.get(type(op), ())
                yield from (
                    ast.Compare(left, [*ops[:at], other(), *ops[at + 1 :]], right) for other in others
                )
        case ast.BinOp(left=one, op=operator, right=two) if type(operator) in OPERATORS:
            yield ast.BinOp(one, OPERATORS[type(operator)](), two)
        case ast.BoolOp(op=ast.And(), values=values):
            yield ast.BoolOp(ast.Or(), values)
        case ast.BoolOp(op=ast.Or(), values=values):
            yield ast.BoolOp(ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.Constant(value=bool() as known):
            yield ast.Constant(not known)
        case ast.Constant(value=int() as number):
            yield ast.Constant(number + 1)
        case ast.Name(id=name) if name in NAMES:
            yield ast.Name(NAMES[name], ast.Load())
        case ast.If() | ast.While():
            yield type(node)(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield ast.IfExp(test, orelse, body)
        case ast.comprehension(target=target, iter=items, ifs=[condition]):
            yield ast.comprehension(target, items, [ast.UnaryOp(ast.Not(), condition)], 0)
            yield ast.comprehension(target, items, [], 0)
        case ast.AugAssign() | ast.Expr(value=ast.Call()) | ast.Break() | ast.Continue():
            yield ast.Pass()
        case _:
            pass


class _Pick(ast.NodeTransformer):
    """Puts the variant number `target` in its place; the body alone is gone through, not the annotations."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.count = 0
        self.change: tuple[ast.AST, ast.AST] | None = None

    def visit(self, node: ast.AST) -> ast.AST:
        for variant in variants(node):
            self.count += 1
            if self.count == self.target + 1:
                self.change = node, variant
                return ast.copy_location(variant, node)
        if isinstance(node, ast.FunctionDef):
            node.body = [step for step in map(self.visit, node.body) if isinstance(step, ast.stmt)]
            return node
        return self.generic_visit(node) if not isinstance(node, ast.arg) else node


def mutants(module: str) -> Iterator[Mutant]:
    """Every mutant of a module's functions, in the order of the text."""
    text = (ROOT / module).read_text(encoding="utf-8")
    functions = [node.name for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    for name in functions:
        target = 0
        while True:
            tree = ast.parse(text)
            (function,) = (
                node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name
            )
            pick = _Pick(target)
            pick.visit(function)
            if pick.change is None:
                break
            before, after = pick.change
            code = compile(ast.fix_missing_locations(tree), module, "exec")
            (own,) = (part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
            yield Mutant(module, name, getattr(before, "lineno", 0), _line(before), _line(after), own)
            target += 1


def _line(node: ast.AST) -> str:
    if isinstance(node, ast.comprehension):
        return " ".join(["for", ast.unparse(node.target), *(f"if {ast.unparse(test)}" for test in node.ifs)])
    return ast.unparse(node).splitlines()[0]


class Mutating:
    """A pytest plugin that runs the collected tests once for every mutant, until the first that fails."""

    def __init__(self, modules: list[str]) -> None:
        self.modules = modules
        self.longest = 3_600.0

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        chosen = [item for item in items if not any(word in item.nodeid for word in NOT_THESE)]
        items[:] = sorted(chosen, key=lambda item: not any(word in item.nodeid for word in FIRST))

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Take the place of pytest's own loop."""
        survivors = count = 0
        began = time.monotonic()
        if not self._survives(session, None):
            print("mutate: the tests fail as they are")
            return True
        self.longest = PATIENCE * (time.monotonic() - began) + 10
        for mutant in (mutant for module in self.modules for mutant in mutants(module)):
            count += 1
            if self._survives(session, mutant):
                survivors += 1
                place = f"{mutant.module}:{mutant.line} {mutant.function}"
                print(f"survived  {place}  `{mutant.before}` -> `{mutant.after}`", flush=True)
        print(f"mutate: {survivors} of {count} mutants survived")
        return True

    def _survives(self, session: pytest.Session, mutant: Mutant | None) -> bool:
        child = os.fork()
        if not child:
            self._run(session, mutant)
        until = time.monotonic() + self.longest
        while time.monotonic() < until:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return os.waitstatus_to_exitcode(status) == 0
            time.sleep(0.01)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return False

    def _run(self, session: pytest.Session, mutant: Mutant | None) -> None:
        """In the child: the tests on the mutant; never returns."""
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        try:
            if mutant is not None:
                module = importlib.import_module(mutant.module.removesuffix(".py").replace("/", "."))
                function = getattr(module, mutant.function)
                if hasattr(function, "cache_clear"):
                    function.cache_clear()
                inspect.unwrap(function).__code__ = mutant.code
            following = [*session.items[1:], None]
            for item, nextitem in zip(session.items, following, strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=nextitem)
                if session.testsfailed:
                    os._exit(1)
        except BaseException:  # noqa: BLE001 - a mutant may break anything, and is noticed then
            os._exit(1)
        os._exit(0)


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(MODULES)
    options = ["-q", "-s", "-m", "not slow", "-p", "no:cacheprovider", "-p", "no:randomly", *TESTS]
    sys.exit(pytest.main(options, plugins=[Mutating(chosen)]))
